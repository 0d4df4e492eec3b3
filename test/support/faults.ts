/**
 * The tests of faults have a long form, which `npm run test:faults` runs, and a quick one for every
 * day, which does the same a few times and for a shorter while.
 */
export const LONG = process.env.FAULTS === 'long';

/** What a test does so often, or for so long. */
export function scale(quick: number, long: number): number {
  return LONG ? long : quick;
}

/**
 * Milliseconds that the long form, which has the machine for itself, allows; the quick one, which shares
 * it with other suites, only sees that the order of magnitude is right.
 */
export function promised(ms: number): number {
  return scale(5 * ms, ms);
}

const cleanups: (() => unknown)[] = [];

/** Has something done when the present test is over, however it ends; the last thing first. */
export function afterwards(cleanup: () => unknown): void {
  cleanups.push(cleanup);
}

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});
