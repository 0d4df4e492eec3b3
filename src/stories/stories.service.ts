import { Injectable } from '@nestjs/common';
import { findBoard, collectionTag } from '../boards/board.queries';
import { boardForCreation } from '../boards/boards.service';
import { requireUnchanged, requireVersion } from '../http/read-only';
import type { Caller } from '../http/caller';
import { requireMatch } from '../http/etag';
import { Listing } from '../http/listing';
import type { FieldError } from '../http/problem';
import { Problem } from '../http/problem';
import type { Change, LockedBoard } from '../database/change';
import { Restart } from '../database/change';
import { Database } from '../database/database';
import type { Parameter } from '../database/engine';
import { UnitOfWork } from '../database/unit-of-work';
import { changes, differences } from '../events/differences';
import { findTasks } from '../tasks/task.queries';
import { recordMove } from './reseat';
import type {
  CreateStory,
  StoryDeleted,
  StoryListQuery,
  StoryView,
  UpdateStory,
} from './story.dto';
import { GREATEST_SEQ } from './story.entity';
import type { StoryRow } from './story.queries';
import {
  BY_LIST,
  findStory,
  representStory,
  searchable,
  STORY_BY_ID,
  STORY_COLUMNS,
  STORY_TABLES,
  storedLabels,
  storyList,
} from './story.queries';

/** The fault of a body that names a sprint that is not there. */
export const NO_SPRINT: FieldError = {
  pointer: '/sprint_id',
  code: 'not_found',
  detail: 'sprint_id names no sprint',
};

@Injectable()
export class StoriesService {
  constructor(
    private readonly database: Database,
    private readonly unitOfWork: UnitOfWork,
  ) {}

  /** The stories of a sprint. @throws Problem `sprint_not_found` */
  async ofSprint(sprintId: number, query: StoryListQuery): Promise<Listing> {
    const board = await this.database.first<{ id: number; revision: number }>(
      `SELECT b.id, b.revision FROM sprints p JOIN boards b ON b.id = p.board_id
       WHERE p.id = ? AND b.name IS NOT NULL`,
      [sprintId],
    );
    if (!board) throw new Problem('sprint_not_found');
    // The board is named for the sake of the index, which begins with it.
    return this.list(
      board,
      {
        where: 's.board_id = ? AND s.sprint_id = ?',
        parameters: [board.id, sprintId],
        oneList: true,
      },
      query,
      sprintId,
    );
  }

  /** The stories of a board that are in no sprint. @throws Problem `board_not_found` */
  async backlog(boardName: string, query: StoryListQuery): Promise<Listing> {
    const board = await findBoard(this.database, boardName);
    return this.list(
      board,
      { where: 's.board_id = ? AND s.sprint_id IS NULL', parameters: [board.id], oneList: true },
      query,
    );
  }

  /** All stories of a board. @throws Problem `board_not_found` */
  async ofBoard(boardName: string, query: StoryListQuery): Promise<Listing> {
    const board = await findBoard(this.database, boardName);
    return this.list(board, { where: 's.board_id = ?', parameters: [board.id] }, query);
  }

  async show(id: number): Promise<StoryView> {
    const row = await this.database.find<StoryRow>(STORY_BY_ID, id);
    if (!row) throw new Problem('story_not_found');
    return representStory(row);
  }

  /**
   * Creates a story in the sprint that is found in the change.
   * @throws Problem `sprint_not_found`, `sprint_completed`, …
   */
  createInSprint(
    caller: Caller,
    find: (change: Change) => Promise<number>,
    body: CreateStory,
  ): Promise<StoryView> {
    return this.unitOfWork.run(caller, async (change) => {
      const sprintId = await find(change);
      const found = await change.first<{ board_id: number }>(
        'SELECT board_id FROM sprints WHERE id = ?',
        [sprintId],
      );
      const board = found && (await change.lock(found.board_id)).get(found.board_id);
      if (!board || !(await requireOpen(change, board, sprintId))) {
        throw new Problem('sprint_not_found');
      }
      return this.create(change, board, sprintId, body);
    });
  }

  /** Creates a story in the backlog of a board, and the board where it is not there yet. */
  createInBacklog(caller: Caller, boardName: string, body: CreateStory): Promise<StoryView> {
    return this.unitOfWork.run(caller, async (change) => {
      const board = await boardForCreation(change, boardName);
      return this.create(change, board, null, body);
    });
  }

