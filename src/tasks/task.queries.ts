import { toRfc3339 } from '../time/clock';
import type { Reader } from '../database/engine';
import type { TaskView } from './task.dto';

/** Columns bear the names, and stand in the order, of the representation. */
export const TASK_COLUMNS =
  't.id, t.story_id, t.title, t.seq, t.status, t.assignee, t.created_at, t.updated_at, t.done_at, t.version';

/** Turns a row into the representation, in place. */
export function representTask(row: TaskView): TaskView {
  row.created_at = toRfc3339(row.created_at);
  row.updated_at = toRfc3339(row.updated_at);
  if (row.done_at !== null) row.done_at = toRfc3339(row.done_at);
  return row;
}

/** The tasks of a story in their order. */
export async function findTasks(reader: Reader, storyId: number): Promise<TaskView[]> {
  const rows = await reader.query<TaskView>(
    `SELECT ${TASK_COLUMNS} FROM tasks t WHERE t.story_id = ? ORDER BY t.seq, t.id`,
    [storyId],
  );
  return rows.map(representTask);
}
