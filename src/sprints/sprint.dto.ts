import { ApiProperty, PartialType } from '@nestjs/swagger';
import { ReadOnly } from '../http/input/read-only';
import { PageQuery } from '../http/lists/page.dto';
import {
  CountField,
  DateField,
  Deleted,
  EnumField,
  IdField,
  InstantField,
} from '../http/responses/schema';
import { IsFlag, IsOneOf } from '../http/validation/choices';
import { IsCalendarDate, NotBefore } from '../http/validation/dates';
import { Doc, MayBeAbsent, MayBeAbsentOrNull } from '../http/validation/property';
import { IsText } from '../http/validation/text';
import { StoryView } from '../stories/story.dto';
import { TaskView } from '../tasks/task.dto';

export const SPRINT_STATES = ['planned', 'active', 'ended', 'completed'] as const;
export type SprintState = (typeof SPRINT_STATES)[number];

/** The representation of a sprint. */
export class SprintView {
  @IdField() id: number;
  @ApiProperty() board_name: string;
  @ApiProperty() name: string | null;
  @ApiProperty() goal: string | null;
  @DateField() start_date: string;
  /** Inclusive. */
  @DateField() end_date: string | null;
  @EnumField(SPRINT_STATES) state: SprintState;
  @InstantField({ description: 'When it was started; null if it was not.' }) started_at:
    string | null;
  @InstantField() completed_at: string | null;
  @ApiProperty() external_id: string | null;
  @InstantField() created_at: string;
  @InstantField() updated_at: string;
  @IdField() version: number;
}

export class StoryWithTasks extends StoryView {
  @ApiProperty() tasks: TaskView[];
}

/** A sprint with its stories and their tasks. */
export class SprintInFullView extends SprintView {
  @ApiProperty() stories: StoryWithTasks[];
}

export class SprintDeleted extends Deleted {
  @CountField() stories_moved_to_backlog: number;
}

export class CreateSprint {
  /** A date-time is accepted, too; its calendar date is used as it is written. */
  @IsCalendarDate() @Doc({ example: '2026-11-23' }) start_date: string;
  /** Inclusive; not before `start_date`. */
  @MayBeAbsentOrNull() @NotBefore('start_date') @IsCalendarDate() end_date?: string | null;
  @MayBeAbsentOrNull() @IsText(100) name?: string | null;
  @MayBeAbsentOrNull() @IsText(2000) goal?: string | null;
  /** Unique on its board. */
  @MayBeAbsentOrNull() @IsText(100) external_id?: string | null;
}

@ReadOnly(
  'id',
  'board_name',
  'state',
  'started_at',
  'completed_at',
  'created_at',
  'updated_at',
  'version',
)
export class UpdateSprint extends PartialType(CreateSprint, { skipNullProperties: false }) {}

export class DeleteSprintQuery {
  /** Deletes a completed sprint, too. */
  @MayBeAbsent() @IsFlag() force?: boolean;
}

export class SprintListQuery extends PageQuery {
  @MayBeAbsent() @IsOneOf(SPRINT_STATES) state?: SprintState;
}
