import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { TokensService } from '../auth/tokens.service';
import { Config } from '../config/config';
import type { Change, LockedBoard } from '../database/change';
import { BOARD_COLUMNS } from '../database/change';
import { Database } from '../database/database';
import { failureOf } from '../database/errors';
import { UnitOfWork } from '../database/unit-of-work';
import { differences } from '../events/differences';
import { recordEvent } from '../events/record-event';
import { maySee } from '../http/access';
import type { Caller } from '../http/caller';
import { requireUnchanged, requireVersion, writable } from '../http/input/read-only';
import { column } from '../http/lists/keyset';
import { Listing } from '../http/lists/listing';
import type { PageQuery } from '../http/lists/page.dto';
import { Problem } from '../http/problem';
import { atRevision } from '../http/responses/board-revision';
import { requireMatch } from '../http/responses/etag';
import type { Deleted } from '../http/responses/schema';
import { toStored } from '../time/clock';
import { BoardLoader } from './board-loader.service';
import { BoardSweeper } from './board-sweeper';
import type { BoardView, CreateBoard, UpdateBoard } from './board.dto';
import { Board } from './board.entity';
import { findBoard, representBoard, whereVisible } from './board.queries';
import { Interrupted } from './change-in-parts';
import { DEFAULT_WORKING_DAYS, parseWorkingDays, storedWorkingDays } from './working-days';

@Injectable()
export class BoardsService {
  constructor(
    @InjectRepository(Board) private readonly boards: Repository<Board>,
    private readonly database: Database,
    private readonly unitOfWork: UnitOfWork,
    private readonly tokens: TokensService,
    private readonly sweeper: BoardSweeper,
    private readonly loader: BoardLoader,
    private readonly config: Config,
  ) {}

  /** The boards that the caller may see. Each has its own revision, so the list has no tag of its own. */
  list(caller: Caller, page: PageQuery): Listing {
    return new Listing(
      this.database,
      {
        query: () =>
          whereVisible(this.boards.createQueryBuilder('b').select(BOARD_COLUMNS), caller),
        order: [column('name', 'b', 'text')],
        indexed: true,
        represent: representBoard,
      },
      page,
    );
  }

  /** @throws Problem `board_not_found` */
  async show(name: string): Promise<BoardView> {
    const board = await findBoard(this.database, name);
    return atRevision(representBoard(board), board.revision);
  }

  /** Returns the time zone of a board; if the board does not exist, the default. */
  async timeZoneOf(name: string): Promise<string> {
    return (await this.boards.findOneBy({ name }))?.time_zone ?? 'UTC';
  }

  /** @throws Problem `name_taken` */
  create(caller: Caller, { name, ...fields }: CreateBoard): Promise<BoardView> {
    return this.unitOfWork.run(caller, async (change) => {
      const board = await this.lockOrCreate(change, name, fields);
      if (board.revision > 0) throw new Problem('name_taken');
      const revision = this.recordCreation(change, board);
      return { ...representBoard(board), revision };
    });
  }

  /** @throws Problem `board_not_found`, `name_taken`, `forbidden`, `precondition_failed` */
  async update(caller: Caller, name: string, body: UpdateBoard): Promise<BoardView> {
    const newName = body.name ?? name;
    if (caller.boards && newName !== name) {
      // The response would reveal the names of boards that the token may not see.
      throw new Problem('forbidden', 'A token for certain boards cannot rename them.');
    }
    try {
      return await this.unitOfWork.run(caller, async (change) => {
        const board = await change.lockNamed(name);
        const before = representBoard(board);
        requireMatch(caller, before);
        requireVersion(body, before);
        if (newName !== name && (await change.manager.existsBy(Board, { name: newName }))) {
          throw new Problem('name_taken');
        }
        requireUnchanged(body, before);
        const changed = differences(before, writable(body));
        if (!changed) return before;
        const version = board.version + 1;
        await change.manager.update(Board, board.id, {
          ...changed,
          updated_at: change.instant,
          version,
        });
        if (newName !== name) await this.tokens.renameBoard(change, name, newName);
        const after = representBoard({
          ...board,
          ...changed,
          working_days: storedWorkingDays(changed.working_days ?? before.working_days),
          revision: board.revision + 1,
          updated_at: toStored(change.instant),
          version,
        });
        recordEvent(change, board, 'board.updated', before, after);
        return after;
      });
    } catch (error) {
      // Two changes that give boards the same name at the same time have no common lock.
      if (failureOf(error) === 'duplicate') throw new Problem('name_taken');
      throw error;
    }
  }

  /**
   * Deletes a board and its log; the sweeper then deletes its rows.
   * @throws Problem `board_not_found`, `board_not_empty`, `precondition_failed`
   */
  delete(caller: Caller, name: string, force: boolean): Promise<Deleted> {
    const deletion = this.unitOfWork.run(caller, async (change): Promise<Deleted> => {
      const board = await change.lockNamed(name);
      const before = representBoard(board);
      requireMatch(caller, before);
      for (const table of force ? [] : ['sprints', 'stories']) {
        const filled = await change.manager.existsBy(table, { board_id: board.id });
        if (filled) throw new Problem('board_not_empty');
      }
      await change.manager.update(Board, board.id, {
        name: null,
        updated_at: change.instant,
        version: board.version + 1,
      });
      await this.tokens.renameBoard(change, name, null);
      recordEvent(change, board, 'board.deleted', before, null);
      return { deleted: true, id: board.id };
    });
    // After an error, too: when the connection was lost during the commit, the board may be deleted.
    return deletion.finally(() => void this.sweeper.sweep());
  }

  /**
   * Locks the board with this name for a change that creates something in it; creates the board if it
   * does not exist and CREATE_BOARDS is `implicit`.
   * @throws Problem `board_not_found`, including when the caller may not see it
   */
  async boardForCreation(
    change: Change,
    name: string,
    fields: Omit<CreateBoard, 'name'> = {},
  ): Promise<LockedBoard> {
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
    { time_zone = 'UTC', working_days }: Omit<CreateBoard, 'name'> = {},
    work: (change: Change, board: LockedBoard) => Promise<T>,
    options: { dryRun?: boolean },
  ): Promise<T | undefined> {
    const mayCreate = this.config.createBoards === 'implicit' && maySee(caller, name);
    if (!mayCreate || (await this.boards.existsBy({ name }))) return undefined;
    const days = working_days ?? parseWorkingDays(DEFAULT_WORKING_DAYS);
    try {
      return await this.loader.create(
        caller,
        { name, time_zone, working_days: days },
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
    { time_zone = 'UTC', working_days }: Omit<CreateBoard, 'name'> = {},
  ): Promise<LockedBoard> {
    const days = working_days ? storedWorkingDays(working_days) : DEFAULT_WORKING_DAYS;
    return change.lockOrCreate(name, time_zone, days);
  }

  private recordCreation(change: Change, board: LockedBoard): number {
    const created = { ...representBoard(board), revision: 1 };
    return recordEvent(change, board, 'board.created', null, created);
  }
}
