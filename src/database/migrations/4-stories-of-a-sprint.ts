import type { QueryRunner } from 'typeorm';
import { definitions, ForwardMigration } from '../dialect';

/** What finds the stories of a sprint by the sprint alone, as the check of a foreign key does. */
export class StoriesOfASprint1763703000000 extends ForwardMigration {
  async up(queryRunner: QueryRunner): Promise<void> {
    const { index } = await definitions(queryRunner);
    await index('stories', 'ix_stories_sprint (sprint_id)');
  }
}
