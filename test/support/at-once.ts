import type { Steps } from '../../src/reports/steps';

/** Runs a computation in steps to its end, without pauses. */
export function atOnce<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}
