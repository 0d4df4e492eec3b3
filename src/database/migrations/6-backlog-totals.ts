import type { QueryRunner } from 'typeorm';
import { definitions, ForwardMigration } from '../dialect';

/** Totals of the backlog of each board; the next change of a board counts them for the first time. */
export class BacklogTotals1763705000000 extends ForwardMigration {
  async up(queryRunner: QueryRunner): Promise<void> {
    const { column } = await definitions(queryRunner);
    await column('boards', 'backlog_revision integer NULL');
    await column('boards', 'backlog_count integer NOT NULL DEFAULT 0');
    await column('boards', 'backlog_estimated integer NOT NULL DEFAULT 0');
    await column('boards', 'backlog_hundredths bigint NOT NULL DEFAULT 0');
  }
}
