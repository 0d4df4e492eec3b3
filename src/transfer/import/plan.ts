import type { CreateBoard } from '../../boards/board.dto';
import type { CreateStory } from '../../stories/story.dto';
import type { Status } from '../../stories/story.entity';
import type { Warnings } from '../files/source';
import type { Mapping, SkippedRow } from './import.dto';

/** The data, besides the file and the mapping, that a plan depends on. */
export interface PlanContext {
  now: Date;
  /** The time zone of the board; the mapping may name another one. */
  timeZone: string;
  /** A cell of a table with this text counts as empty. */
  nullText?: string;
}

/** The rows that an import writes. Every value is within the limits of its field. */
export interface ImportPlan {
  /** The fields of the board, if the import creates it. */
  board?: Pick<CreateBoard, 'time_zone' | 'working_days'>;
  sprints: PlannedSprint[];
  /** In their order. */
  stories: PlannedStory[];
  skipped: SkippedRow[];
  warnings: Warnings;
  /** Statuses and priorities whose meaning is unknown, and how often they occur. */
  unmapped: Map<string, number>;
  unmappedPriorities?: Map<string, number>;
  /**
   * The mapping as it was applied: the columns that were recognised, what each status of the file became,
   * the order of dates, … An import with it has the same plan. `apply` finds the assumed dates of new sprints,
   * which the response adds.
   */
  mapping?: Mapping;
}

export interface PlannedSprint {
  key: string;
  /**
   * The value of the column `sprint` of our own CSV, without white space at the ends. The sprint is that for which an
   * export of the board has this value, otherwise one with this name.
   */
  label?: string;
  external_id: string | null;
  name: string | null;
  /** Null leaves the goal of an existing sprint as it is. */
  goal: string | null;
  start_date: string;
  end_date: string | null;
  /**
   * Whether the dates are assumed, because the file has none. An existing sprint keeps its own dates; for a new
   * one, `apply` adds the warning `dates_assumed`.
   */
  assumed?: boolean;
  /**
   * Whether it is open and the file has no dates for it. The plan assumes a board without sprints; if the sprint is
   * new, `apply` assigns it dates after those of the last sprint.
   */
  follows?: boolean;
  /** Null if it is open. */
  completed_at: Date | null;
  /**
   * When it was created; only in our own format. A sprint of the board without an `external_id` is recognised
   * by this time and its name.
   */
  created_at?: Date;
  started_at?: Date | null;
}

/** A task to create or to update. Fields that the file does not have are absent, and are left as they are. */
export interface PlannedTask {
  line: number;
  external_id: string | null;
  title: string;
  status?: Status;
  assignee?: string | null;
  /** Null if it is not done, or if the file has no time; it then becomes done at the time of the import. */
  done_at: Date | null;
  /** When it was created; only in our own format. */
  created_at?: Date;
  seq?: number;
}

/** A story to create or to update. Fields that the file does not have are absent, and are left as they are. */
export interface PlannedStory extends Partial<Omit<CreateStory, 'external_id'>> {
  line: number;
  external_id: string | null;
  /** Keys of the sprints that it was in, oldest first; empty for the backlog; absent if the file has no sprints. */
  sprints?: string[];
  /** As of a task. */
  done_at?: Date | null;
  /**
   * When it was created; only in our own format. A story of the board without an `external_id` is recognised
   * by this time and its title.
   */
  created_at?: Date;
  tasks?: PlannedTask[];
  /**
   * Of a sub-task whose story is not in the file: the `external_id` of that story. If the board has the story,
   * and does not have the sub-task as a story, the sub-task becomes a task.
   */
  parent?: string;
}

/** The fields of a planned story that a client can write. */
export function fieldsOf({
  line: _,
  sprints: _sprints,
  parent: _parent,
  tasks: _tasks,
  done_at: _doneAt,
  created_at: _createdAt,
  ...fields
}: PlannedStory): Partial<CreateStory> {
  return fields;
}
