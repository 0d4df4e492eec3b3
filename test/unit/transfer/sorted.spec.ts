import { sorted } from '../../../src/transfer/files/sorted';
import { afterwards } from '../../support/faults';

/** Rows with a few different ranks, in no order. */
const rowsOf = (length: number): { rank: number; line: number }[] =>
  Array.from({ length }, (_, line) => ({ rank: (line * 7919) % 1009, line }));

it.each([0, 1, 2, 499, 500, 501, 1499, 20_000])(
  'sorts %d rows, and keeps the order of equal ones',
  async (length) => {
    const rows = rowsOf(length);
    const byRank = (a: { rank: number }, b: { rank: number }): number => a.rank - b.rank;
    expect(await sorted(rows, byRank)).toEqual(rows.toSorted(byRank));
  },
);

it('lets others run while it sorts many rows', async () => {
  // A clock on which each look takes a millisecond.
  let now = 0;
  const clock = jest.spyOn(performance, 'now').mockImplementation(() => (now += 1));
  afterwards(() => clock.mockRestore());
  let compared = 0;
  let most = 0;
  let isSorted = false;
  const watch = (): void => {
    most = Math.max(most, compared);
    compared = 0;
    if (!isSorted) setImmediate(watch);
  };
  setImmediate(watch);
  await sorted(rowsOf(20_000), (a, b) => {
    compared += 1;
    return a.rank - b.rank;
  });
  isSorted = true;
  expect(most).toBeGreaterThan(0);
  expect(most).toBeLessThan(20_000);
});
