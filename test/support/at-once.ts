import type { Steps } from '../../src/reports/steps';

/** Runs a long computation without a pause. */
export function atOnce<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}
