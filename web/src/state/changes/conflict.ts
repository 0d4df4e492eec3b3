import { ApiError } from '../../api/problem';
import type { Pending } from './pending';
import type { Target } from './rows';
import { storyTarget, targetOf } from './rows';

/** Changes that were not made because someone else changed the row before. */
export interface Conflict {
  label: string;
  entries: readonly Pending[];
  target: Target;
  /** The version and the revision that the user saw. */
  seen: number;
  revision: number;
}

/** The error of a move of several stories after someone else has moved or deleted one of them. */
export class StoryChanged extends ApiError {
  constructor(
    readonly storyId: number,
    readonly seen: number,
  ) {
    super(412, 'precondition_failed', 'Someone else has changed it.');
  }
}

/** The conflict of entries that wait for a decision of the user; undefined if there is none. */
export function conflictOf(entries: readonly Pending[]): Conflict | undefined {
  const [first] = entries;
  if (!first) return undefined;
  const { changed, change, seen = 0, revision } = first;
  const target = changed === undefined ? targetOf(change) : storyTarget(changed);
  if (!target) return undefined;
  const labels = [...new Set(entries.map(({ label }) => label))];
  return { label: labels.join('; '), entries, target, seen, revision };
}
