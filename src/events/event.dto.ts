import { integer, Member } from '../http/validation';
import { Shown, shown } from '../http/schema';
import type { BoardEvent, EventEntity, EventType, Members } from './event';
import { EVENT_ENTITIES, EVENT_TYPES } from './event';

const members = { type: 'object', additionalProperties: true } as const;

const BEFORE =
  'The members that changed, as they were; all of them where the entity went, null where it came. Of ' +
  '`stories.shifted`: `first` and `last`, each the `id` and the `seq` of a story.';

const AFTER =
  'The same members as they are from then on; all of them where the entity came, null where it went. ' +
  'Of `story.moved_in` also the `tasks` of the story. `stories.shifted` tells of many stories at once: ' +
  'those of the sprint with this `id` or, where the entity is the board, of its backlog, that stood ' +
  'from `before.first` to `before.last`, both included, in the order of `seq`, then `id`, but for those ' +
  'in `except`. There are `count` of them. The `seq` of each is raised by `by`, which may be negative, ' +
  'its `version` by one, and its `updated_at` is `at`. `first` and `last` are the same two stories.';

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

  @Shown({ ...members, description: BEFORE }, { nullable: true })
  before: Members | null;

  @Shown({ ...members, description: AFTER }, { nullable: true })
  after: Members | null;
}

export class FeedQuery {
  @Member(integer(0, Number.MAX_SAFE_INTEGER), { description: 'Events after this revision; 0.' })
  after?: number;

  @Member(integer(1, 1000), { description: 'At most so many; 1,000.' })
  limit?: number;
}
