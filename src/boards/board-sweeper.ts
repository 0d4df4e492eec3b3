import type { OnApplicationBootstrap, OnApplicationShutdown } from '@nestjs/common';
import { Injectable, Logger } from '@nestjs/common';
import { setImmediate } from 'node:timers/promises';
import { Database } from '../database/database';
import { UnitOfWork } from '../database/unit-of-work';

/** Rows that one transaction removes. */
const CHUNK = 500;

/** Milliseconds until it is tried again where the database failed. */
const RETRY_MS = 60_000;

/** What a board holds, in the order in which foreign keys let it go, and how it goes. */
const REMOVALS = [
  ['stories', ['DELETE FROM tasks WHERE story_id', 'DELETE FROM stories WHERE id']],
  ['sprints', ['DELETE FROM sprints WHERE id']],
] as const;

/**
 * Removes what deleted boards held, in transactions so short that nobody waits for them. A deleted
 * board is a row without a name, which nothing can find; so the work can stop anywhere, and goes on
 * later, at the next deletion, or at the next start.
 */
@Injectable()
export class BoardSweeper implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger('BoardSweeper');
  private sweeping: Promise<void> | undefined;
  private again = false;
  private closing = false;

  constructor(
    private readonly database: Database,
    private readonly unitOfWork: UnitOfWork,
  ) {}

  onApplicationBootstrap(): void {
    this.database
      .ready()
      .then(() => this.wake())
      .catch(() => undefined);
  }

  async onApplicationShutdown(): Promise<void> {
    this.closing = true;
    await this.sweeping;
  }

  /** Starts to sweep, or sweeps once more when it is at it. */
  wake(): void {
    this.again = true;
    this.sweeping ??= this.sweep()
      .catch((error: unknown) => {
        this.logger.error(error);
        setTimeout(() => this.wake(), RETRY_MS).unref();
      })
      .finally(() => (this.sweeping = undefined));
  }

  private async sweep(): Promise<void> {
    while (this.again && !this.closing) {
      this.again = false;
      const boards = await this.database.query<{ id: number }>(
        'SELECT id FROM boards WHERE name IS NULL ORDER BY id',
      );
      for (const { id } of boards) {
        while (!this.closing && !(await this.removeSome(id))) await setImmediate();
      }
    }
  }

  /** Removes a chunk; returns whether the board is gone. */
  private removeSome(board: number): Promise<boolean> {
    return this.unitOfWork.maintain(async (writer) => {
      for (const [table, removals] of REMOVALS) {
        const rows = await writer.query<{ id: number }>(
          `SELECT id FROM ${table} WHERE board_id = ? LIMIT ${CHUNK}`,
          [board],
        );
        if (rows.length === 0) continue;
        const ids = rows.map(({ id }) => id);
        const places = ids.map(() => '?').join(', ');
        for (const removal of removals) await writer.run(`${removal} IN (${places})`, ids);
        return false;
      }
      const events = await writer.query<{ revision: number }>(
        `SELECT revision FROM events WHERE board_id = ? ORDER BY revision LIMIT 1 OFFSET ${CHUNK}`,
        [board],
      );
      await writer.run('DELETE FROM events WHERE board_id = ? AND revision < ?', [
        board,
        events[0]?.revision ?? Number.MAX_SAFE_INTEGER,
      ]);
      if (events.length > 0) return false;
      await writer.run('DELETE FROM boards WHERE id = ? AND name IS NULL', [board]);
      return true;
    });
  }
}
