import type { Change, Kind } from './change';
import { STORY_KINDS } from './story-kinds';
import { TASK_KINDS } from './task-kinds';

const KINDS = { ...STORY_KINDS, ...TASK_KINDS };

/** The kind of a change. TypeScript cannot relate the type of a change to that of its kind. */
export const kindOf = (change: Change): Kind<Change> => KINDS[change.kind];

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
