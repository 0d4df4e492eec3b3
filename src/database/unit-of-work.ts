import { Inject, Injectable } from '@nestjs/common';
import type { MutexInterface } from 'async-mutex';
import { Mutex, withTimeout } from 'async-mutex';
import { EventEmitter } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { EntityManager } from 'typeorm';
import { DataSource, QueryFailedError } from 'typeorm';
import { Config } from '../config/config';
import type { Caller } from '../http/caller';
import { atRevision } from '../http/responses/board-revision';
import { Clock } from '../time/clock';
import { timeSliceOfQueue } from '../time/time-slice';
import { Change, Restart } from './change';
import { WRITER } from './data-source';
import { Database } from './database';
import { failureOf, unavailable } from './errors';
import { FairQueue } from './fair-queue';
import { claimKey, keepResponse } from './idempotency';

/** Connections reserved for reads, however many changes wait for the lock of one board. */
const RESERVED_FOR_READS = 4;

/** The client of transactions without a caller. */
const MAINTENANCE = 'maintenance';

/** Milliseconds from which an attempt is long. */
const LONG_MS = 300;

/** Milliseconds between two attempts, at most. */
const MAX_PAUSE = 64;
/** The same on SQLite, when another process has locked the file: most of its changes end sooner. */
const MAX_SQLITE_PAUSE = 4;

/** Milliseconds that changes on SQLite keep their turns while a checkpoint or another process has locked the file. */
const LOCKED_MS = 200;

/**
 * Runs every change of the database. A change is one transaction: it locks its boards first, does its
 * work and appends its events. If the database rolls it back (a deadlock, a conflict between the nodes of
 * a cluster), even at the commit, all of it runs again, so the work must have no effect outside the
 * transaction.
 */
@Injectable()
export class UnitOfWork {
  /**
   * On SQLite it runs one change at a time: TypeORM has one connection, and would nest transactions that
   * overlap.
   */
  private readonly queue: FairQueue;
  /**
   * Retries on a server of changes that do not take long, one at a time. On a cluster, if many changes of one board
   * are retried at once, they conflict with each other again and again.
   */
  private readonly retries: MutexInterface;
  private readonly isSqlite: boolean;
  /** Milliseconds during which a change is retried. */
  private readonly retryMs: number;
  /**
   * For the pauses between changes on SQLite, whose driver is synchronous: 300 changes in the queue kept every
   * other request waiting for 0.3 s.
   */
  private readonly timeSlice = timeSliceOfQueue();
  /** When changes found the SQLite file locked, until one of them begins. */
  private lockedAt: number | undefined;
  /** Changes that run or wait to run. */
  pending = 0;
  /** Emits the id of each board whose log a change of this process has extended. */
  readonly commits = new EventEmitter<{ board: [id: number] }>();

  constructor(
    @Inject(WRITER) private readonly writer: DataSource,
    private readonly database: Database,
    private readonly clock: Clock,
    config: Config,
  ) {
    this.isSqlite = config.database.kind === 'sqlite';
    this.retryMs = config.databaseDeadlineMs;
    const slots = this.isSqlite ? 1 : Math.max(1, config.databasePool - RESERVED_FOR_READS);
    // A burst of 300 changes of one board takes a few seconds on a server that syncs each commit.
    const waitMs = 2 * config.databaseDeadlineMs;
    this.queue = new FairQueue(slots, waitMs);
    this.retries = withTimeout(new Mutex(), this.retryMs, unavailable());
  }

  /**
   * Runs a change and returns the result of `work` once it is durable, marked with the revision of the
   * board that it is about. A repeated request with an idempotency key gets its first response, and is
   * marked as replayed.
   * @param dryRun whether to roll the change back; then the result is marked with the revision before the change
   * @param retryMs milliseconds during which the change is retried; more for work without a waiting client
   * @throws Problem that `work` throws, or `database_unavailable`. Then nothing has changed, unless the
   *   connection was lost during the commit
   */
  async run<T>(
    caller: Caller,
    work: (change: Change) => Promise<T>,
    { dryRun = false, retryMs = this.retryMs } = {},
  ): Promise<T> {
    const idempotency = dryRun ? undefined : caller.idempotency;
    if (idempotency?.used) throw new Error('a request with an idempotency key is one change');
    const rollback: { result?: T } & Error = new Error('dry run');
    let changed: ReadonlySet<number> = new Set();
    const transact = async (manager: EntityManager, restarted: ReadonlySet<number>): Promise<T> => {
      const change = new Change(manager, caller, this.clock, restarted);
      if (idempotency) {
        const first = await claimKey(change, idempotency);
        idempotency.replayed = first !== undefined;
        if (first) return marked(JSON.parse(first.response) as T, first.revision ?? undefined);
      }
      const result = await work(change);
      if (dryRun) {
        rollback.result = marked(result, change.revisions.before);
        throw rollback;
      }
      await change.flush();
      const { after } = change.revisions;
      if (idempotency) await keepResponse(change, idempotency, JSON.stringify(result), after);
      changed = change.boardsWithEvents;
      return marked(result, after);
    };
    const result = await this.attempt(caller.clientKey, transact, retryMs).catch(
      (error: unknown) => {
        if (error !== rollback) throw error;
        return rollback.result as T;
      },
    );
    if (idempotency) idempotency.used = true;
    for (const id of changed) this.commits.emit('board', id);
    return result;
  }

