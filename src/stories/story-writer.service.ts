import { Injectable } from '@nestjs/common';
import type { Change, LockedBoard } from '../database/change';
import { changes, differences } from '../events/differences';
import { writable } from '../http/read-only';
import { Task } from '../tasks/task.entity';
import { findTasks } from '../tasks/task.queries';
import { toStored } from '../time/clock';
import { searchable, storedLabels } from './story-text';
import type { CreateStory, StoryView, UpdateStory } from './story.dto';
import { Story } from './story.entity';
import type { StoryRow } from './story.queries';
import { representStory, STORY_COLUMNS, STORY_TABLES } from './story.queries';

/** A story to create, with its position in the list. */
export type NewStory = CreateStory & { seq: number };

/** The stories of a board that were created at an instant and not changed since. */
const CREATED_AT = 's.board_id = ? AND s.updated_at = ? AND s.version = 1';

/** Rows that one SELECT reads. */
const CHUNK = 250;

/**
 * Writes stories of locked boards and records the events. Whether a change is allowed is decided by the
 * callers.
 */
@Injectable()
export class StoryWriter {
  async create(
    change: Change,
    board: LockedBoard,
    sprintId: number | null,
    body: NewStory,
  ): Promise<StoryView> {
    const story = represent(change, board, sprintId, body);
    const columns = columnsOf(board, story, change.instant);
    const { identifiers } = await change.manager.insert(Story, columns);
    const created = { id: identifiers[0]?.id as number, ...story };
    recordCreation(change, board, created);
    return created;
  }

  /** Creates stories in the backlog, many by each statement. */
  async createMany(
    change: Change,
    board: LockedBoard,
    bodies: readonly NewStory[],
    progress: (stories: number) => void,
  ): Promise<void> {
    if (bodies.length === 0) return;
    const now = toStored(change.instant);
    // Not every server gives consecutive ids to the rows of one statement. So the new rows are read again:
    // those of this instant that did not exist before.
    const others = await change.query<{ id: number }>(
      `SELECT s.id FROM stories s WHERE ${CREATED_AT}`,
      [board.id, now],
    );
    const before = new Set(others.map(({ id }) => id));
    const rows = bodies.map((body) => {
      const story = represent(change, board, null, body);
      return { ...columnsOf(board, story, now), labels: storedLabels(story.labels) };
    });
    const columns = Object.keys(rows[0] ?? {});
    const cells = function* (): Generator<unknown[]> {
      for (const row of rows) {
        yield Object.values(row);
        progress(0.5);
      }
    };
    await change.insertMany('stories', columns, cells());
    for (let last = 0, more = true; more;) {
      const created = await change.query<StoryRow>(
        `SELECT ${STORY_COLUMNS} FROM ${STORY_TABLES}
         WHERE ${CREATED_AT} AND s.id > ? ORDER BY s.id LIMIT ${CHUNK}`,
        [board.id, now, last],
      );
      for (const row of created) {
        last = row.id;
        if (before.has(row.id)) continue;
        recordCreation(change, board, representStory(row));
        progress(0.5);
      }
      more = created.length === CHUNK;
      await change.pause();
    }
  }

  /**
   * Writes what the body changes of a story, and its new list.
   * @returns the story after the change, or the same object if nothing changed
   */
  async update(
    change: Change,
    board: LockedBoard,
    story: StoryView,
    body: UpdateStory,
    to: { board: LockedBoard; sprintId: number | null },
  ): Promise<StoryView> {
    const wanted = { ...writable(body), board_name: to.board.name, sprint_id: to.sprintId };
    const changed = differences(story, wanted)?.after;
    if (!changed) return story;
    const { instant } = change;
    const isDone = changed.status && changed.status === 'done';
    const after: StoryView = {
      ...story,
      ...changed,
      ...(changed.status && { done_at: isDone ? instant.toISOString() : null }),
      updated_at: instant.toISOString(),
      version: story.version + 1,
    };
    const { board_name: boardName, ...columns } = changed;
    await change.manager.update(Story, story.id, {
      ...columns,
      ...(boardName !== undefined && { board_id: to.board.id }),
      ...(changed.status && { done_at: isDone ? instant : null }),
      ...(('title' in changed || 'description' in changed) && {
        search: searchable(after.title, after.description),
      }),
      updated_at: instant,
      version: after.version,
    });
    if (to.board.id !== board.id || to.sprintId !== story.sprint_id) {
      await this.recordMove(change, board, to.board, story, after);
    } else {
      change.record(board, {
        type: 'story.updated',
        entity: 'story',
        id: after.id,
        version: after.version,
        sprint_id: after.sprint_id,
        ...changes(story, after),
      });
    }
    return after;
  }

  /** Deletes a story and its tasks; returns the number of tasks. */
  async delete(change: Change, board: LockedBoard, story: StoryView): Promise<number> {
    const { id } = story;
    const tasks = await findTasks(change, id);
    for (const task of tasks) {
      change.record(board, {
        type: 'task.deleted',
        entity: 'task',
        id: task.id,
        version: task.version + 1,
        before: { ...task },
        after: null,
      });
    }
    if (tasks.length > 0) await change.manager.delete(Task, { story_id: id });
    await change.manager.delete(Story, id);
    change.record(board, {
      type: 'story.deleted',
      entity: 'story',
      id,
      version: story.version + 1,
      before: { ...story },
      after: null,
    });
    return tasks.length;
  }

  /**
   * Records that a story is in another list or position: in the log of its board or, where it left one
   * board for another, in both logs, with all its fields and tasks in the second one.
   */
  async recordMove(
    change: Change,
    from: LockedBoard,
    to: LockedBoard,
    before: StoryView,
    after: StoryView,
  ): Promise<void> {
    const { id, version, sprint_id } = after;
    const event = { entity: 'story' as const, id, version };
    if (from.id === to.id) {
      change.record(to, { type: 'story.moved', ...event, sprint_id, ...changes(before, after) });
      return;
    }
    change.record(from, { type: 'story.moved_out', ...event, ...changes(before, after) });
    const tasks = await findTasks(change, id);
    change.record(to, {
      type: 'story.moved_in',
      ...event,
      sprint_id,
      before: null,
      after: { ...after, tasks },
    });
  }
}

function recordCreation(change: Change, board: LockedBoard, story: StoryView): void {
  change.record(board, {
    type: 'story.created',
    entity: 'story',
    id: story.id,
    version: story.version,
    sprint_id: story.sprint_id,
    before: null,
    after: { ...story },
  });
}

/** The representation of a new story, which has no id yet. */
function represent(
  change: Change,
  board: LockedBoard,
  sprintId: number | null,
  body: NewStory,
): Omit<StoryView, 'id'> {
  const now = change.instant.toISOString();
  const { status = 'todo' } = body;
  return {
    board_name: board.name,
    sprint_id: sprintId,
    title: body.title,
    description: body.description ?? null,
    seq: body.seq,
    priority: body.priority ?? null,
    status,
    points: body.points ?? null,
    assignee: body.assignee ?? null,
    labels: body.labels ?? [],
    external_id: body.external_id ?? null,
    created_at: now,
    updated_at: now,
    done_at: status === 'done' ? now : null,
    version: 1,
  };
}

/** The columns of a new story; `now` is the time of the change as a Date or as it is stored. */
function columnsOf<T>(
  board: LockedBoard,
  { board_name: _, ...story }: Omit<StoryView, 'id'>,
  now: T,
) {
  return {
    ...story,
    board_id: board.id,
    search: searchable(story.title, story.description),
    created_at: now,
    updated_at: now,
    done_at: story.done_at === null ? null : now,
  };
}
