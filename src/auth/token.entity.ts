import { Column, Entity, PrimaryGeneratedColumn, Unique } from 'typeorm';

/** What a client shows to be let in. The token itself is nowhere: only what it can be known by. */
@Entity('tokens')
@Unique('uq_tokens_lookup', ['lookup'])
export class Token {
  @PrimaryGeneratedColumn({ type: 'integer' })
  id: number;

  /** The part of the token that finds this row; no secret. */
  @Column({ type: 'varchar', length: 16 })
  lookup: string;

  /** SHA-256 of the token, in hexadecimal. */
  @Column({ type: 'varchar', length: 64 })
  hash: string;

  @Column({ type: 'varchar', length: 100 })
  name: string;

  /** read, write or admin. */
  @Column({ type: 'varchar', length: 16 })
  scope: string;

  /** JSON array of the names of the boards that it may see; null where it may see all. */
  @Column({ type: 'text', nullable: true })
  boards: string | null;

  @Column({ type: 'datetime', precision: 3, nullable: true })
  expires_at: string | null;

  @Column({ type: 'datetime', precision: 3 })
  created_at: string;

  /** True to the minute. */
  @Column({ type: 'datetime', precision: 3, nullable: true })
  last_used_at: string | null;
}