  /** Changes what was sent; a new `sprint_id` moves the story, to another board if need be. */
  update(caller: Caller, id: number, body: UpdateStory): Promise<StoryView> {
    return this.unitOfWork.run(caller, async (change) => {
      const { board, story, target } = await this.take(change, id, body.sprint_id ?? null);
      requireMatch(caller, story);
      requireVersion(body, story);
      // Absent: it stays. Null: its board's backlog. Else the sprint, which may be gone.
      const sprintId = body.sprint_id === undefined ? story.sprint_id : body.sprint_id;
      const moved = sprintId !== story.sprint_id;
      if (moved && story.sprint_id !== null) await requireOpen(change, board, story.sprint_id);
      const targetIsThere =
        !moved || sprintId === null || (target && (await requireOpen(change, target, sprintId)));
      const to = moved && sprintId !== null && target ? target : board;
      const externalId = body.external_id === undefined ? story.external_id : body.external_id;
      if (externalId !== story.external_id || to !== board) {
        await requireFree(change, to, [externalId]);
      }
      requireUnchanged(body, story, targetIsThere ? [] : [NO_SPRINT]);
      return this.store(change, { board, to, story, sprintId, body });
    });
  }

  /** Deletes a story and its tasks. */
  delete(caller: Caller, id: number): Promise<StoryDeleted> {
    return this.unitOfWork.run(caller, async (change) => {
      const { board, story } = await this.take(change, id, null);
      requireMatch(caller, story);
      if (story.sprint_id !== null) await requireOpen(change, board, story.sprint_id);
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
      await change.run('DELETE FROM tasks WHERE story_id = ?', [id]);
      await change.run('DELETE FROM stories WHERE id = ?', [id]);
      change.record(board, {
        type: 'story.deleted',
        entity: 'story',
        id,
        version: story.version + 1,
        before: { ...story },
        after: null,
        was: story,
      });
      return { deleted: true, id, tasks_deleted: tasks.length };
    });
  }

  private list(
    board: { id: number; revision: number },
    scope: Parameters<typeof storyList>[1],
    query: StoryListQuery,
    sprintId?: number,
  ): Listing {
    return new Listing(
      this.database,
      storyList(board, scope, query),
      query,
      // Tomorrow the same path may name another sprint.
      collectionTag(board, sprintId),
    );
  }

  /** Holds the board of a story, and that of the sprint it is to go to, and reads the story. */
  private async take(
    change: Change,
    id: number,
    sprintId: number | null,
  ): Promise<{ board: LockedBoard; story: StoryView; target: LockedBoard | undefined }> {
    const [found] = await change.query<{ board_id: number; target_id: number | null }>(
      `SELECT s.board_id, (SELECT p.board_id FROM sprints p WHERE p.id = ?) AS target_id
       FROM stories s WHERE s.id = ?`,
      [sprintId, id],
    );
    if (!found) throw new Problem('story_not_found');
    const { board_id, target_id } = found;
    const boards = await change.lock(board_id, ...(target_id === null ? [] : [target_id]));
    const row = await change.first<StoryRow & { board_id: number }>(
      `SELECT ${STORY_COLUMNS}, s.board_id FROM ${STORY_TABLES} WHERE s.id = ?`,
      [id],
    );
    if (!row) throw new Problem('story_not_found');
    const { board_id: held, ...story } = row;
    if (held !== board_id && !boards.has(held)) {
      throw new Restart('the story moved to another board', board_id, held);
    }
    const board = boards.get(held);
    if (!board) throw new Problem('story_not_found');
    return {
      board,
      story: representStory(story),
      target: target_id === null ? undefined : boards.get(target_id),
    };
  }

  private async create(
    change: Change,
    board: LockedBoard,
    sprintId: number | null,
    body: CreateStory,
  ): Promise<StoryView> {
    await requireFree(change, board, [body.external_id ?? null]);
    const seq = body.seq ?? (await endOf(change, board, sprintId)) + 1;
    if (seq > GREATEST_SEQ) throw new Problem('seq_exhausted');
    const id = await change.insert('stories', newStory(change, board, sprintId, { ...body, seq }));
    const story = await findStory(change, id);
    if (!story) throw new Error(`story ${id} is not there after it was made`);
    recordCreation(change, board, story);
    return story;
  }

