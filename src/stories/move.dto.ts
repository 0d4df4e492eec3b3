import { identifier, identifiers, Member, position } from '../common/fields';

/** Where stories are to stand: at an end of a list, or next to the story with this id. */
export type Position = 'first' | 'last' | { before: number } | { after: number };

export const MOST_MOVED = 1000;

export class MoveStory {
  @Member(identifier, {
    nullable: true,
    description:
      'The sprint whose list is meant; null: the backlog. Absent: the list of the story that ' +
      "`position` names, else the story's own.",
  })
  sprint_id?: number | null;

  @Member(position, { description: '`last` where it is absent.', example: { before: 42 } })
  position?: Position;
}

export class MoveStories extends MoveStory {
  @Member(identifiers(MOST_MOVED), {
    required: true,
    description: 'Different stories of the board, in the order in which they are to stand.',
  })
  story_ids: number[];
}
