// Points have at most two decimals. Sums of them are taken in hundredths, which are whole numbers,
// so that they come out exact.

/** Points as a whole number of hundredths; null counts 0. */
export function hundredths(points: number | null): number {
  return points === null ? 0 : Math.round(points * 100);
}

/** A number of hundredths as points, rounded to two decimals. */
export function fromHundredths(value: number): number {
  return Math.round(value) / 100;
}

/** The sum of points, exact. */
export function sum(points: Iterable<number | null>): number {
  let total = 0;
  for (const each of points) total += hundredths(each);
  return fromHundredths(total);
}
