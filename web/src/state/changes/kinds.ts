import type { BoardState, Card } from '../model';
import type { Change, Kind } from './change';
import { STORY_KINDS, updated } from './story-kinds';
import { TASK_KINDS } from './task-kinds';

const KINDS = { ...STORY_KINDS, ...TASK_KINDS };

/** The kind of a change. TypeScript cannot relate the type of a change to that of its kind. */
export const kindOf = (change: Change): Kind<Change> => KINDS[change.kind];

/**
 * Applies changes in their order. Successive updates share a copy of the stories, because those of one gesture may be
 * hundreds.
 */
export function applyAll(before: BoardState, changes: readonly Change[]): BoardState {
  let state = before;
  let stories: Map<number, Card> | undefined;
  for (const change of changes) {
    if (change.kind === 'story.update') {
      if (!stories) state = { ...state, stories: (stories = new Map(state.stories)) };
      const story = stories.get(change.id);
      if (story) stories.set(story.id, updated(story, change.set));
    } else {
      state = kindOf(change).apply(state, change);
      stories = undefined;
    }
  }
  return state;
}

const DONE: Record<string, string> = {
  Create: 'Created',
  Move: 'Moved',
  Change: 'Changed',
  Delete: 'Deleted',
  Rename: 'Renamed',
};

/** A label in the past tense: “Moved Pay by card to Done”. */
export const asDone = (label: string): string =>
  label.replace(/^\w+/, (verb) => DONE[verb] ?? verb);
