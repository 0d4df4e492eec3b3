import type { QueryRunner } from 'typeorm';
import { definitions, ForwardMigration } from '../dialect';

/** The sessions of browsers. */
export class Sessions1763710000000 extends ForwardMigration {
  async up(queryRunner: QueryRunner): Promise<void> {
    const { id, unique, foreignKey, create } = await definitions(queryRunner);
    await create(
      'sessions',
      [
        `id ${id}`,
        'token_id integer NOT NULL',
        'lookup varchar(16) NOT NULL',
        'hash varchar(64) NOT NULL',
        'created_at datetime(3) NOT NULL',
        'last_used_at datetime(3) NOT NULL',
        unique('uq_sessions_lookup', 'lookup'),
        foreignKey('fk_sessions_token', 'token_id', 'tokens', 'id', 'CASCADE'),
      ],
      ['ix_sessions_token (token_id)', 'ix_sessions_last_used (last_used_at)'],
    );
  }
}
