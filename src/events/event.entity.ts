import type { Relation } from 'typeorm';
import { Column, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';
import { Board } from '../boards/board.entity';
import type { EventEntity, EventType } from './event';

/** One entry of a board's append-only log. */
@Entity('events')
@Index('ix_events_entity', ['entity_id', 'entity', 'entity_version', 'board_id', 'revision'])
@Index('ix_events_sprint', ['sprint_id', 'entity_id'])
export class Event {
  @PrimaryColumn({ type: 'integer', primaryKeyConstraintName: 'pk_events' }) board_id: number;

  @ManyToOne(() => Board, { nullable: false })
  @JoinColumn({ name: 'board_id', foreignKeyConstraintName: 'fk_events_board' })
  board?: Relation<Board>;

  @PrimaryColumn({ type: 'integer', primaryKeyConstraintName: 'pk_events' }) revision: number;
  @Column({ type: 'varchar', length: 32 }) type: EventType;
  @Column({ type: 'datetime', precision: 3 }) at: Date;
  @Column({ type: 'varchar', length: 255 }) actor: string;
  @Column({ type: 'varchar', length: 16 }) entity: EventEntity;
  @Column({ type: 'integer' }) entity_id: number;
  /** The entity's `version` after the event, which orders a history across boards. 0: unchanged. */
  @Column({ type: 'integer' }) entity_version: number;
  /** Of a story: the sprint that it is in after the event. Finds the events of a sprint. */
  @Column({ type: 'integer', nullable: true }) sprint_id: number | null;
  /** JSON object. */
  @Column({ type: 'text', nullable: true }) before: string | null;
  /** JSON object. */
  @Column({ type: 'text', nullable: true }) after: string | null;
}
