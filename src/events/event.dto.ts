import { ApiProperty } from '@nestjs/swagger';
import { AnyOf, AnyText } from '../http/lists/filters';
import { EnumField, IdField, InstantField } from '../http/responses/schema';
import { IsOneOf } from '../http/validation/choices';
import { IsInteger } from '../http/validation/numbers';
import { MayBeAbsent } from '../http/validation/property';
import type { EventEntity, EventType, Fields } from './event';
import { EVENT_ENTITIES, EVENT_TYPES } from './event';

const fields = { type: 'object', additionalProperties: true } as const;

const BEFORE =
  'The properties that changed, with their old values; all properties of a deleted entity, null for a ' +
  'created one. Of `stories.shifted`: `first` and `last`, each the `id` and the `seq` of a story.';

const AFTER =
  'The same properties with their new values; all properties of a created entity, null for a deleted ' +
  'one. `story.moved_in` also has the `tasks` of the story. `story.moved_out` has the new board and sprint, but no ' +
  'other change of the same request; only `before` has the description if the request replaced it. ' +
  '`stories.shifted` is about many stories of ' +
  'the sprint with this `id` or, if the entity is the board, of its backlog: those from `before.first` ' +
  'to `before.last`, both included, in the old order of `seq`, then `id`, without the stories in ' +
  '`except`. Their number is `count`. The `seq` of each is raised by `by`, which may be negative, ' +
  'its `version` by one, and its `updated_at` is `at`. `first` and `last` are the same two stories.';

/** One entry of the log of a board. */
export class EventView {
  @ApiProperty() board_name: string;
  /** Counts from 1 without a gap. */
  @IdField() revision: number;
  @EnumField(EVENT_TYPES) type: EventType;
  @InstantField() at: string;
  @ApiProperty() actor: string;
  @EnumField(EVENT_ENTITIES) entity: EventEntity;
  @IdField() id: number;
  @ApiProperty({ ...fields, description: BEFORE }) before: Fields | null;
  @ApiProperty({ ...fields, description: AFTER }) after: Fields | null;
}

export class FeedQuery {
  /** Only events after this revision. Default: 0. */
  @MayBeAbsent() @IsInteger(0, Number.MAX_SAFE_INTEGER) after?: number;
  /** The greatest number of events. Default: 1,000. */
  @MayBeAbsent() @IsInteger(1, 1000) limit?: number;
  @MayBeAbsent() @AnyOf(EVENT_TYPES) type?: (EventType | null)[];
  @MayBeAbsent() @AnyOf(EVENT_ENTITIES) entity?: (EventEntity | null)[];
  /** Names of tokens, or `anonymous`. */
  @MayBeAbsent() @AnyText(255) actor?: (string | null)[];
  /** Takes precedence over `Accept`. */
  @MayBeAbsent() @IsOneOf(['json', 'csv']) format?: 'json' | 'csv';
}

export class StreamQuery {
  /** Continues after this revision. `Last-Event-ID` takes precedence. Default: from now. */
  @MayBeAbsent() @IsInteger(0, Number.MAX_SAFE_INTEGER) after?: number;
  /** Only if the board has this id; otherwise 404, as the name may belong to another board by now. */
  @MayBeAbsent() @IsInteger(1, Number.MAX_SAFE_INTEGER) board_id?: number;
  /** Only events of these types. */
  @MayBeAbsent() @AnyOf(EVENT_TYPES) type?: (EventType | null)[];
}
