import type { Relation } from 'typeorm';
import { Column, Entity, Index, JoinColumn, ManyToOne, PrimaryGeneratedColumn } from 'typeorm';
import type { Status } from '../stories/story.entity';
import { Story } from '../stories/story.entity';

/** A step of one story. */
@Entity('tasks')
@Index('ix_tasks_order', ['story_id', 'seq', 'id'])
export class Task {
  @PrimaryGeneratedColumn({ type: 'integer' }) id: number;
  @Column({ type: 'integer' }) story_id: number;

  @ManyToOne(() => Story, { nullable: false })
  @JoinColumn({ name: 'story_id', foreignKeyConstraintName: 'fk_tasks_story' })
  story?: Relation<Story>;

  @Column({ type: 'varchar', length: 255 }) title: string;
  @Column({ type: 'integer' }) seq: number;
  @Column({ type: 'varchar', length: 16 }) status: Status;
  @Column({ type: 'varchar', length: 100, nullable: true }) assignee: string | null;
  /** Unique in its story. */
  @Column({ type: 'varchar', length: 100, nullable: true }) external_id: string | null;
  @Column({ type: 'datetime', precision: 3 }) created_at: Date;
  @Column({ type: 'datetime', precision: 3 }) updated_at: Date;
  @Column({ type: 'datetime', precision: 3, nullable: true }) done_at: Date | null;
  @Column({ type: 'integer' }) version: number;
}
