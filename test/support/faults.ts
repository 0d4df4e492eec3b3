/** `npm run test:slow` runs the tests of faults and of models in a long form. */
export const LONG = process.env.SLOW !== undefined;

/** A number of repetitions, or a duration, of the quick form and of the long one. */
export function scale(quick: number, long: number): number {
  return LONG ? long : quick;
}

/**
 * Milliseconds that a promise allows. The quick form shares the machine with other suites, so it allows
 * five times as many.
 */
export function promised(ms: number): number {
  return scale(5 * ms, ms);
}

const cleanups: (() => unknown)[] = [];

/** Runs `cleanup` when the present test has ended, also after a failure; the latest is run first. */
export function afterwards(cleanup: () => unknown): void {
  cleanups.push(cleanup);
}

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});
