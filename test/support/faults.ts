/** `npm run test:long` runs the tests of faults and of models in a long form, `npm run test:slow` in a short one. */
export const LONG = process.env.TESTS === 'long';

/** A number of repetitions, or a duration, of the quick form and of the long one. */
export function scale(quick: number, long: number): number {
  return LONG ? long : quick;
}

/**
 * Milliseconds that a test allows for what takes at most so many on a machine of its own: the tests show
 * that the order of magnitude is right, `bench/` measures.
 */
export function promised(ms: number): number {
  return 5 * ms;
}

/** A deadline that changes meet on a busy machine, too, where they wait long for the lock of their board. */
export const PATIENT = { DATABASE_DEADLINE_MS: '20000' };

const cleanups: (() => unknown)[] = [];

/** Runs `cleanup` when the present test has ended, also after a failure; the latest is run first. */
export function afterwards(cleanup: () => unknown): void {
  cleanups.push(cleanup);
}

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});
