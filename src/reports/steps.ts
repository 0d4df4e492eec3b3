import { setImmediate } from 'node:timers/promises';

/** A long computation that yields where it may pause. */
export type Steps<Result> = Generator<undefined, Result, undefined>;

/** The events, or states of stories, that a report processes in a step, which takes some milliseconds. */
export const STEP = 1000;

/** Runs a long computation; other requests run between its steps. */
export async function inSteps<Result>(steps: Steps<Result>): Promise<Result> {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    await setImmediate();
  }
}
