import { identifier, identifiers, Member, position, Ruled } from '../http/validation';
import type { FieldError } from '../http/problem';

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

/** The story that a position is next to, if it is. */
export function neighbourOf(position: MoveStory['position']): number | undefined {
  return typeof position === 'object' ? Object.values(position)[0] : undefined;
}

/** The fault of a position next to a story that moves itself. */
export const BESIDE_ITSELF: FieldError = {
  pointer: '/position',
  code: 'invalid_value',
  detail: 'position names a story that is to be moved',
};

@Ruled<MoveStories>(({ story_ids: ids = [], position }) => {
  const faults = ids.flatMap((id, i): FieldError[] =>
    ids.indexOf(id) === i
      ? []
      : [
          {
            pointer: `/story_ids/${i}`,
            code: 'duplicate',
            detail: `story_ids names ${id} more than once`,
          },
        ],
  );
  return ids.includes(neighbourOf(position) ?? 0) ? [...faults, BESIDE_ITSELF] : faults;
})
export class MoveStories extends MoveStory {
  @Member(identifiers(MOST_MOVED), {
    required: true,
    description: 'Different stories of the board, in the order in which they are to stand.',
  })
  story_ids: number[];
}
