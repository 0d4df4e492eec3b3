/** The formats that an import reads. */
export const IMPORT_FORMATS = [
  'sprintline',
  'csv',
  'jira-csv',
  'jira-json',
  'trello',
  'taiga',
  'linear-csv',
  'github',
] as const;
export type ImportFormat = (typeof IMPORT_FORMATS)[number];

export const DATE_ORDERS = ['dmy', 'mdy', 'ymd'] as const;
export type DateOrder = (typeof DATE_ORDERS)[number];

/** How an import reads what a file leaves open. */
export class Mapping {
  /** Columns of the file, by the field that is read from them. */
  columns?: Record<string, string>;
  /** Our statuses by those of the file. */
  status?: Record<string, 'todo' | 'in_progress' | 'done'>;
  priority?: Record<string, number>;
  /** Dates of the sprints that have none in the file, by their names. */
  sprints?: Record<string, { start_date: string; end_date?: string | null }>;
  date_order?: DateOrder;
  /** Of the dates in the file that have none; default: that of the board. */
  time_zone?: string;
  /** What sub-tasks become. */
  subtasks?: 'tasks' | 'stories' | 'skip';
  archived?: 'skip' | 'import';
}
