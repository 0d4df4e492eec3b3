import type { SprintView } from '../../sprints/sprint.dto';
import type { StoryView } from '../../stories/story.dto';
import { storyColumns } from '../../stories/story-writer.service';
import type { TaskView } from '../../tasks/task.dto';
import { fromRfc3339 } from '../../time/clock';
import type { FileIds } from './restore-survey';

type Cell = string | number | null;

/** How the rows of a kind are inserted. */
export interface Table {
  name: string;
  columns: readonly string[];
  /** Selects the ids of the rows of the restored board that were inserted after an id. */
  inserted: string;
}

/** A placeholder that uses up an id: it is inserted and then deleted. */
const NO_STORY: Omit<StoryView, 'id'> = {
  ...{ board_name: '', sprint_id: null, title: '-', description: null, seq: 0, priority: null },
  ...{ status: 'todo', points: null, assignee: null, labels: [], external_id: null },
  ...{ created_at: '2000-01-01T00:00:00.000Z', updated_at: '2000-01-01T00:00:00.000Z' },
  ...{ done_at: null, version: 1 },
};
const STORY_COLUMNS = Object.keys(storyColumns(0, NO_STORY));

const TIMES = ['created_at', 'updated_at', 'version'] as const;

/** Without the hint and the `+`, the databases use other indexes, and sort the ids of the whole board. */
const insertedInto = (name: string, condition: string): string =>
  `SELECT r.id FROM ${name} r /*! FORCE INDEX (PRIMARY) */ WHERE r.id > ? AND +r.${condition} ORDER BY r.id`;

export const TABLES = {
  sprint: {
    name: 'sprints',
    columns: [
      ...['board_id', 'name', 'goal', 'start_date', 'end_date', 'started_at', 'completed_at'],
      ...['external_id', ...TIMES],
    ],
    inserted: insertedInto('sprints', 'board_id = ?'),
  },
  story: {
    name: 'stories',
    columns: STORY_COLUMNS,
    inserted: insertedInto('stories', 'board_id = ?'),
  },
  task: {
    name: 'tasks',
    columns: [
      ...['story_id', 'title', 'seq', 'status', 'assignee', 'external_id', 'done_at', ...TIMES],
    ],
    inserted: insertedInto('tasks', 'story_id IN (?)'),
  },
} satisfies Record<string, Table>;
export type RowKind = keyof typeof TABLES;

export type Row<K extends RowKind> = { sprint: SprintView; story: StoryView; task: TaskView }[K];

const NOW = '2000-01-01 00:00:00.000';
/** The times and the version of a placeholder. */
const NONE = [NOW, NOW, 1] as const;

const stored = (instant: string | null): string | null => instant && fromRfc3339(instant);

const timesOf = (row: { created_at: string; updated_at: string; version: number }): Cell[] => [
  stored(row.created_at),
  stored(row.updated_at),
  row.version,
];

/** The cells of a sprint or, without a row, of a placeholder. */
export const sprintCells = (boardId: number, row: SprintView | undefined): Cell[] =>
  row
    ? [
        ...[boardId, row.name, row.goal, row.start_date, row.end_date],
        ...[stored(row.started_at), stored(row.completed_at), row.external_id],
        ...timesOf(row),
      ]
    : [boardId, null, null, '2000-01-01', null, null, null, null, ...NONE];

/** The cells of a story or, without a row, of a placeholder. */
export function storyCells(boardId: number, row: StoryView | undefined, ids: FileIds): Cell[] {
  const sprint_id = row?.sprint_id && (ids.sprint.get(row.sprint_id) ?? null);
  const columns = storyColumns(boardId, row ? { ...row, sprint_id: sprint_id || null } : NO_STORY);
  return STORY_COLUMNS.map((name) => columns[name] as Cell);
}

/** The cells of a task or, without a row, of a placeholder. */
export const taskCells = (storyId: number, row: TaskView | undefined): Cell[] =>
  row
    ? [
        ...[storyId, row.title, row.seq, row.status, row.assignee, row.external_id],
        ...[stored(row.done_at), ...timesOf(row)],
      ]
    : [storyId, '-', 0, 'todo', null, null, null, ...NONE];
