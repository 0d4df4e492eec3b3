import { boardName, flag, Member, ReadOnly, timeZone } from '../http/validation';
import { Shown, shown } from '../http/schema';

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
  @Member(boardName, { required: true, example: 'Team Rocket' })
  name: string;

  @Member(timeZone, { description: 'IANA name of the zone that days are counted in; UTC.' })
  time_zone?: string;
}

@ReadOnly('id', 'revision', 'created_at', 'updated_at', 'version')
export class UpdateBoard {
  @Member(boardName)
  name?: string;

  @Member(timeZone)
  time_zone?: string;
}

export class DeleteBoardQuery {
  @Member(flag, { description: 'Deletes the sprints and stories of the board, too.' })
  force?: boolean;
}
