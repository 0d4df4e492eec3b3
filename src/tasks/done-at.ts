import type { Status } from '../stories/story.entity';

/**
 * Returns the `done_at` of a story or a task after a change of its fields: the time that an import sends, otherwise the
 * time at which the status became `done`; undefined if `done_at` does not change.
 */
export function doneAtAfter(
  { status, done_at }: { status?: Status; done_at?: string | null },
  now: string,
): string | null | undefined {
  if (done_at !== undefined || status === undefined) return done_at;
  return status === 'done' ? now : null;
}
