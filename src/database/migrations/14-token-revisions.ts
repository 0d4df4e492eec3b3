import type { QueryRunner } from 'typeorm';
import { definitions, ForwardMigration } from '../dialect';

/** Adds a number to tokens, by which two changes of tokens at different nodes of a cluster conflict. */
export class TokenRevisions1763713000000 extends ForwardMigration {
  async up(queryRunner: QueryRunner): Promise<void> {
    const { column } = await definitions(queryRunner);
    await column('tokens', 'revision integer NOT NULL DEFAULT 0');
  }
}
