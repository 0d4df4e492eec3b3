import type { OnApplicationBootstrap, OnApplicationShutdown } from '@nestjs/common';
import { Injectable, Logger } from '@nestjs/common';
import { setImmediate } from 'node:timers/promises';
import { Database } from '../database/database';
import type { Writer } from '../database/engine';
import { UnitOfWork } from '../database/unit-of-work';

/** Rows that one transaction removes. */
const CHUNK = 1000;

/** Milliseconds until it is tried again where the database failed. */
const RETRY_MS = 60_000;

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
      const stories = await writer.query<{ id: number }>(
        `SELECT id FROM stories WHERE board_id = ? LIMIT ${CHUNK}`,
        [board],
      );
      if (stories.length > 0) {
        // In the order in which foreign keys let them go.
        await remove(writer, 'tasks WHERE story_id', stories);
        await remove(writer, 'stories WHERE id', stories);
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
      const sprints = await writer.query<{ id: number }>(
        `SELECT id FROM sprints WHERE board_id = ? LIMIT ${CHUNK}`,
        [board],
      );
      if (sprints.length > 0) {
        await remove(writer, 'sprints WHERE id', sprints);
        return false;
      }
      await writer.run('DELETE FROM boards WHERE id = ? AND name IS NULL', [board]);
      return true;
    });
  }
}

/** Removes the rows that have one of these ids, or belong to what has. */
async function remove(writer: Writer, rows: string, of: readonly { id: number }[]): Promise<void> {
  await writer.run(
    `DELETE FROM ${rows} IN (${of.map(() => '?').join(', ')})`,
    of.map(({ id }) => id),
  );
}