  /**
   * Runs a transaction that belongs to no board, such as the deletion of expired rows.
   * @param mayBeLost whether a power cut may undo it after its end. Then SQLite does not sync it; the next
   *   transaction that is synced also syncs those before it, because they are in one file.
   * @param retryMs as in `run`
   */
  maintain<T>(
    work: (manager: EntityManager) => Promise<T>,
    { mayBeLost = false, retryMs = this.retryMs } = {},
  ): Promise<T> {
    return this.attempt(MAINTENANCE, work, retryMs, mayBeLost);
  }

  private async attempt<T>(
    client: string,
    work: (manager: EntityManager, restarted: ReadonlySet<number>) => Promise<T>,
    retryMs: number,
    mayBeLost = false,
  ): Promise<T> {
    this.database.requireOpen();
    const maxPause = this.isSqlite ? MAX_SQLITE_PAUSE : MAX_PAUSE;
    const restarted = new Set<number>();
    let begunAt = 0;
    const transact = (): Promise<T> => {
      begunAt = performance.now();
      return this.transaction((manager) => work(manager, restarted), mayBeLost);
    };
    const transactQueued = (): Promise<T> =>
      this.queue.run(client, async () => {
        if (this.isSqlite && this.pending > 1) await this.timeSlice.pause();
        return transact();
      });
    // A batch or an import would block the retries of all others for its whole transaction.
    let isLong = retryMs > this.retryMs;
    let wasRolledBack = false;
    let giveUpAt: number | undefined;
    this.pending += 1;
    try {
      for (let attempt = 1; ; attempt += 1) {
        try {
          const isShortRetry = wasRolledBack && !this.isSqlite && !isLong;
          return await (isShortRetry ? this.retries.runExclusive(transact) : transactQueued());
        } catch (error) {
          if (error instanceof Restart) {
            if (error.board !== undefined) restarted.add(error.board);
          } else if (failureOf(error) === 'retry') wasRolledBack = true;
          else throw this.database.problemOf(error);
          isLong ||= performance.now() - begunAt > LONG_MS;
          // The time that the first attempt waited in the queue does not count.
          giveUpAt ??= performance.now() + retryMs;
          if (performance.now() >= giveUpAt) throw this.database.problemOf(unavailable(error));
          // Jitter, so that two changes that collided do not collide again.
          await sleep(Math.random() * Math.min(maxPause, 2 ** attempt));
        }
      }
    } finally {
      this.pending -= 1;
    }
  }

  /**
   * Runs a transaction. If the disk is full or fails, SQLite rolls back by itself. Then the ROLLBACK of
   * TypeORM fails, and its only query runner would nest all later changes in a transaction that is never
   * committed, so the connection is closed and opened again.
   */
  private async transaction<T>(
    work: (manager: EntityManager) => Promise<T>,
    mayBeLost: boolean,
  ): Promise<T> {
    if (!this.writer.isInitialized) await this.writer.initialize();
    const isUnsynced = mayBeLost && this.isSqlite;
    if (isUnsynced) await this.writer.query('PRAGMA synchronous = NORMAL');
    try {
      return await this.transactWhenUnlocked(work);
    } catch (error) {
      if (this.isSqlite && hasBegun(error) && this.writer.createQueryRunner().isTransactionActive) {
        await this.writer.destroy();
      }
      throw error;
    } finally {
      if (isUnsynced && this.writer.isInitialized) {
        // A connection that is opened again syncs.
        await this.writer.query('PRAGMA synchronous = FULL').catch(() => this.writer.destroy());
      }
    }
  }

  /** Runs a transaction. While the SQLite file is locked, it waits, but not long. */
  private async transactWhenUnlocked<T>(work: (manager: EntityManager) => Promise<T>): Promise<T> {
    for (; ; await sleep(1)) {
      try {
        return await this.writer.transaction((manager) => {
          this.lockedAt = undefined;
          return work(manager);
        });
      } catch (error) {
        if (hasBegun(error) || failureOf(error) !== 'retry') throw error;
        this.lockedAt ??= performance.now();
        if (performance.now() - this.lockedAt >= LOCKED_MS) throw error;
      }
    }
  }
}

/** Whether a transaction on SQLite failed after it had begun. */
const hasBegun = (error: unknown): boolean =>
  !(error instanceof QueryFailedError && error.query === 'BEGIN TRANSACTION');

const marked = <T>(result: T, revision: number | undefined): T =>
  typeof result === 'object' && result !== null && revision !== undefined
    ? atRevision(result, revision)
    : result;
