import { Column, Entity, PrimaryGeneratedColumn, Unique } from 'typeorm';

/** A named workspace, and the unit of consistency: whoever changes anything in it holds this row. */
@Entity('boards')
@Unique('uq_boards_name', ['name'])
export class Board {
  @PrimaryGeneratedColumn({ type: 'integer' })
  id: number;

  /** NFC, compared by code points. Null once the board is deleted and its rows are being removed. */
  @Column({ type: 'varchar', length: 100, nullable: true })
  name: string | null;

  /** IANA name. */
  @Column({ type: 'varchar', length: 64 })
  time_zone: string;

  /** Number of the latest event of the board's log. */
  @Column({ type: 'integer' })
  revision: number;

  @Column({ type: 'datetime', precision: 3 })
  created_at: string;

  @Column({ type: 'datetime', precision: 3 })
  updated_at: string;

  @Column({ type: 'integer' })
  version: number;

  /** The revision as of which the totals of the backlog are kept; see `BacklogTotals`. */
  @Column({ type: 'integer', nullable: true })
  backlog_revision: number | null;

  @Column({ type: 'integer', default: 0 })
  backlog_count: number;

  @Column({ type: 'integer', default: 0 })
  backlog_estimated: number;

  @Column({ type: 'bigint', default: 0 })
  backlog_hundredths: number;
}
