import { Column, Entity, PrimaryGeneratedColumn, Unique } from 'typeorm';
import type { Weekday } from './working-days';
import { DEFAULT_WORKING_DAYS, parseWorkingDays, storedWorkingDays } from './working-days';

/** The version of a board that is being loaded. Such a board has no name, so no request can find it. */
export const LOADING = 0;

/** A named workspace and the unit of consistency: every change in a board locks this row first. */
@Entity('boards')
@Unique('uq_boards_name', ['name'])
export class Board {
  @PrimaryGeneratedColumn({ type: 'integer' }) id: number;
  /** NFC, compared by code points. Null when the board is being loaded, or deleted and its rows are being removed. */
  @Column({ type: 'varchar', length: 100, nullable: true }) name: string | null;
  /** IANA name. */
  @Column({ type: 'varchar', length: 64 }) time_zone: string;

  @Column({
    type: 'varchar',
    length: 27,
    default: storedWorkingDays(DEFAULT_WORKING_DAYS),
    transformer: { to: storedWorkingDays, from: parseWorkingDays },
  })
  working_days: Weekday[];

  /** Number of the latest event of the board's log. */
  @Column({ type: 'integer' }) revision: number;

  /**
   * A new random string for each revision. Entity tags contain it, so that a restored backup that reaches
   * the same revision with other content never repeats a tag. Empty in rows from before this column.
   */
  @Column({ type: 'varchar', length: 16, default: '' }) revision_tag: string;

  @Column({ type: 'datetime', precision: 3 }) created_at: Date;
  @Column({ type: 'datetime', precision: 3 }) updated_at: Date;
  @Column({ type: 'integer' }) version: number;
}
