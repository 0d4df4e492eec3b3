import { Column, Entity, PrimaryGeneratedColumn, Unique } from 'typeorm';
import type { Scope } from '../http/access';

/** An access token. Only its digest is stored, never the token itself. */
@Entity('tokens')
@Unique('uq_tokens_lookup', ['lookup'])
export class Token {
  @PrimaryGeneratedColumn({ type: 'integer' }) id: number;
  /** The part of the token that finds this row; not secret. */
  @Column({ type: 'varchar', length: 16 }) lookup: string;
  /** SHA-256 of the token, in hexadecimal. */
  @Column({ type: 'varchar', length: 64 }) hash: string;
  @Column({ type: 'varchar', length: 100 }) name: string;
  @Column({ type: 'varchar', length: 16 }) scope: Scope;
  /** JSON array of the names of the boards that the token gives access to; null: all boards. */
  @Column({ type: 'text', nullable: true }) boards: string | null;
  @Column({ type: 'datetime', precision: 3, nullable: true }) expires_at: Date | null;
  @Column({ type: 'datetime', precision: 3 }) created_at: Date;
  /** Exact to the minute. */
  @Column({ type: 'datetime', precision: 3, nullable: true }) last_used_at: Date | null;
  /** Increases in every admin token with each change that depends on them; see `lockAdmins`. */
  @Column({ type: 'integer', default: 0 }) revision: number;
}
