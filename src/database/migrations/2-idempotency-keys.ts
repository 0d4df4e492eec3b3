import type { QueryRunner } from 'typeorm';
import { definitions, ForwardMigration } from '../dialect';

/** The stored responses of requests that may be repeated. */
export class IdempotencyKeys1763701000000 extends ForwardMigration {
  async up(queryRunner: QueryRunner): Promise<void> {
    const { text, create } = await definitions(queryRunner);
    await create(
      'idempotency_keys',
      [
        'token_id integer NOT NULL',
        'idempotency_key varchar(255) NOT NULL',
        'fingerprint varchar(64) NOT NULL',
        `answer ${text} NULL`,
        'created_at datetime(3) NOT NULL',
        'CONSTRAINT pk_idempotency_keys PRIMARY KEY (token_id, idempotency_key)',
      ],
      ['ix_idempotency_keys_created (created_at)'],
    );
  }
}
