import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { LockedBoard } from '../database/board-row';
import { newRevisionTag } from '../database/board-row';
import { Change } from '../database/change';
import { Database } from '../database/database';
import { failureOf } from '../database/errors';
import { Transaction } from '../database/transaction';
import { UnitOfWork } from '../database/unit-of-work';
import type { Caller } from '../http/caller';
import { Problem } from '../http/problem';
import { atRevision } from '../http/responses/board-revision';
import { Clock, toStored } from '../time/clock';
import type { BoardView } from './board.dto';
import { Board, LOADING } from './board.entity';
import { changeInParts } from './change-in-parts';
import { DeletedBoards } from './deleted-boards.service';

/** A board that is being loaded. */
export interface BoardLoad {
  boardId: number;
  /**
   * Runs a part of the load in a transaction of its own. The part must be short, because other changes wait
   * for it, and may run again.
   */
  part: <T>(work: (transaction: Transaction) => Promise<T>) => Promise<T>;
}

/** The fields with which a board is loaded. */
type NewBoard = Pick<BoardView, 'name' | 'time_zone' | 'working_days' | 'created_at'>;

/** The fields that a board gets when it is published. */
type Published = Partial<Board> & { name: string };

/** Milliseconds during which each transaction of a load is retried: if one fails, the work of the others is lost. */
const RETRY_MS = 60_000;

/** The `updated_at` of an abandoned board, so that the purge does not keep its log. */
const LONG_AGO = new Date('2000-01-01');

/**
 * Loads boards that are too large for one transaction. The rows are written to a board without a name,
 * which no request can find; when the board is complete, one small change gives it its name.
 */
@Injectable()
export class BoardLoader {
  constructor(
    private readonly database: Database,
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: Clock,
    private readonly deletedBoards: DeletedBoards,
  ) {}

  /**
   * Loads a board and publishes it under its name. If anything fails, deletes the board.
   * @param board the fields of the published board; its `id` is ignored
   * @param dryRun whether to delete the board instead of publishing it
   * @throws Problem `name_taken` if a board has this name, before or after the load
   */
  load<T extends object>(
    caller: Caller,
    board: BoardView,
    work: (load: BoardLoad) => Promise<T>,
    { dryRun = false } = {},
  ): Promise<T> {
    const { name, revision, version, updated_at } = board;
    const published = { name, revision, version, updated_at: new Date(updated_at) };
    return this.publishAfter(caller, board, published, dryRun, (boardId) =>
      work({ boardId, part: (part) => this.part(boardId, part) }),
    );
  }

  /**
   * Creates a board by a change that may take long. The pauses of the change divide it into transactions; in
   * each of them the board has its name, so the change can use the services as if it were one transaction.
   * @param dryRun whether to delete the board instead of publishing it
   * @throws Problem `name_taken` as `load` does; Interrupted if a transaction was rolled back
   */
  create<T extends object>(
    caller: Caller,
    fields: Omit<NewBoard, 'created_at'>,
    work: (change: Change, board: LockedBoard) => Promise<T>,
    { dryRun = false } = {},
  ): Promise<T> {
    const { name } = fields;
    const now = this.clock.now();
    const open = (manager: EntityManager, rest: () => Promise<void>): Change => {
      const change = new Change(manager, caller, this.clock, undefined, rest);
      change.instant = now;
      return change;
    };
    const board = { ...fields, created_at: now.toISOString() };
    const published = { name, version: 1, updated_at: now };
    return this.publishAfter(caller, board, published, dryRun, (boardId) =>
      changeInParts(
        open,
        (part) =>
          this.part(boardId, async (own) => {
            await this.update(own, boardId, { name });
            await part(own.manager);
            await own.update('boards', boardId, { name: null });
          }),
        async (change) => {
          const locked = await change.lockNamed(name);
          Object.assign(locked, { version: 1, updated_at: toStored(now) });
          const result = await work(change, locked);
          await change.flush();
          return result;
        },
      ),
    );
  }

  private async publishAfter<T extends object>(
    caller: Caller,
    board: NewBoard,
    published: Published,
    dryRun: boolean,
    work: (boardId: number) => Promise<T>,
  ): Promise<T> {
    // With an idempotency key, it may be a repeated request, which finds its own board.
    if (!caller.idempotency) await this.requireFree(board.name);
    const boardId = await this.begin(board);
    let isPublished = false;
    try {
      const result = await work(boardId);
      if (dryRun) {
        await this.requireFree(board.name);
        return atRevision(result, 0);
      }
      const answer = await this.publish(caller, boardId, published, result);
      isPublished = caller.idempotency?.replayed !== true;
      return answer;
    } finally {
      if (!isPublished) await this.abandon(boardId);
    }
  }

  private begin({ time_zone, working_days, created_at }: NewBoard): Promise<number> {
    return this.unitOfWork.maintain(
      async (manager) => {
        const { identifiers } = await manager.insert(Board, {
          name: null,
          time_zone,
          working_days,
          revision: 0,
          version: LOADING,
          created_at: new Date(created_at),
          updated_at: this.clock.now(),
        });
        return identifiers[0]?.id as number;
      },
      { retryMs: RETRY_MS },
    );
  }

  /** Does not sync its transaction: until the board is published, a power cut may undo the last parts. */
  private part<T>(id: number, work: (transaction: Transaction) => Promise<T>): Promise<T> {
    return this.unitOfWork.maintain(
      async (manager) => {
        const transaction = new Transaction(manager);
        await requireLoading(transaction, id);
        // The purge ends a load whose last part is old.
        await transaction.update('boards', id, { updated_at: toStored(this.clock.now()) });
        return work(transaction);
      },
      { mayBeLost: true, retryMs: RETRY_MS },
    );
  }

  private publish<T>(caller: Caller, id: number, published: Published, result: T): Promise<T> {
    return this.unitOfWork.run(
      caller,
      async (change) => {
        await requireLoading(change, id);
        await this.update(change, id, { ...published, revision_tag: newRevisionTag() });
        await change.lockNamed(published.name);
        return result;
      },
      { retryMs: RETRY_MS },
    );
  }

  /** Updates a board, which gets a name. @throws Problem `name_taken` */
  private async update({ manager }: Transaction, id: number, fields: Published): Promise<void> {
    try {
      await manager.update(Board, id, fields);
    } catch (error) {
      if (failureOf(error) === 'duplicate') throw new Problem('name_taken');
      throw error;
    }
  }

  /** Marks the board as deleted and starts the purge. If this fails, the next purge deletes it minutes later. */
  private async abandon(id: number): Promise<void> {
    await this.unitOfWork
      .maintain((manager) =>
        manager.update(Board, { id, version: LOADING }, { version: 1, updated_at: LONG_AGO }),
      )
      .catch(() => undefined);
    void this.deletedBoards.purge();
  }

  private async requireFree(name: string): Promise<void> {
    const sql = 'SELECT b.id FROM boards b WHERE b.name = ?';
    const [taken] = await this.database.query(sql, [name]);
    if (taken) throw new Problem('name_taken');
  }
}

/** @throws Problem `database_unavailable` if the purge has ended the load */
async function requireLoading(transaction: Transaction, id: number): Promise<void> {
  const [loading] = await transaction.query(
    `SELECT b.id FROM boards b WHERE b.id = ? AND b.version = ${LOADING}${transaction.forUpdate}`,
    [id],
  );
  if (!loading) throw new Problem('database_unavailable', 'The load of the board was too slow.');
}
