// Points have at most two decimals. They are added as integers of hundredths, so that sums are exact.

/** Points as an integer of hundredths; null counts as 0. */
export function hundredths(points: number | null): number {
  return points === null ? 0 : Math.round(points * 100);
}

/** Hundredths as points, rounded to two decimals. */
export function fromHundredths(value: number): number {
  return Math.round(value) / 100;
}

/** The exact sum of points. */
export function sum(points: Iterable<number | null>): number {
  let total = 0;
  for (const each of points) total += hundredths(each);
  return fromHundredths(total);
}
