import { PartialType } from '@nestjs/swagger';
import { PageQuery } from '../http/listing';
import { ReadOnly } from '../http/read-only';
import { Deleted, Shown, shown } from '../http/schema';
import {
  Doc,
  IsCalendarDate,
  IsFlag,
  IsOneOf,
  IsText,
  NotBefore,
  Nullable,
  Optional,
} from '../http/validation';
import { StoryView } from '../stories/story.dto';
import { TaskView } from '../tasks/task.dto';

export const SPRINT_STATES = ['planned', 'active', 'ended', 'completed'] as const;
export type SprintState = (typeof SPRINT_STATES)[number];

/** The representation of a sprint. */
export class SprintView {
  @Shown(shown.id)
  id: number;

  @Shown(shown.text)
  board_name: string;

  @Shown(shown.text, { nullable: true })
  name: string | null;

  @Shown(shown.text, { nullable: true })
  goal: string | null;

  @Shown(shown.date)
  start_date: string;

  @Shown({ ...shown.date, description: 'Inclusive.' }, { nullable: true })
  end_date: string | null;

  @Shown({ type: 'string', enum: SPRINT_STATES })
  state: SprintState;

  @Shown(shown.instant, { nullable: true })
  completed_at: string | null;

  @Shown(shown.instant)
  created_at: string;

  @Shown(shown.instant)
  updated_at: string;

  @Shown(shown.id)
  version: number;
}

export class StoryWithTasks extends StoryView {
  @Shown({ type: () => [TaskView] })
  tasks: TaskView[];
}

/** A sprint with its stories and their tasks. */
export class FullSprint extends SprintView {
  @Shown({ type: () => [StoryWithTasks] })
  stories: StoryWithTasks[];
}

export class SprintDeleted extends Deleted {
  @Shown(shown.count)
  stories_moved_to_backlog: number;
}

export class CreateSprint {
  @Doc({
    description: 'Of a date-time the calendar date that is written in it.',
    example: '2026-11-23',
  })
  @IsCalendarDate()
  start_date: string;

  @Doc({ description: 'Inclusive; not before `start_date`.' })
  @Nullable()
  @NotBefore('start_date')
  @IsCalendarDate()
  end_date?: string | null;

  @Nullable()
  @IsText(100)
  name?: string | null;

  @Nullable()
  @IsText(2000)
  goal?: string | null;
}

@ReadOnly('id', 'board_name', 'state', 'completed_at', 'created_at', 'updated_at', 'version')
export class UpdateSprint extends PartialType(CreateSprint, { skipNullProperties: false }) {}

export class DeleteSprintQuery {
  @Doc({ description: 'Deletes a completed sprint, too.' })
  @Optional()
  @IsFlag()
  force?: boolean;
}

export class SprintListQuery extends PageQuery {
  @Optional()
  @IsOneOf(SPRINT_STATES)
  state?: SprintState;
}
