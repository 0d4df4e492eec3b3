import { Logger } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { EntityTarget } from 'typeorm';
import type { Database } from '../database/database';
import type { UnitOfWork } from '../database/unit-of-work';
import { toStored } from '../time/clock';

/** Updates the `last_used_at` of rows in the background: no request waits for it or fails with it. */
export class LastUse {
  private readonly logger = new Logger('LastUse');
  private readonly recorded: LRUCache<number, true>;

  /** @param periodMs milliseconds between two updates of a row */
  constructor(
    private readonly database: Database,
    private readonly unitOfWork: UnitOfWork,
    private readonly entity: EntityTarget<{ id: number; last_used_at: Date | null }>,
    private readonly periodMs: number,
  ) {
    this.recorded = new LRUCache({ max: 10_000, ttl: periodMs });
  }

  /** @param last the stored `last_used_at` of the row */
  record(id: number, last: string | null, now: Date): void {
    const before = toStored(new Date(now.getTime() - this.periodMs));
    if ((last !== null && last > before) || this.recorded.has(id)) return;
    this.recorded.set(id, true);
    this.unitOfWork
      .maintain((manager) => manager.update(this.entity, id, { last_used_at: now }))
      .catch((error: unknown) => this.database.logFailure(this.logger, error));
  }
}