  /** Writes what an update changes, and tells it: in the logs of both boards where it leaves one. */
  async store(
    change: Change,
    update: {
      board: LockedBoard;
      to: LockedBoard;
      story: StoryView;
      sprintId: number | null;
      body: UpdateStory;
    },
  ): Promise<StoryView> {
    const { board, to, story, sprintId, body } = update;
    const { sprint_id: _, ...members } = body;
    const wanted = { ...members, sprint_id: sprintId, board_name: to.name };
    const changed = differences(story, wanted)?.after;
    if (!changed) return story;
    const { board_name: boardName, labels, ...plain } = changed as Partial<StoryView>;
    const columns: Record<string, Parameter> = { ...plain };
    if (boardName !== undefined) columns.board_id = to.id;
    if (labels !== undefined) columns.labels = storedLabels(labels);
    if ('title' in plain || 'description' in plain) {
      const { title = story.title, description = story.description } = plain;
      columns.search = searchable(title, description);
    }
    if ('status' in plain) columns.done_at = plain.status === 'done' ? change.now : null;
    await change.update('stories', story.id, columns);
    const after = await findStory(change, story.id);
    if (!after) throw new Error(`story ${story.id} is not there after it was changed`);
    if (to === board && after.sprint_id === story.sprint_id) {
      change.record(board, {
        type: 'story.updated',
        entity: 'story',
        id: after.id,
        version: after.version,
        ...changes(story, after),
        was: story,
        is: after,
      });
    } else {
      await recordMove(change, board, to, story, after);
    }
    return after;
  }
}

/** The columns of a story that is to be made. */
export function newStory(
  change: Change,
  board: LockedBoard,
  sprintId: number | null,
  body: CreateStory & { seq: number },
): Record<string, Parameter> {
  const { title, description = null, priority = null, status = 'todo', points = null } = body;
  return {
    board_id: board.id,
    sprint_id: sprintId,
    title,
    description,
    seq: body.seq,
    priority,
    status,
    points,
    assignee: body.assignee ?? null,
    labels: storedLabels(body.labels ?? []),
    external_id: body.external_id ?? null,
    search: searchable(title, description),
    created_at: change.now,
    updated_at: change.now,
    done_at: status === 'done' ? change.now : null,
    version: 1,
  };
}

/** Tells that a story was made. */
export function recordCreation(change: Change, board: LockedBoard, story: StoryView): void {
  change.record(board, {
    type: 'story.created',
    entity: 'story',
    id: story.id,
    version: story.version,
    before: null,
    after: { ...story },
    is: story,
  });
}

/** The greatest `seq` of a list, 0 where there is none. */
export async function endOf(
  change: Change,
  board: LockedBoard,
  sprintId: number | null,
): Promise<number> {
  const last = await change.first<{ seq: number }>(
    `SELECT seq FROM stories ${BY_LIST} WHERE board_id = ? AND sprint_id ${sprintId === null ? 'IS NULL' : '= ?'}
     ORDER BY seq DESC LIMIT 1`,
    sprintId === null ? [board.id] : [board.id, sprintId],
  );
  return last?.seq ?? 0;
}

/**
 * Whether a sprint is one of the board.
 * @throws Problem `sprint_completed` where its set of stories is fixed
 */
export async function requireOpen(
  change: Change,
  board: LockedBoard,
  sprintId: number,
): Promise<boolean> {
  const sprint = await change.first<{ completed_at: string | null }>(
    'SELECT completed_at FROM sprints WHERE id = ? AND board_id = ?',
    [sprintId, board.id],
  );
  if (sprint && sprint.completed_at !== null) throw new Problem('sprint_completed');
  return sprint !== undefined;
}

/** @throws Problem `external_id_taken` where a story of the board has one of these */
export async function requireFree(
  change: Change,
  board: LockedBoard,
  externalIds: readonly (string | null)[],
): Promise<void> {
  const given = externalIds.filter((id) => id !== null);
  if (given.length === 0) return;
  const other = await change.first(
    `SELECT id FROM stories WHERE board_id = ? AND external_id IN (${given.map(() => '?').join(', ')}) LIMIT 1`,
    [board.id, ...given],
  );
  if (other) throw new Problem('external_id_taken');
}
