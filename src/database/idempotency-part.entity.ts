import type { Relation } from 'typeorm';
import { Column, Entity, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';
import { IdempotencyKey } from './idempotency-key.entity';

/** A further part of a response that is too long for one row; deleted with its key. */
@Entity('idempotency_parts')
export class IdempotencyPart {
  @PrimaryColumn({ type: 'integer', primaryKeyConstraintName: 'pk_idempotency_parts' })
  token_id: number;

  @PrimaryColumn({
    type: 'varchar',
    length: 255,
    primaryKeyConstraintName: 'pk_idempotency_parts',
  })
  idempotency_key: string;

  /** Counts from 1; the first part of the response is in the row of the key. */
  @PrimaryColumn({ type: 'integer', primaryKeyConstraintName: 'pk_idempotency_parts' })
  part: number;

  @ManyToOne(() => IdempotencyKey, { nullable: false, onDelete: 'CASCADE' })
  @JoinColumn(
    ['token_id', 'idempotency_key'].map((name) => ({
      name,
      referencedColumnName: name,
      foreignKeyConstraintName: 'fk_idempotency_parts_key',
    })),
  )
  key?: Relation<IdempotencyKey>;

  @Column({ type: 'text' })
  answer: string;
}
