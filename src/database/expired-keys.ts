import { Injectable, Logger } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { setTimeout as sleep } from 'node:timers/promises';
import { LessThanOrEqual } from 'typeorm';
import { Clock } from '../time/clock';
import { Database } from './database';
import { oldestKept } from './idempotency';
import { IdempotencyKey } from './idempotency-key.entity';
import { UnitOfWork } from './unit-of-work';

const EVERY_MS = 60_000;
/** Rows that one transaction deletes, and milliseconds between two transactions. */
const CHUNK = 500;
const PAUSE_MS = 50;

/** Deletes expired idempotency keys and their responses, a few at a time. */
@Injectable()
export class ExpiredKeys {
  private readonly logger = new Logger('ExpiredKeys');
  private deleting: Promise<void> | undefined;

  constructor(
    private readonly database: Database,
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: Clock,
  ) {}

  @Interval(EVERY_MS)
  async run(): Promise<void> {
    // If it fails, a later run deletes them.
    await this.delete().catch((error: unknown) => this.database.logFailure(this.logger, error));
  }

  /** Deletes all expired keys; concurrent calls share one run. */
  delete(): Promise<void> {
    this.deleting ??= this.deleteAll().finally(() => (this.deleting = undefined));
    return this.deleting;
  }

  private async deleteAll(): Promise<void> {
    this.database.requireOpen();
    const keys = this.database.dataSource.getRepository(IdempotencyKey);
    const oldest = oldestKept(this.clock.now());
    for (;;) {
      const [last] = await keys.find({
        select: { token_id: true, idempotency_key: true, created_at: true },
        where: { created_at: LessThanOrEqual(oldest) },
        order: { created_at: 'ASC' },
        skip: CHUNK,
        take: 1,
      });
      const until = last?.created_at ?? oldest;
      await this.unitOfWork.maintain((manager) =>
        manager.delete(IdempotencyKey, { created_at: LessThanOrEqual(until) }),
      );
      if (!last) return;
      await sleep(PAUSE_MS, undefined, { ref: false });
    }
  }
}
