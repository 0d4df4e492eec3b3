import { Injectable } from '@nestjs/common';
import type { LockedBoard } from '../database/board-row';
import type { Change } from '../database/change';
import { changedFields, differences } from '../events/differences';
import { recordEvent } from '../events/record-event';
import { writable } from '../http/input/read-only';
import { doneAtAfter } from '../tasks/done-at';
import { Task } from '../tasks/task.entity';
import { findTasksOfStories } from '../tasks/task.queries';
import { fromRfc3339, toStored } from '../time/clock';
import type { BriefStory, BriefStoryRow } from './brief-story.queries';
import {
  BRIEF_COLUMNS,
  readDescriptions,
  representBriefStory,
  withDescriptions,
} from './brief-story.queries';
import { searchable, storedLabels } from './story-text';
import type { CreateStory, StoryView, UpdateStory } from './story.dto';
import { STORY_FIELDS } from './story.dto';
import { Story } from './story.entity';
import type { StoryList } from './story.queries';
import { STORY_TABLES } from './story.queries';

/** A story to create in a list. */
export interface PlacedStory<Ref = never> {
  body: CreateStory;
  seq: number;
  /** Null: the backlog. */
  sprint_id: number | null;
  /** Ignored unless the story is done. Default: now. */
  done_at?: Date | null;
  /** Default: now. */
  created_at?: Date;
  /** More than 1, the default, if events after its creation have changed it. */
  version?: number;
  /** Identifies the story to the caller once it is stored. */
  ref?: Ref;
}

/** The condition for the stories of a board that were written at an instant. */
const WRITTEN_AT = 's.board_id = ? AND s.updated_at = ?';

/** Rows that one SELECT reads. */
const CHUNK = 250;

/** Writes stories of locked boards and records the events. Callers decide whether a change is allowed. */
@Injectable()
export class StoryWriter {
  async create(change: Change, board: LockedBoard, placed: PlacedStory): Promise<StoryView> {
    const story = represent(change, board, placed);
    const id = await change.insert('stories', storyColumns(board.id, story));
    const created = { id, ...story };
    recordEvent(change, board, 'story.created', null, created);
    return created;
  }

  /**
   * Creates stories, many with each statement.
   * @param created called with each story as it is stored, and with its `ref`
   */
  async createMany<Ref>(
    change: Change,
    board: LockedBoard,
    stories: readonly PlacedStory<Ref>[],
    created: (story: StoryView, ref: Ref | undefined) => void,
  ): Promise<void> {
    if (stories.length === 0) return;
    const now = toStored(change.instant);
    // Not every server gives consecutive ids to the rows of one statement, so the new rows are read: the
    // rows of this instant that did not exist before.
    const others = await change.query<{ id: number }>(
      `SELECT s.id FROM stories s WHERE ${WRITTEN_AT}`,
      [board.id, now],
    );
    const before = new Set(others.map(({ id }) => id));
    const refs = new Map<string, Ref[]>();
    const rows = function* (): Generator<Record<string, unknown>> {
      for (const placed of stories) {
        const story = represent(change, board, placed);
        if (placed.ref !== undefined) {
          const key = keyOf(story);
          const equal = refs.get(key);
          if (equal) equal.push(placed.ref);
          else refs.set(key, [placed.ref]);
        }
        yield storyColumns(board.id, story);
      }
    };
    await change.insertMany('stories', rows());
    for (let last = 0, more = true; more;) {
      const rows = await change.query<BriefStoryRow>(
        `SELECT ${BRIEF_COLUMNS} FROM ${STORY_TABLES}
         WHERE ${WRITTEN_AT} AND s.id > ? ORDER BY s.id LIMIT ${CHUNK}`,
        [board.id, now, last],
      );
      const stories = rows.filter(({ id }) => !before.has(id)).map(representBriefStory);
      for await (const brief of withDescriptions(change, stories)) {
        const story = brief as StoryView;
        created(story, refs.size > 0 ? refs.get(keyOf(story))?.shift() : undefined);
        await change.betweenSteps();
      }
      last = rows.at(-1)?.id ?? last;
      more = rows.length === CHUNK;
      await change.flush();
      await change.pause();
    }
  }

