/** `npm run test:long` runs the tests of faults and of models in a long form, `npm run test:slow` in a short one. */
export const LONG = process.env.TESTS === 'long';

/** Returns the number of repetitions, or the duration, for the form that runs: the short one or the long one. */
export function scale(quick: number, long: number): number {
  return LONG ? long : quick;
}

/**
 * Returns five times the documented duration, because tests share their machine: they check the order of
 * magnitude, `bench/` measures.
 */
export function promised(ms: number): number {
  return 5 * ms;
}

/** A long deadline: on a busy machine changes wait long for the lock of their board. */
export const LONG_DEADLINE = { DATABASE_DEADLINE_MS: '20000' };

const cleanups: (() => unknown)[] = [];

/** Runs `cleanup` when the current test has ended, even if it failed; the latest registered runs first. */
export function afterwards(cleanup: () => unknown): void {
  cleanups.push(cleanup);
}

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});
