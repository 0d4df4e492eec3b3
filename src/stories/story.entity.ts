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
import { Board } from '../boards/board.entity';
import { Sprint } from '../sprints/sprint.entity';

export const STATUSES = ['todo', 'in_progress', 'done'] as const;
export type Status = (typeof STATUSES)[number];

/**
 * A piece of work of one board, in one of its sprints or, without one, in the backlog. Its rows are read and written as
 * the database stores them; `representStory`, `storyColumns` and `StoryWriter.update` convert them.
 */
@Entity('stories')
@Unique('uq_stories_external_id', ['board_id', 'external_id'])
@Index('ix_stories_list', ['board_id', 'sprint_id', 'seq', 'id'])
@Index('ix_stories_board', ['board_id', 'seq', 'id'])
@Index('ix_stories_updated', ['board_id', 'updated_at', 'id'])
@Index('ix_stories_sprint', ['sprint_id'])
export class Story {
  @PrimaryGeneratedColumn({ type: 'integer' }) id: number;
  @Column({ type: 'integer' }) board_id: number;

  @ManyToOne(() => Board, { nullable: false })
  @JoinColumn({ name: 'board_id', foreignKeyConstraintName: 'fk_stories_board' })
  board?: Relation<Board>;

  @Column({ type: 'integer', nullable: true }) sprint_id: number | null;

  @ManyToOne(() => Sprint, { nullable: true })
  @JoinColumn({ name: 'sprint_id', foreignKeyConstraintName: 'fk_stories_sprint' })
  sprint?: Relation<Sprint> | null;

  @Column({ type: 'varchar', length: 255 }) title: string;
  @Column({ type: 'text', nullable: true }) description: string | null;
  /** Position in the list. Stories with the same `seq` are in the order of their ids. */
  @Column({ type: 'integer' }) seq: number;
  /** Smaller is more urgent. */
  @Column({ type: 'integer', nullable: true }) priority: number | null;
  @Column({ type: 'varchar', length: 16 }) status: Status;
  @Column({ type: 'decimal', precision: 6, scale: 2, nullable: true }) points: number | null;
  @Column({ type: 'varchar', length: 100, nullable: true }) assignee: string | null;
  /** In the form of `storedLabels`. */
  @Column({ type: 'text' }) labels: string;
  @Column({ type: 'varchar', length: 100, nullable: true }) external_id: string | null;
  /** Title and description in the form that the filter `q` compares; see `searchable`. */
  @Column({ type: 'text' }) search: string;
  @Column({ type: 'datetime', precision: 3 }) created_at: Date;
  @Column({ type: 'datetime', precision: 3 }) updated_at: Date;
  /** When the status became `done`. */
  @Column({ type: 'datetime', precision: 3, nullable: true }) done_at: Date | null;
  @Column({ type: 'integer' }) version: number;
}
