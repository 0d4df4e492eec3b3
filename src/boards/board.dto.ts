import { ApiProperty, PartialType } from '@nestjs/swagger';
import { ReadOnly } from '../http/input/read-only';
import { CountField, IdField, InstantField } from '../http/responses/schema';
import { IsFlag } from '../http/validation/choices';
import { IsListOf } from '../http/validation/collections';
import { Doc, MayBeAbsent } from '../http/validation/property';
import { IsBoardName, IsTimeZone } from '../http/validation/text';
import type { Weekday } from './working-days';
import { WEEKDAYS } from './working-days';

/** A board as clients see it. */
export class BoardView {
  @IdField() id: number;
  @ApiProperty() name: string;
  @ApiProperty() time_zone: string;
  /** In the order of the week. */
  @Doc({ type: 'array', items: { type: 'string', enum: [...WEEKDAYS] } }) working_days: Weekday[];
  /** Number of the latest event of the log. */
  @CountField() revision: number;
  @InstantField() created_at: string;
  @InstantField() updated_at: string;
  @IdField() version: number;
}

export class CreateBoard {
  @IsBoardName() @Doc({ example: 'Team Rocket' }) name: string;
  /** IANA name of the time zone that dates are in. A new board is in UTC by default. */
  @MayBeAbsent() @IsTimeZone() time_zone?: string;
  /** At least one. A new board has Monday to Friday by default. */
  @MayBeAbsent() @IsListOf(WEEKDAYS) working_days?: Weekday[];
}

@ReadOnly('id', 'revision', 'created_at', 'updated_at', 'version')
export class UpdateBoard extends PartialType(CreateBoard, { skipNullProperties: false }) {}

export class DeleteBoardQuery {
  /** Also deletes the sprints and stories of the board. */
  @MayBeAbsent() @IsFlag() force?: boolean;
}
