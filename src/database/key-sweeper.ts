import type { OnApplicationBootstrap, OnApplicationShutdown } from '@nestjs/common';
import { Injectable, Logger } from '@nestjs/common';
import { setTimeout as sleep } from 'node:timers/promises';
import { Clock } from '../time/clock';
import { Database } from './database';
import { oldest } from './idempotency';
import { UnitOfWork } from './unit-of-work';

/** Milliseconds between two rounds, and between two transactions of one. */
const ROUND = 60_000;
const PAUSE = 50;
/** Rows that one transaction removes. */
const CHUNK = 500;

/** Removes answers that are no longer kept: a few at a time, so that nobody waits for it. */
@Injectable()
export class KeySweeper implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger('KeySweeper');
  private timer: NodeJS.Timeout | undefined;
  private sweeping: Promise<void> | undefined;
  private closing = false;

  constructor(
    private readonly database: Database,
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: Clock,
  ) {}

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => {
      // What cannot be removed now is removed in a later round.
      this.sweep().catch((error: unknown) => this.logger.debug(error));
    }, ROUND).unref();
  }

  async onApplicationShutdown(): Promise<void> {
    this.closing = true;
    clearInterval(this.timer);
    await this.sweeping?.catch(() => undefined);
  }

  /** Removes all that is no longer kept, unless it is at it already. */
  sweep(): Promise<void> {
    this.sweeping ??= this.removeAll().finally(() => (this.sweeping = undefined));
    return this.sweeping;
  }

  private async removeAll(): Promise<void> {
    while (!this.closing && (await this.removeSome()))
      await sleep(PAUSE, undefined, { ref: false });
  }

  /** Removes a chunk; returns whether there may be more. */
  private async removeSome(): Promise<boolean> {
    const before = oldest(this.clock.now());
    const [last] = await this.database.query<{ created_at: string }>(
      `SELECT created_at FROM idempotency_keys WHERE created_at <= ?
       ORDER BY created_at LIMIT 1 OFFSET ${CHUNK}`,
      [before],
    );
    await this.unitOfWork.maintain((writer) =>
      writer.run('DELETE FROM idempotency_keys WHERE created_at <= ?', [
        last?.created_at ?? before,
      ]),
    );
    return last !== undefined;
  }
}
