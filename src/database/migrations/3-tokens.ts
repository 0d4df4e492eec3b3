import type { QueryRunner } from 'typeorm';
import { definitions, ForwardMigration } from '../dialect';

/** The tokens of clients. */
export class Tokens1763702000000 extends ForwardMigration {
  async up(queryRunner: QueryRunner): Promise<void> {
    const { id, text, unique, create } = await definitions(queryRunner);
    await create(
      'tokens',
      [
        `id ${id}`,
        'lookup varchar(16) NOT NULL',
        'hash varchar(64) NOT NULL',
        'name varchar(100) NOT NULL',
        'scope varchar(16) NOT NULL',
        `boards ${text} NULL`,
        'expires_at datetime(3) NULL',
        'created_at datetime(3) NOT NULL',
        'last_used_at datetime(3) NULL',
        unique('uq_tokens_lookup', 'lookup'),
      ],
      [],
    );
  }
}
