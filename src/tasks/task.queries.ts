import type { Change } from '../database/change';
import type { Reader } from '../database/reader';
import { placeholders } from '../database/reader';
import { externalIdTaken } from '../http/problem';
import { toRfc3339 } from '../time/clock';
import type { TaskView } from './task.dto';

/** The columns of the representation of a task `t`, in its order. */
export const TASK_COLUMNS =
  't.id, t.story_id, t.title, t.seq, t.status, t.assignee, t.external_id, t.created_at, t.updated_at, t.done_at, t.version';

/** The representation of a row of `TASK_COLUMNS`, whose times are as they are stored. */
export const representTask = (row: TaskView): TaskView => ({
  id: row.id,
  story_id: row.story_id,
  title: row.title,
  seq: row.seq,
  status: row.status,
  assignee: row.assignee,
  external_id: row.external_id,
  created_at: toRfc3339(row.created_at),
  updated_at: toRfc3339(row.updated_at),
  done_at: row.done_at && toRfc3339(row.done_at),
  version: row.version,
});

/** The most tasks of a story: if it moves to another board, one event contains all of them. */
export const MAX_TASKS = 1000;

// Plain SQL, because a batch runs these up to 1,000 times while it holds the lock.

/** Reads a task and its board; undefined if either is deleted. */
export async function findTask(
  reader: Reader,
  id: number,
): Promise<{ task: TaskView; board: { id: number; name: string; revision: number } } | undefined> {
  const [row] = await reader.query<
    TaskView & { board_id: number; board_name: string; revision: number }
  >(
    `SELECT ${TASK_COLUMNS}, b.id AS board_id, b.name AS board_name, b.revision
     FROM tasks t JOIN stories s ON s.id = t.story_id JOIN boards b ON b.id = s.board_id
     WHERE t.id = ? AND b.name IS NOT NULL`,
    [id],
  );
  if (!row) return undefined;
  const board = { id: row.board_id, name: row.board_name, revision: row.revision };
  return { task: representTask(row), board };
}

/** Reads the board of a story, the number of its tasks and their greatest `seq`; undefined without the story. */
export async function findEndOfTasks(change: Change, storyId: number) {
  const [row] = await change.query<{ board_id: number; count: number; last: number | null }>(
    `SELECT s.board_id, (SELECT COUNT(*) FROM tasks t WHERE t.story_id = s.id) AS count,
       (SELECT MAX(t.seq) FROM tasks t WHERE t.story_id = s.id) AS last FROM stories s WHERE s.id = ?`,
    [storyId],
  );
  return row;
}

/** @throws Problem `external_id_taken` if a task of the story has this `external_id` */
export async function requireFreeExternalId(
  change: Change,
  storyId: number,
  externalId: string | null,
): Promise<void> {
  if (externalId === null) return;
  // The index of the story's order finds its tasks, at most 1,000.
  const sql = 'SELECT t.id FROM tasks t WHERE t.story_id = ? AND t.external_id = ? LIMIT 1';
  const [other] = await change.query(sql, [storyId, externalId]);
  if (other) throw externalIdTaken('task of the story', externalId);
}

/**
 * Reads the tasks of stories, by story and in their order. Plain SQL: moving stories to another board reads those of
 * up to 1,000 stories in one change.
 */
export async function findTasksOfStories(
  reader: Reader,
  storyIds: readonly number[],
): Promise<TaskView[]> {
  if (storyIds.length === 0) return [];
  const rows = await reader.query<TaskView>(
    `SELECT ${TASK_COLUMNS} FROM tasks t WHERE t.story_id IN (${placeholders(storyIds)})
     ORDER BY t.story_id, t.seq, t.id`,
    storyIds,
  );
  return rows.map(representTask);
}

/**
 * At most `limit` tasks of stories, by story and in their order; none if the board has another revision. Plain SQL,
 * because the current sprint with its stories and tasks is what wall displays request most often, and one statement
 * reads the tasks and checks the revision.
 */
export async function findTasksAtRevision(
  reader: Reader,
  board: { id: number; revision: number },
  storyIds: readonly number[],
  limit: number,
): Promise<TaskView[]> {
  if (storyIds.length === 0) return [];
  const rows = await reader.query<TaskView>(
    `SELECT ${TASK_COLUMNS} FROM boards b JOIN tasks t ON t.story_id IN (${placeholders(storyIds)})
     WHERE b.id = ? AND b.revision = ? ORDER BY t.story_id, t.seq, t.id LIMIT ${limit}`,
    [...storyIds, board.id, board.revision],
  );
  return rows.map(representTask);
}

/** Adds to each story its tasks. Not by a spread; see docs/performance.md. */
export function withTasks<Story extends { id: number }>(
  stories: readonly Story[],
  tasks: readonly TaskView[],
): (Story & { tasks: TaskView[] })[] {
  const full = stories.map((story) => Object.assign(story, { tasks: [] as TaskView[] }));
  const byId = new Map(full.map((story) => [story.id, story]));
  for (const task of tasks) byId.get(task.story_id)?.tasks.push(task);
  return full;
}
