import type { SprintView } from '../../sprints/sprint.dto';
import { storyColumns } from '../../stories/story-writer.service';
import type { StoryView } from '../../stories/story.dto';
import { taskColumns } from '../../tasks/task-writer.service';
import type { TaskView } from '../../tasks/task.dto';
import { fromRfc3339 } from '../../time/clock';
import { OPTIONAL } from '../export/export-validation';

export interface RestoredRows {
  sprint: SprintView;
  story: StoryView;
  task: TaskView;
}
export type RowKind = keyof RestoredRows;

const stored = (instant: string | null): string | null => instant && fromRfc3339(instant);

/** The columns of a sprint, as the databases store them. */
const sprintColumns = (
  boardId: number,
  { board_name: _, state: __, ...sprint }: Omit<SprintView, 'id'>,
): Record<string, unknown> => ({
  ...sprint,
  board_id: boardId,
  started_at: stored(sprint.started_at),
  completed_at: stored(sprint.completed_at),
  created_at: fromRfc3339(sprint.created_at),
  updated_at: fromRfc3339(sprint.updated_at),
});

/** How the rows of a kind are inserted. */
export interface RestoredTable<Row> {
  name: string;
  /**
   * The columns of a row or, without a row, of a placeholder, which is inserted and then deleted to skip an id.
   * @param parentId the id of its board or, for a task, of its story
   */
  columns: (parentId: number, row?: Row) => Record<string, unknown>;
  /** Selects the ids of the rows of several parents that were inserted after an id. */
  inserted: (parents: number) => string;
}

function tableOf<Row>(
  name: string,
  parent: string,
  toColumns: (parentId: number, row: Omit<Row, 'id'>) => Record<string, unknown>,
  placeholder: Omit<Row, 'id'>,
): RestoredTable<Row> {
  return {
    name,
    columns: (parentId, row) => {
      // The database generates the id.
      const { id: _, ...columns } = toColumns(parentId, row ?? placeholder);
      return columns;
    },
    // Without the hint and the `+`, the databases use other indexes, and sort the ids of the whole board.
    inserted: (parents) => `SELECT r.id FROM ${name} r /*! FORCE INDEX (PRIMARY) */
      WHERE r.id > ? AND +r.${parent} IN (${Array(parents).fill('?').join(', ')}) ORDER BY r.id`,
  };
}

const TIME = '2000-01-01T00:00:00.000Z';
const TIMES = { created_at: TIME, updated_at: TIME, version: 1 };
const WORK = { title: '-', seq: 0, status: 'todo' as const, ...TIMES };

export const TABLES: { [Kind in RowKind]: RestoredTable<RestoredRows[Kind]> } = {
  sprint: tableOf<SprintView>('sprints', 'board_id', sprintColumns, {
    ...(OPTIONAL.sprint as unknown as SprintView),
    start_date: '2000-01-01',
    ...TIMES,
  }),
  story: tableOf<StoryView>('stories', 'board_id', storyColumns, {
    ...(OPTIONAL.story as unknown as StoryView),
    labels: [],
    ...WORK,
  }),
  task: tableOf<TaskView>('tasks', 'story_id', taskColumns, {
    ...(OPTIONAL.task as unknown as TaskView),
    ...WORK,
  }),
};
