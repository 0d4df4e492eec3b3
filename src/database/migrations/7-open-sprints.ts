import type { QueryRunner } from 'typeorm';
import { definitions, ForwardMigration } from '../dialect';

/** An index of the sprints of a board that are not completed, in their order. */
export class OpenSprints1763706000000 extends ForwardMigration {
  async up(queryRunner: QueryRunner): Promise<void> {
    const { index } = await definitions(queryRunner);
    await index('sprints', 'ix_sprints_open (board_id, completed_at, start_date, id)');
  }
}
