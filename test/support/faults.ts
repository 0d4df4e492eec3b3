/**
 * The tests of faults have a long form, which `npm run test:faults` runs, and a quick one for every
 * day, which does the same a few times and for a shorter while.
 */
export const LONG = process.env.FAULTS === 'long';

/** What a test does so often, or for so long. */
export function scale(quick: number, long: number): number {
  return LONG ? long : quick;
}

const cleanups: (() => unknown)[] = [];

/** Has something done when the present test is over, however it ends; the last thing first. */
export function afterwards(cleanup: () => unknown): void {
  cleanups.push(cleanup);
}

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});
