import { TimeSlice } from '../../time/time-slice';

/** The number of rows that are sorted without a pause. */
const PART = 500;

type Compare<Row> = (a: Row, b: Row) => number;

/**
 * Sorts rows like `toSorted`, and lets other requests run meanwhile: 190,000 rows in the order of their texts would
 * block them for seconds.
 */
export async function sorted<Row>(rows: readonly Row[], compare: Compare<Row>): Promise<Row[]> {
  const timeSlice = new TimeSlice();
  let parts: Row[][] = [];
  for (let start = 0; start < rows.length; start += PART) {
    parts.push(rows.slice(start, start + PART).sort(compare));
    await timeSlice.pause();
  }
  while (parts.length > 1) {
    const pairs: Row[][] = [];
    for (let i = 0; i < parts.length; i += 2) {
      const [one = [], other = []] = parts.slice(i, i + 2);
      pairs.push(await merged(one, other, compare, timeSlice));
    }
    parts = pairs;
  }
  return parts[0] ?? [];
}

async function merged<Row>(
  one: readonly Row[],
  other: readonly Row[],
  compare: Compare<Row>,
  timeSlice: TimeSlice,
): Promise<Row[]> {
  const rows: Row[] = [];
  let next = 0;
  for (const row of one) {
    while (next < other.length && compare(other[next] as Row, row) < 0) {
      rows.push(other[next] as Row);
      next += 1;
      if (timeSlice.isOver) await timeSlice.pause();
    }
    rows.push(row);
    if (timeSlice.isOver) await timeSlice.pause();
  }
  return rows.concat(other.slice(next));
}
