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
interface RestoredTable<Row> {
  name: string;
  /** The column of its board or, for a task, of its story. */
  parent: string;
  columns: (parentId: number, row: Omit<Row, 'id'>) => Record<string, unknown>;
  /** A row that is inserted and then deleted, to use up an id. */
  placeholder: Omit<Row, 'id'>;
}

const TIME = '2000-01-01T00:00:00.000Z';
const TIMES = { created_at: TIME, updated_at: TIME, version: 1 };
const WORK = { title: '-', seq: 0, status: 'todo' as const, ...TIMES };

export const TABLES: { [Kind in RowKind]: RestoredTable<RestoredRows[Kind]> } = {
  sprint: {
    name: 'sprints',
    parent: 'board_id',
    columns: sprintColumns,
    placeholder: {
      ...(OPTIONAL.sprint as unknown as SprintView),
      start_date: '2000-01-01',
      ...TIMES,
    },
  },
  story: {
    name: 'stories',
    parent: 'board_id',
    columns: storyColumns,
    placeholder: { ...(OPTIONAL.story as unknown as StoryView), labels: [], ...WORK },
  },
  task: {
    name: 'tasks',
    parent: 'story_id',
    columns: taskColumns,
    placeholder: { ...(OPTIONAL.task as unknown as TaskView), ...WORK },
  },
};
