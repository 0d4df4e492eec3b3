import type { Relation } from 'typeorm';
import {
  Column,
  Entity,
  Index,
  JoinColumn,
  ManyToOne,
  PrimaryGeneratedColumn,
  Unique,
} from 'typeorm';
import { Token } from './token.entity';

/** The session of a browser; it is deleted with its token. Only the digest of its cookie is stored. */
@Entity('sessions')
@Unique('uq_sessions_lookup', ['lookup'])
@Index('ix_sessions_token', ['token_id'])
@Index('ix_sessions_last_used', ['last_used_at'])
export class Session {
  @PrimaryGeneratedColumn({ type: 'integer' }) id: number;
  @Column({ type: 'integer' }) token_id: number;

  @ManyToOne(() => Token, { nullable: false, onDelete: 'CASCADE' })
  @JoinColumn({ name: 'token_id', foreignKeyConstraintName: 'fk_sessions_token' })
  token?: Relation<Token>;

  /** The part of the cookie that finds this row; not secret. */
  @Column({ type: 'varchar', length: 16 }) lookup: string;
  /** SHA-256 of the cookie, in hexadecimal. */
  @Column({ type: 'varchar', length: 64 }) hash: string;
  @Column({ type: 'datetime', precision: 3 }) created_at: Date;
  /** Exact to the hour. */
  @Column({ type: 'datetime', precision: 3 }) last_used_at: Date;
}
