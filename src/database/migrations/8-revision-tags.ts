import type { QueryRunner } from 'typeorm';
import { definitions, ForwardMigration } from '../dialect';

/**
 * Adds a random tag to each revision, so that a restored backup does not repeat entity tags, and removes
 * unused definitions: the totals of the backlog, and an index and a column of the log.
 */
export class RevisionTags1763707000000 extends ForwardMigration {
  async up(queryRunner: QueryRunner): Promise<void> {
    const { column, dropColumn, dropIndex } = await definitions(queryRunner);
    await column('boards', "revision_tag varchar(16) NOT NULL DEFAULT ''");
    for (const total of ['revision', 'count', 'estimated', 'hundredths']) {
      await dropColumn('boards', `backlog_${total}`);
    }
    await dropIndex('events', 'ix_events_from_sprint');
    await dropColumn('events', 'from_sprint_id');
  }
}
