import type { QueryRunner } from 'typeorm';
import { definitions, ForwardMigration } from '../dialect';

/** The parts of stored responses that do not fit into one row. */
export class LongAnswers1763704000000 extends ForwardMigration {
  async up(queryRunner: QueryRunner): Promise<void> {
    const { text, foreignKey, create } = await definitions(queryRunner);
    await create(
      'idempotency_parts',
      [
        'token_id integer NOT NULL',
        'idempotency_key varchar(255) NOT NULL',
        'part integer NOT NULL',
        `answer ${text} NOT NULL`,
        'CONSTRAINT pk_idempotency_parts PRIMARY KEY (token_id, idempotency_key, part)',
        foreignKey(
          'fk_idempotency_parts_key',
          'token_id, idempotency_key',
          'idempotency_keys',
          'token_id, idempotency_key',
          'CASCADE',
        ),
      ],
      [],
    );
  }
}
