import type { QueryRunner } from 'typeorm';
import { definitions, ForwardMigration } from '../dialect';

/** Sprints and tasks get an `external_id`; stored responses get the revision of their board. */
export class ExternalIds1763709000000 extends ForwardMigration {
  async up(queryRunner: QueryRunner): Promise<void> {
    const { column, index } = await definitions(queryRunner);
    await column('sprints', 'external_id varchar(100)');
    await index('sprints', 'ix_sprints_external_id (board_id, external_id)');
    await column('tasks', 'external_id varchar(100)');
    await column('idempotency_keys', 'revision integer');
  }
}
