import { IsPosition, IsWordOrId } from '../http/validation/choices';
import { IsIdList } from '../http/validation/collections';
import { Doc, MayBeAbsent, MayBeAbsentOrNull, Rule } from '../http/validation/property';
import type { SprintOfBody } from './sprint-of-body';
import { SPRINT_WORDS } from './sprint-of-body';

/** A position in a list: an end of it, or next to the story with this id. */
export type Position = 'first' | 'last' | { before: number } | { after: number };

export class MoveStory {
  /**
   * The sprint to move to, by its id or as `current` or `next` of the board; null: the backlog. Default: the list
   * of the story that `position` names, otherwise the list of the story that is moved.
   */
  @MayBeAbsentOrNull() @IsWordOrId(SPRINT_WORDS) sprint_id?: SprintOfBody;
  /** Default: `last`. */
  @MayBeAbsent() @IsPosition() @Doc({ example: { before: 42 } }) position?: Position;
}

export class MoveStories extends MoveStory {
  // Rules of an overridden property replace those of its base class; the last one is checked first.
  @Rule<MoveStories>(
    'invalid_value',
    'must not be next to one of the moved stories',
    (position, { story_ids: ids }) =>
      !Array.isArray(ids) ||
      !Object.values(position as object).some((id) => ids.includes(id as number)),
  )
  @MayBeAbsent()
  @IsPosition()
  override position?: Position;

  /** Different stories of the board, in their new order. */
  @IsIdList(1000) story_ids: number[];
}
