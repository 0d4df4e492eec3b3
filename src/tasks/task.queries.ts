import type { Reader } from '../database/reader';
import { toRfc3339 } from '../time/clock';
import type { TaskView } from './task.dto';

/** The columns of a task `t`, with the names and in the order of the representation. */
export const TASK_COLUMNS =
  't.id, t.story_id, t.title, t.seq, t.status, t.assignee, t.external_id, t.created_at, t.updated_at, t.done_at, t.version';

/** The representation of a raw row. */
export const representTask = (row: TaskView): TaskView => ({
  ...row,
  created_at: toRfc3339(row.created_at),
  updated_at: toRfc3339(row.updated_at),
  done_at: row.done_at && toRfc3339(row.done_at),
});

/**
 * Reads the tasks of a story in their order. Plain SQL: moving stories reads the tasks of each story, up to
 * 1,000 stories in one change.
 */
export async function findTasks(reader: Reader, storyId: number): Promise<TaskView[]> {
  const rows = await reader.query<TaskView>(
    `SELECT ${TASK_COLUMNS} FROM tasks t WHERE t.story_id = ? ORDER BY t.seq, t.id`,
    [storyId],
  );
  return rows.map(representTask);
}

/** Reads the tasks of several stories, by story and in their order. */
export async function findTasksOfStories(
  reader: Reader,
  storyIds: readonly number[],
): Promise<TaskView[]> {
  if (storyIds.length === 0) return [];
  const rows = await reader.query<TaskView>(
    `SELECT ${TASK_COLUMNS} FROM tasks t WHERE t.story_id IN (${storyIds.map(() => '?').join(', ')})
     ORDER BY t.story_id, t.seq, t.id`,
    storyIds,
  );
  return rows.map(representTask);
}

/** Adds to each story its tasks. */
export function withTasks<Story extends { id: number }>(
  stories: readonly Story[],
  tasks: readonly TaskView[],
): (Story & { tasks: TaskView[] })[] {
  const full = stories.map((story) => ({ ...story, tasks: [] as TaskView[] }));
  const byId = new Map(full.map((story) => [story.id, story]));
  for (const task of tasks) byId.get(task.story_id)?.tasks.push(task);
  return full;
}
