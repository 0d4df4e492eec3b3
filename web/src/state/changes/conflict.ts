import { ApiError } from '../../api/problem';
import type { Event } from '../../api/types';
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

/** What the user knows of the row of a conflict after the changes that were shown, as options of the next change. */
export function seenOf(
  { seen, revision, entries }: Conflict,
  shown: readonly Event[],
): { seen?: number; revision?: number } {
  // A move of several stories depends on where the user sees each of them.
  if (entries.some(({ changed }) => changed !== undefined)) return {};
  const last = shown.at(-1);
  const { version = seen } = (last?.after ?? {}) as { version?: number };
  return { seen: version, revision: last?.revision ?? revision };
}

/** The label of the changes of one gesture, with their number unless they are all of it. */
export function labelOf(entries: readonly Pending[]): string {
  const { label, count = entries.length } = entries[0]!;
  return entries.length < count ? `${label} (${entries.length} of ${count} changes)` : label;
}

/** The conflict of entries that wait for a decision of the user; undefined if there is none. */
export function conflictOf(entries: readonly Pending[]): Conflict | undefined {
  const [first] = entries;
  if (!first) return undefined;
  const { changed, change, seen = 0, revision } = first;
  const target = changed === undefined ? targetOf(change) : storyTarget(changed);
  if (!target) return undefined;
  const gestures = new Set(entries.map(({ gesture }) => gesture));
  const labels = [...gestures].map((each) =>
    labelOf(entries.filter(({ gesture }) => gesture === each)),
  );
  return { label: [...new Set(labels)].join('; '), entries, target, seen, revision };
}
