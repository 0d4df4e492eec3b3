import type { MigrationInterface, QueryRunner } from 'typeorm';
import { definitions } from '../dialect';

/** What finds the sprints of a board that are not completed, in their order. */
export class OpenSprints1763706000000 implements MigrationInterface {
  name = 'OpenSprints1763706000000';

  async up(queryRunner: QueryRunner): Promise<void> {
    const { index } = await definitions(queryRunner);
    await index('sprints', 'ix_sprints_open (board_id, completed_at, start_date, id)');
  }

  async down(): Promise<void> {
    throw new Error('Migrations only go forward; restore a backup to go back.');
  }
}
