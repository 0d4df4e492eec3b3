import type { CreateBoard } from '../../boards/board.dto';
import type { CreateStory } from '../../stories/story.dto';
import type { Status } from '../../stories/story.entity';
import type { Mapping } from './import.dto';
import type { Skipped, Warnings } from '../files/source';

/** What a plan depends on besides the file and the mapping. */
export interface PlanContext {
  now: Date;
  /** Of the board; the mapping may name another one. */
  timeZone: string;
  /** A cell of a table with this text is empty. */
  nullText?: string;
}

/** What an import writes. Every value is within the limits of its field. */
export interface ImportPlan {
  /** What the board gets, if the import creates it. */
  board?: Pick<CreateBoard, 'time_zone' | 'working_days'>;
  sprints: PlannedSprint[];
  /** In their order. */
  stories: PlannedStory[];
  skipped: Skipped[];
  warnings: Warnings;
  /** Statuses, and priorities, that nothing says the meaning of, with the number of stories. */
  unmapped: Map<string, number>;
  unmappedPriorities?: Map<string, number>;
  /**
   * The mapping as it was applied: the columns that were recognised, what each status of the file became,
   * the order of dates, … Sent back, it gives the same plan.
   */
  mapping?: Mapping;
}

export interface PlannedSprint {
  key: string;
  /** The file names a sprint of the board by its id; it is found by its name if the board has none of this id. */
  id?: number;
  external_id: string | null;
  name: string | null;
  /** Null leaves the goal of an existing sprint as it is. */
  goal: string | null;
  start_date: string;
  end_date: string | null;
  /**
   * The file has no dates of it. An existing sprint keeps its own; of a new one `apply` adds the warning
   * `dates_assumed`, so that only sprints that are created have it.
   */
  assumed?: boolean;
  /** Null if it is open. */
  completed_at: Date | null;
  /**
   * When it was created, of our own format. A sprint of the board without an `external_id` is recognised by
   * this and its name.
   */
  created_at?: Date;
  started_at?: Date | null;
}

export interface PlannedTask {
  line: number;
  external_id: string | null;
  title: string;
  status: Status;
  assignee: string | null;
  /** Null: the time of the import, if it is done. */
  done_at: Date | null;
  /** As of a story. */
  created_at?: Date;
  seq?: number;
}

/** A story to create or to update. Fields that the file does not have are absent, and are left as they are. */
export interface PlannedStory extends Partial<Omit<CreateStory, 'external_id'>> {
  line: number;
  external_id: string | null;
  /** Keys of the sprints that it was in, oldest first; empty for the backlog; absent where the file has none. */
  sprints?: string[];
  done_at?: Date | null;
  /**
   * When it was created, of our own format. A story of the board without an `external_id` is recognised by
   * this and its title.
   */
  created_at?: Date;
  tasks?: PlannedTask[];
  /**
   * A sub-task: the `external_id` of its story, which the file does not have. It becomes a task of that story
   * if the board has the story, but not the sub-task as a story.
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
