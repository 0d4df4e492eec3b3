import type { MigrationInterface, QueryRunner } from 'typeorm';
import { definitions } from '../dialect';

/** What finds the stories of a sprint by the sprint alone, as the check of a foreign key does. */
export class StoriesOfASprint1763703000000 implements MigrationInterface {
  name = 'StoriesOfASprint1763703000000';

  async up(queryRunner: QueryRunner): Promise<void> {
    const { index } = await definitions(queryRunner);
    await index('stories', 'ix_stories_sprint (sprint_id)');
  }

  async down(): Promise<void> {
    throw new Error('Migrations only go forward; restore a backup to go back.');
  }
}
