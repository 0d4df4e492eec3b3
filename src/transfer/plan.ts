import type { Status } from '../stories/story.entity';
import type { Skipped, Warnings } from './source';

/** What an import writes. Every value is within the limits of its field. */
export interface ImportPlan {
  sprints: PlannedSprint[];
  /** In their order. */
  stories: PlannedStory[];
  skipped: Skipped[];
  warnings: Warnings;
  unmapped: Map<string, number>;
}

export interface PlannedSprint {
  key: string;
  external_id: string | null;
  name: string | null;
  goal: string | null;
  start_date: string;
  end_date: string | null;
  /** Null if it is open. */
  completed_at: Date | null;
}

export interface PlannedTask {
  line: number;
  external_id: string | null;
  title: string;
  status: Status;
  assignee: string | null;
  /** Null: the time of the import, if it is done. */
  done_at: Date | null;
}

/** A story to create or to update. Fields that the file does not have are absent, and are left as they are. */
export interface PlannedStory {
  line: number;
  external_id: string | null;
  title?: string;
  description?: string | null;
  status?: Status;
  priority?: number | null;
  points?: number | null;
  assignee?: string | null;
  labels?: string[];
  seq?: number | null;
  /** Keys of the sprints that it was in, oldest first; empty for the backlog; absent where the file has none. */
  sprints?: string[];
  done_at?: Date | null;
  tasks?: PlannedTask[];
}
