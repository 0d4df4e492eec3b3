import type { QueryRunner } from 'typeorm';
import { definitions, ForwardMigration } from '../dialect';

/** An index of the stories by their sprint alone, for checks of the foreign key. */
export class StoriesOfASprint1763703000000 extends ForwardMigration {
  async up(queryRunner: QueryRunner): Promise<void> {
    const { index } = await definitions(queryRunner);
    await index('stories', 'ix_stories_sprint (sprint_id)');
  }
}
