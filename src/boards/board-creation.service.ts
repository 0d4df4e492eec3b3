import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { Config } from '../config/config';
import type { LockedBoard } from '../database/board-row';
import type { Change } from '../database/change';
import { Database } from '../database/database';
import { isRepeated } from '../database/idempotency';
import { UnitOfWork } from '../database/unit-of-work';
import { recordEvent } from '../events/record-event';
import { maySee } from '../http/access';
import type { Caller } from '../http/caller';
import { Problem } from '../http/problem';
import { BoardLoader } from './board-loader.service';
import type { BoardView, CreateBoard } from './board.dto';
import { Board } from './board.entity';
import { representBoard } from './board.queries';
import { Interrupted } from './change-in-parts';
import { DEFAULT_WORKING_DAYS, storedWorkingDays } from './working-days';

type Fields = Omit<CreateBoard, 'name'>;

const DEFAULT_TIME_ZONE = 'UTC';

/** Creates boards, by a request or with the first rows that are created in them. */
@Injectable()
export class BoardCreation {
  constructor(
    @InjectRepository(Board) private readonly boards: Repository<Board>,
    private readonly database: Database,
    private readonly unitOfWork: UnitOfWork,
    private readonly loader: BoardLoader,
    private readonly config: Config,
  ) {}

  /** @throws Problem `name_taken` */
  create(caller: Caller, { name, ...fields }: CreateBoard): Promise<BoardView> {
    return this.unitOfWork.run(caller, async (change) => {
      const board = await this.lockOrCreate(change, name, fields);
      if (board.revision > 0) throw new Problem('name_taken');
      return this.recordCreation(change, board);
    });
  }

  /** Returns the time zone of a board; if the board does not exist, the default. */
  async timeZoneOf(name: string): Promise<string> {
    const board = await this.database.read(() => this.boards.findOneBy({ name }));
    return board?.time_zone ?? DEFAULT_TIME_ZONE;
  }

  /**
   * Locks the board with this name for a change that creates something in it; creates the board if it
   * does not exist and CREATE_BOARDS is `implicit`.
   * @throws Problem `board_not_found`, including when the caller may not see it
   */
  async boardForCreation(change: Change, name: string, fields: Fields = {}): Promise<LockedBoard> {
    if (this.config.createBoards === 'explicit') return change.lockNamed(name);
    const board = await this.lockOrCreate(change, name, fields);
    if (board.revision === 0) this.recordCreation(change, board);
    return board;
  }

  /**
   * Creates a board with a change that is too long for one transaction, if there is no board with the name.
   * @returns undefined if the board must be filled by a change in one transaction
   * @throws Problem that `work` throws
   */
  async createByParts<T extends object>(
    caller: Caller,
    name: string,
    { time_zone = DEFAULT_TIME_ZONE, working_days = DEFAULT_WORKING_DAYS }: Fields,
    work: (change: Change, board: LockedBoard) => Promise<T>,
    options: { dryRun?: boolean },
  ): Promise<T | undefined> {
    const mayCreate = this.config.createBoards === 'implicit' && maySee(caller, name);
    if (!mayCreate) return undefined;
    if (await this.database.read(() => this.boards.existsBy({ name }))) return undefined;
    // The change would be made, and perhaps be rejected, before its key is claimed.
    if (await isRepeated(this.database, caller.idempotency)) return undefined;
    try {
      return await this.loader.create(
        caller,
        { name, time_zone, working_days },
        (change, board) => {
          this.recordCreation(change, board);
          return work(change, board);
        },
        options,
      );
    } catch (error) {
      const isTaken = error instanceof Problem && error.code === 'name_taken';
      if (isTaken || error instanceof Interrupted) return undefined;
      throw error;
    }
  }

  private lockOrCreate(
    change: Change,
    name: string,
    { time_zone = DEFAULT_TIME_ZONE, working_days = DEFAULT_WORKING_DAYS }: Fields,
  ): Promise<LockedBoard> {
    return change.lockOrCreate(name, time_zone, storedWorkingDays(working_days));
  }

  private recordCreation(change: Change, board: LockedBoard): BoardView {
    const created = { ...representBoard(board), revision: 1 };
    recordEvent(change, board, 'board.created', null, created);
    return created;
  }
}
