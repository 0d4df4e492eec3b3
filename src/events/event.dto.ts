import { integer, Member } from '../common/fields';
import { Shown, shown } from '../common/view';
import type { BoardEvent, EventEntity, EventType, Members } from './event';
import { EVENT_ENTITIES, EVENT_TYPES } from './event';

const members = { type: 'object', additionalProperties: true } as const;

export class EventView implements BoardEvent {
  @Shown(shown.text)
  board_name: string;

  @Shown(shown.id)
  revision: number;

  @Shown({ type: 'string', enum: EVENT_TYPES })
  type: EventType;

  @Shown(shown.instant)
  at: string;

  @Shown(shown.text)
  actor: string;

  @Shown({ type: 'string', enum: EVENT_ENTITIES })
  entity: EventEntity;

  @Shown(shown.id)
  id: number;

  @Shown(members, { nullable: true })
  before: Members | null;

  @Shown(members, { nullable: true })
  after: Members | null;
}

export class FeedQuery {
  @Member(integer(0, Number.MAX_SAFE_INTEGER), { description: 'Events after this revision; 0.' })
  after?: number;

  @Member(integer(1, 1000), { description: 'At most so many; 1,000.' })
  limit?: number;
}
