import { Check, Doc, IsId, IsIdList, IsPosition, Nullable, Optional } from '../http/validation';

/** A position in a list: an end of it, or next to the story with this id. */
export type Position = 'first' | 'last' | { before: number } | { after: number };

const MAX_MOVED = 1000;

export class MoveStory {
  @Nullable()
  @IsId()
  @Doc({
    description:
      'The sprint to move to; null: the backlog. Default: the list of the story that `position` ' +
      'names, else the list that the story is in.',
  })
  sprint_id?: number | null;

  @Optional()
  @IsPosition()
  @Doc({ description: 'Default: `last`.', example: { before: 42 } })
  position?: Position;
}

export class MoveStories extends MoveStory {
  @Check<MoveStories>(
    'invalid_value',
    'names a story that is to be moved',
    (position, { story_ids: ids }) =>
      !Array.isArray(ids) ||
      !Object.values(position as object).some((id) => ids.includes(id as number)),
  )
  override position?: Position;

  @IsIdList(MAX_MOVED)
  @Doc({ description: 'Different stories of the board, in their new order.' })
  story_ids: number[];
}
