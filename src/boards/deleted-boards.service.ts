import type { OnApplicationShutdown } from '@nestjs/common';
import { Injectable, Logger } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { setImmediate } from 'node:timers/promises';
import type { EntityManager, FindOptionsWhere, ObjectLiteral } from 'typeorm';
import { In, IsNull, LessThanOrEqual } from 'typeorm';
import { Database } from '../database/database';
import { UnitOfWork } from '../database/unit-of-work';
import { Clock, toStored } from '../time/clock';
import { LOADING } from './board.entity';

/** Rows that one transaction deletes, so that other changes wait only briefly for it. */
const CHUNK = 500;

/** Milliseconds for which the log of a deleted board is kept: streams of every instance end with its last event. */
const LOG_MS = 60_000;

/** Milliseconds without a new transaction after which the load of a board counts as failed. */
const LOADING_MS = 300_000;

/**
 * Deletes the rows of deleted boards, and of boards whose load failed, in short transactions. It deletes the
 * log of a deleted board a minute later. These boards have no name and cannot be found, so the work may stop
 * anywhere and continue later.
 */
@Injectable()
export class DeletedBoards implements OnApplicationShutdown {
  private readonly logger = new Logger('DeletedBoards');
  private purging: Promise<void> | undefined;
  private requested = false;
  private closing = false;
  /**
   * When this process first saw the last transaction of each load. The `updated_at` of the transaction cannot
   * be compared with this time, because the clock of the instance that loads may differ.
   */
  private loads = new Map<number, { updated_at: string; seen: number }>();

  constructor(
    private readonly database: Database,
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: Clock,
  ) {}

  /** Deletes the rows of deleted boards and of failed loads. A call during a run requests another run. */
  @Interval(60_000)
  purge(): Promise<void> {
    this.requested = true;
    return (this.purging ??= this.run());
  }

  async onApplicationShutdown(): Promise<void> {
    this.closing = true;
    await this.purging;
  }

  private async run(): Promise<void> {
    try {
      if (!(await this.database.isReady())) return;
      while (this.requested && !this.closing) {
        this.requested = false;
        await this.purgeAll();
      }
    } catch (error) {
      // The next interval tries again.
      this.database.logFailure(this.logger, error);
    } finally {
      // No await since the last check of `requested`, so no request is lost.
      this.purging = undefined;
    }
  }

  private async purgeAll(): Promise<void> {
    const boards = await this.database.query<{ id: number; updated_at: string; version: number }>(
      'SELECT id, updated_at, version FROM boards WHERE name IS NULL ORDER BY id',
    );
    const now = this.clock.now().getTime();
    const keptSince = toStored(new Date(now - LOG_MS));
    const loads = this.loads;
    this.loads = new Map();
    for (const { id, updated_at, version } of boards) {
      if (version === LOADING) {
        const known = loads.get(id);
        const load = known?.updated_at === updated_at ? known : { updated_at, seen: now };
        this.loads.set(id, load);
        if (now - load.seen < LOADING_MS || !(await this.endLoad(id, updated_at))) continue;
      }
      const keepsLog = updated_at > keptSince && version !== LOADING;
      while (!this.closing && !(await this.purgeSome(id, keepsLog))) await setImmediate();
    }
  }

  /** Ends the load of a board if it had no transaction since this one; returns whether it has ended the load. */
  private endLoad(id: number, updated_at: string): Promise<boolean> {
    return this.unitOfWork.maintain(async (manager) => {
      const load = { id, version: LOADING, updated_at };
      // The load then fails at its next transaction. A board that was published meanwhile is not updated.
      const { affected } = await manager.update('boards', load, { version: 1 });
      return affected === 1;
    });
  }

  /**
   * Deletes one chunk, children before parents; returns whether nothing is left to delete now. Tables are
   * named by strings, because this module must not import the modules that build on it.
   */
  private purgeSome(id: number, keepsLog: boolean): Promise<boolean> {
    const board = { board_id: id };
    return this.unitOfWork.maintain(async (manager) => {
      const stories = await idsOf(manager, 'stories', board);
      if (stories.length > 0) {
        const tasks = await idsOf(manager, 'tasks', { story_id: In(stories) });
        if (tasks.length > 0) await manager.delete('tasks', { id: In(tasks) });
        else await manager.delete('stories', { id: In(stories) });
        return false;
      }
      const sprints = await idsOf(manager, 'sprints', board);
      if (sprints.length > 0) {
        await manager.delete('sprints', { id: In(sprints) });
        return false;
      }
      if (keepsLog) return true;
      const first = await manager.findOne<ObjectLiteral>('events', {
        select: { revision: true },
        where: board,
        order: { revision: 'ASC' },
      });
      if (first) {
        const last = (first.revision as number) + CHUNK - 1;
        await manager.delete('events', { ...board, revision: LessThanOrEqual(last) });
        return false;
      }
      await manager.delete('boards', { id, name: IsNull() });
      return true;
    });
  }
}

async function idsOf(
  manager: EntityManager,
  table: string,
  where: FindOptionsWhere<ObjectLiteral>,
): Promise<number[]> {
  const rows = await manager.find(table, { select: { id: true }, where, take: CHUNK });
  return rows.map(({ id }) => id as number);
}
