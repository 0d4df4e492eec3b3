import type { QueryRunner } from 'typeorm';
import { definitions, ForwardMigration } from '../dialect';

/** The time at which a sprint was started by hand, and the working days of a board. */
export class StartsAndWorkingDays1763708000000 extends ForwardMigration {
  async up(queryRunner: QueryRunner): Promise<void> {
    const { column } = await definitions(queryRunner);
    await column('boards', "working_days varchar(27) NOT NULL DEFAULT 'mon,tue,wed,thu,fri'");
    await column('sprints', 'started_at datetime(3) NULL');
  }
}