  /**
   * Writes the changed fields of a story, and its new list. Only imports send a `done_at`, from another tool.
   * @returns the story after the change, or the same object if nothing changed
   */
  async update<Stored extends BriefStory>(
    change: Change,
    board: LockedBoard,
    stored: Stored,
    body: UpdateStory & { done_at?: string | null },
    to: StoryList,
  ): Promise<Stored> {
    const { title = stored.title, description } = body;
    const changesText = title !== stored.title || description !== undefined;
    const [story = stored] = changesText ? await readDescriptions(change, [stored]) : [stored];
    const next = { ...story, ...writable(body), board_name: to.board.name, sprint_id: to.sprintId };
    const changed = differences(story, next);
    if (!changed) return stored;
    const now = change.instant.toISOString();
    const doneAt = doneAtAfter(changed, now);
    const after: Stored = {
      ...next,
      ...(doneAt !== undefined && { done_at: doneAt }),
      updated_at: now,
      version: story.version + 1,
    };
    const { board_name: boardName, labels, ...columns } = changed;
    await change.update('stories', story.id, {
      updated_at: fromRfc3339(now),
      version: after.version,
      ...columns,
      ...(labels && { labels: storedLabels(labels) }),
      ...(boardName !== undefined && { board_id: to.board.id }),
      ...(doneAt !== undefined && { done_at: doneAt && fromRfc3339(doneAt) }),
      ...(('title' in changed || 'description' in changed) && {
        search: searchable(after.title, after.description as string | null),
      }),
    });
    if (to.board.id !== board.id || to.sprintId !== story.sprint_id) {
      await this.recordMove(change, board, to.board, story, after);
    } else {
      recordEvent(change, board, 'story.updated', story, after);
    }
    return after;
  }

  /** Deletes a story and its tasks; returns the number of tasks. */
  async delete(change: Change, board: LockedBoard, story: StoryView): Promise<number> {
    const { id } = story;
    const tasks = await findTasksOfStories(change, [id]);
    for (const task of tasks) recordEvent(change, board, 'task.deleted', task, null);
    if (tasks.length > 0) await change.manager.delete(Task, { story_id: id });
    await change.manager.delete(Story, id);
    recordEvent(change, board, 'story.deleted', story, null);
    return tasks.length;
  }

  /**
   * Records in the log of the board that a story has a new list or position. A move to another board is
   * recorded in both logs; the log of the new board gets all fields and tasks of the story.
   */
  async recordMove(
    change: Change,
    from: LockedBoard,
    to: LockedBoard,
    before: BriefStory,
    after: BriefStory,
  ): Promise<void> {
    if (from.id === to.id) {
      recordEvent(change, to, 'story.moved', before, after);
      return;
    }
    // Readers of the old board may not see the new one: they get the place of the story there, not its new content.
    const { id, board_name, sprint_id, updated_at, version } = after;
    const changed = changedFields(before, { board_name, sprint_id, updated_at, version });
    // Responses about the story on this board are written later, with the description that it had here.
    if (before.description !== after.description) changed.before.description = before.description;
    // The event gets no `sprint_id`, because the sprint is one of the other board.
    change.record(from, { type: 'story.moved_out', entity: 'story', id, version, ...changed });
    const [full = after] = await readDescriptions(change, [after]);
    const withTasks = { ...full, tasks: await findTasksOfStories(change, [id]) };
    recordEvent(change, to, 'story.moved_in', null, withTasks);
    await change.betweenSteps();
  }
}

/** The representation of a new story, which has no id yet. */
function represent(
  { instant }: Change,
  board: LockedBoard,
  { body, seq, sprint_id, done_at, created_at = instant, version = 1 }: PlacedStory<unknown>,
): Omit<StoryView, 'id'> {
  const { status = 'todo' } = body;
  return {
    board_name: board.name,
    sprint_id,
    title: body.title,
    description: body.description ?? null,
    seq,
    priority: body.priority ?? null,
    status,
    points: body.points ?? null,
    assignee: body.assignee ?? null,
    labels: body.labels ?? [],
    external_id: body.external_id ?? null,
    created_at: created_at.toISOString(),
    updated_at: instant.toISOString(),
    done_at: status === 'done' ? (done_at ?? instant).toISOString() : null,
    version,
  };
}

/** Identifies a new story by its unique `external_id`, or by all its fields: equal stories are interchangeable. */
const keyOf = (story: Omit<StoryView, 'id'>): string =>
  story.external_id ??
  JSON.stringify(STORY_FIELDS.map((name) => (name === 'id' ? null : story[name])));

/** Converts the representation of a story to its columns, as the databases store them. */
export function storyColumns(
  boardId: number,
  { board_name: _, ...story }: Omit<StoryView, 'id'>,
): Record<string, unknown> {
  return {
    board_id: boardId,
    search: searchable(story.title, story.description),
    ...story,
    labels: storedLabels(story.labels),
    created_at: fromRfc3339(story.created_at),
    updated_at: fromRfc3339(story.updated_at),
    done_at: story.done_at && fromRfc3339(story.done_at),
  };
}
