import { Pace } from '../time/pace';

/** A long computation that yields often, where it may pause. */
export type Steps<Result> = Generator<undefined, Result, undefined>;

/** Minimum milliseconds of work between two pauses; 20 reports may run at once. */
const WORK_MS = 2;

/**
 * Runs a long computation; other requests run between its steps.
 * @throws the reason of the signal, when that is aborted
 */
export async function inSteps<Result>(steps: Steps<Result>, signal?: AbortSignal): Promise<Result> {
  const pace = new Pace(WORK_MS);
  for (;;) {
    signal?.throwIfAborted();
    const step = steps.next();
    if (step.done) return step.value;
    if (pace.isDue) await pace.pause();
  }
}
