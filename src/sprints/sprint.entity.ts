import type { Relation } from 'typeorm';
import { Column, Entity, Index, JoinColumn, ManyToOne, PrimaryGeneratedColumn } from 'typeorm';
import { Board } from '../boards/board.entity';

/** A time-boxed iteration of one board. Its state is derived from its dates, never stored. */
@Entity('sprints')
@Index('ix_sprints_order', ['board_id', 'start_date', 'id'])
@Index('ix_sprints_external_id', ['board_id', 'external_id'])
@Index('ix_sprints_open', ['board_id', 'completed_at', 'start_date', 'id'])
export class Sprint {
  @PrimaryGeneratedColumn({ type: 'integer' }) id: number;
  @Column({ type: 'integer' }) board_id: number;

  @ManyToOne(() => Board, { nullable: false })
  @JoinColumn({ name: 'board_id', foreignKeyConstraintName: 'fk_sprints_board' })
  board?: Relation<Board>;

  @Column({ type: 'varchar', length: 100, nullable: true }) name: string | null;
  @Column({ type: 'text', nullable: true }) goal: string | null;
  /** Calendar date `YYYY-MM-DD` in the board's time zone. */
  @Column({ type: 'date' }) start_date: string;
  /** The last day, inclusive. */
  @Column({ type: 'date', nullable: true }) end_date: string | null;
  /** When a client last started it; null if none has. */
  @Column({ type: 'datetime', precision: 3, nullable: true }) started_at: Date | null;
  @Column({ type: 'datetime', precision: 3, nullable: true }) completed_at: Date | null;
  /** Unique on its board. */
  @Column({ type: 'varchar', length: 100, nullable: true }) external_id: string | null;
  @Column({ type: 'datetime', precision: 3 }) created_at: Date;
  @Column({ type: 'datetime', precision: 3 }) updated_at: Date;
  @Column({ type: 'integer' }) version: number;
}
