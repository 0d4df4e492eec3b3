import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** The response to a request that its client may repeat, written in the transaction of the change. */
@Entity('idempotency_keys')
@Index('ix_idempotency_keys_created', ['created_at'])
export class IdempotencyKey {
  /** The token that the key belongs to; 0 without one. */
  @PrimaryColumn({ type: 'integer', primaryKeyConstraintName: 'pk_idempotency_keys' })
  token_id: number;

  @PrimaryColumn({
    type: 'varchar',
    length: 255,
    primaryKeyConstraintName: 'pk_idempotency_keys',
  })
  idempotency_key: string;

  /** SHA-256 of the request, in hexadecimal: another request with the same key is rejected. */
  @Column({ type: 'varchar', length: 64 })
  fingerprint: string;

  /** JSON, or its first part (see `IdempotencyPart`). Null only inside the transaction that creates it. */
  @Column({ type: 'text', nullable: true })
  answer: string | null;

  /** The revision of the board that the response is about; null if it is about no board. */
  @Column({ type: 'integer', nullable: true })
  revision: number | null;

  @Column({ type: 'datetime', precision: 3 })
  created_at: Date;
}
