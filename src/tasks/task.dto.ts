import { ApiProperty, OmitType, PartialType } from '@nestjs/swagger';
import { ReadOnly } from '../http/input/read-only';
import { EnumField, IdField, InstantField, IntegerField } from '../http/responses/schema';
import { IsOneOf } from '../http/validation/choices';
import { IsInt32 } from '../http/validation/numbers';
import { Doc, MayBeAbsent, MayBeAbsentOrNull } from '../http/validation/property';
import { IsText } from '../http/validation/text';
import type { Status } from '../stories/story.entity';
import { STATUSES } from '../stories/story.entity';

/** A task as clients see it. */
export class TaskView {
  @IdField() id: number;
  @IdField() story_id: number;
  @ApiProperty() title: string;
  @IntegerField() seq: number;
  @EnumField(STATUSES) status: Status;
  @ApiProperty() assignee: string | null;
  @ApiProperty() external_id: string | null;
  @InstantField() created_at: string;
  @InstantField() updated_at: string;
  @InstantField() done_at: string | null;
  @IdField() version: number;
}

export class CreateTask {
  @IsText(255, { blank: false }) @Doc({ example: 'Write the migration' }) title: string;
  /** Default: one more than the greatest `seq` of the story's tasks. */
  @MayBeAbsentOrNull() @IsInt32() seq?: number | null;
  @MayBeAbsent() @IsOneOf(STATUSES) status?: Status;
  @MayBeAbsentOrNull() @IsText(100) assignee?: string | null;
  /** Unique in its story. */
  @MayBeAbsentOrNull() @IsText(100) external_id?: string | null;
}

@ReadOnly('id', 'story_id', 'created_at', 'updated_at', 'done_at', 'version')
export class UpdateTask extends PartialType(OmitType(CreateTask, ['seq']), {
  skipNullProperties: false,
}) {
  @MayBeAbsent() @IsInt32() seq?: number;
}
