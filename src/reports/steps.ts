import { TimeSlice } from '../time/time-slice';

/** A long computation that yields often, where it may pause. */
export type Steps<Result> = Generator<undefined, Result, undefined>;

/** Minimum milliseconds of work between two pauses; 20 reports may run at once. */
const WORK_MS = 2;

/**
 * Runs a long computation; other requests run between its steps.
 * @throws the reason of the signal, when that is aborted
 */
export async function inSteps<Result>(steps: Steps<Result>, signal?: AbortSignal): Promise<Result> {
  const timeSlice = new TimeSlice(WORK_MS);
  for (;;) {
    signal?.throwIfAborted();
    const step = steps.next();
    if (step.done) return step.value;
    if (timeSlice.isOver) await timeSlice.pause();
  }
}
