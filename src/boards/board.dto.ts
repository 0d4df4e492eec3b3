import { PartialType } from '@nestjs/swagger';
import { ReadOnly } from '../http/read-only';
import { Shown, shown } from '../http/schema';
import { Doc, IsBoardName, IsFlag, IsTimeZone, Optional } from '../http/validation';

/** A board as clients see it. */
export class BoardView {
  @Shown(shown.id)
  id: number;

  @Shown(shown.text)
  name: string;

  @Shown(shown.text)
  time_zone: string;

  @Shown({ ...shown.count, description: 'Number of the latest event of the log.' })
  revision: number;

  @Shown(shown.instant)
  created_at: string;

  @Shown(shown.instant)
  updated_at: string;

  @Shown(shown.id)
  version: number;
}

export class CreateBoard {
  @IsBoardName()
  @Doc({ example: 'Team Rocket' })
  name: string;

  @Optional()
  @IsTimeZone()
  @Doc({ description: 'IANA name of the time zone that dates are in. Default: UTC.' })
  time_zone?: string;
}

@ReadOnly('id', 'revision', 'created_at', 'updated_at', 'version')
export class UpdateBoard extends PartialType(CreateBoard, { skipNullProperties: false }) {}

export class DeleteBoardQuery {
  @Optional()
  @IsFlag()
  @Doc({ description: 'Also deletes the sprints and stories of the board.' })
  force?: boolean;
}
