import { Problem } from '../http/problem';
import { GREATEST_SEQ, LEAST_SEQ } from './story.entity';

/** Where a story stands in its list, which is in the order of `seq`, then `id`. */
export interface Seat {
  id: number;
  seq: number;
}

/** The stories on one side of a place in a list, the nearest first. */
export interface Side {
  seats: readonly Seat[];
  /** Whether there are no more of them. */
  whole: boolean;
}

/** Stories that give way together: all from `first` to `last`, both included. */
export interface Shift {
  first: Seat;
  last: Seat;
  /** What is added to the `seq` of each. */
  by: number;
  /** How many stories these are. */
  count: number;
}

/** What is open at a place once `shift` has been made: each `seq` between two others. */
export interface Room {
  /** Exclusive; beyond the range of `seq` where the list begins here. */
  lower: number;
  /** Exclusive; beyond the range of `seq` where the list ends here. */
  upper: number;
  shift?: Shift;
}

const FLOOR = LEAST_SEQ - 1;
const CEILING = GREATEST_SEQ + 1;

/**
 * Room for so many stories between the two sides of a place. Where it is too narrow, the stories next
 * to it give way: as few as can be, on the side where they are fewer, up to the first gap that takes
 * them up. They leave more room than is needed, in proportion to their number, so that moving many
 * stories to one place, one by one, does not push the same ones along each time.
 * @returns undefined where the sides do not reach far enough to tell
 * @throws Problem `seq_exhausted` where there is no gap on either side
 */
export function roomFor(count: number, below: Side, above: Side): Room | undefined {
  if ([below, above].some(({ seats, whole }) => seats.length === 0 && !whole)) return undefined;
  const lower = below.seats[0]?.seq ?? FLOOR;
  const upper = above.seats[0]?.seq ?? CEILING;
  const lacking = count - (upper - lower - 1);
  if (lacking <= 0) return { lower, upper };

  const up = run(above, lacking, 1);
  const down = run(below, lacking, -1);
  const { shift, cost } = up.cost < down.cost || (up.cost === down.cost && up.shift) ? up : down;
  if (shift) {
    const { by } = shift;
    return by > 0 ? { lower, upper: upper + by, shift } : { lower: lower + by, upper, shift };
  }
  if (cost === Infinity) throw new Problem('seq_exhausted');
  return undefined;
}

/** How the nearest stories of a side give way, and how many they are; or at least are, if unknown. */
function run(side: Side, lacking: number, sign: 1 | -1): { cost: number; shift?: Shift } {
  const { seats, whole } = side;
  const [nearest] = seats;
  for (const [i, seat] of seats.entries()) {
    const next = seats[i + 1]?.seq ?? (whole ? (sign > 0 ? CEILING : FLOOR) : seat.seq);
    const spare = sign * (next - seat.seq) - 1 - lacking;
    if (spare < 0 || !nearest) continue;
    const count = i + 1;
    const by = sign * (lacking + Math.min(count, Math.floor(spare / 2)));
    const [first, last] = sign > 0 ? [nearest, seat] : [seat, nearest];
    return { cost: count, shift: { first, last, by, count } };
  }
  return { cost: whole ? Infinity : seats.length };
}

/**
 * The `seq` for each of some stories that are to stand between two bounds, both exclusive, in this
 * order. Of those that they have, as many stay as can; the others are spread over the gaps between
 * them or, at an end of the list, are next to each other.
 */
export function seqsBetween(lower: number, upper: number, present: readonly number[]): number[] {
  const seqs = [...present];
  let from = lower;
  let start = 0;
  for (const end of [...staying(lower, upper, present), present.length]) {
    const to = seqs[end] ?? upper;
    const count = end - start;
    for (let i = 1; i <= count; i += 1) seqs[start + i - 1] = spread(from, to, i, count);
    from = to;
    start = end + 1;
  }
  return seqs;
}

function spread(from: number, to: number, i: number, count: number): number {
  if (to < CEILING && from > FLOOR) return from + Math.floor(((to - from) * i) / (count + 1));
  if (to < CEILING) return to - count - 1 + i;
  return (from > FLOOR ? from : 0) + i;
}

/**
 * Which of some numbers can stay where they are, at most so many, so that the others find room
 * between them: less the numbers before them, they must not descend. The longest such subsequence,
 * found by patience sorting.
 */
function staying(lower: number, upper: number, present: readonly number[]): number[] {
  const slack = present.map((seq, i) => seq - i);
  /** Where the least end of a subsequence of each length is, and what comes before each. */
  const ends: number[] = [];
  const before: (number | undefined)[] = [];
  slack.forEach((value, i) => {
    if (value <= lower || value > upper - present.length) return;
    let length = 0;
    for (let high = ends.length; length < high;) {
      const middle = (length + high) >> 1;
      if ((slack[ends[middle] as number] as number) <= value) length = middle + 1;
      else high = middle;
    }
    before[i] = ends[length - 1];
    ends[length] = i;
  });
  const found: number[] = [];
  for (let i = ends.at(-1); i !== undefined; i = before[i]) found.push(i);
  return found.reverse();
}
