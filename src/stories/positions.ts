import { Problem } from '../http/problem';
import { MAX_INT32, MIN_INT32 } from '../http/validation/numbers';

/** The sort key of a story in its list, which is in the order of `seq`, then `id`. */
export interface StorySeq {
  id: number;
  seq: number;
}

/** The stories on one side of a position in a list, the nearest first. */
export interface Side {
  stories: readonly StorySeq[];
  /** Whether the list ends after these. */
  complete: boolean;
}

/** A change of the `seq` of all stories from `first` to `last`, both included. */
export interface Shift {
  first: StorySeq;
  last: StorySeq;
  /** The number that is added to each `seq`. */
  by: number;
  /** The number of these stories. */
  count: number;
}

/** The unused values of `seq` at a position, after `shift` is applied. */
export interface Gap {
  /** Exclusive; less than any `seq` if the list begins here. */
  lower: number;
  /** Exclusive; greater than any `seq` if the list ends here. */
  upper: number;
  shift?: Shift;
}

const FLOOR = MIN_INT32 - 1;
const CEILING = MAX_INT32 + 1;

/**
 * Finds a gap for `count` stories between the two sides of a position. If it is too narrow, the stories
 * next to it are shifted: as few as possible, on the side with fewer of them, up to the first gap that
 * is wide enough. The shift is wider than necessary, in proportion to the number of shifted stories, so
 * that moving many stories to one position, one by one, does not shift the same ones each time.
 * @returns undefined if it needs more stories of the sides
 * @throws Problem `seq_exhausted` if there is no gap on either side
 */
export function findGap(count: number, below: Side, above: Side): Gap | undefined {
  if ([below, above].some(({ stories, complete }) => stories.length === 0 && !complete)) {
    return undefined;
  }
  const lower = below.stories[0]?.seq ?? FLOOR;
  const upper = above.stories[0]?.seq ?? CEILING;
  const lacking = count - (upper - lower - 1);
  if (lacking <= 0) return { lower, upper };

  const up = findShift(above, lacking, 1);
  const down = findShift(below, lacking, -1);
  const { shift, cost } = up.cost <= down.cost ? up : down;
  if (shift) {
    const { by } = shift;
    return by > 0 ? { lower, upper: upper + by, shift } : { lower: lower + by, upper, shift };
  }
  if (cost === Infinity) throw new Problem('seq_exhausted');
  return undefined;
}

/** Finds the shift of a side; `cost` is the number of stories that it changes or, if none is found, its minimum. */
function findShift(side: Side, lacking: number, sign: 1 | -1): { cost: number; shift?: Shift } {
  const { stories, complete } = side;
  const [nearest] = stories;
  for (const [i, story] of stories.entries()) {
    const next = stories[i + 1]?.seq ?? (complete ? (sign > 0 ? CEILING : FLOOR) : story.seq);
    const spare = sign * (next - story.seq) - 1 - lacking;
    if (spare < 0 || !nearest) continue;
    const count = i + 1;
    const by = sign * (lacking + Math.min(count, Math.floor(spare / 2)));
    const [first, last] = sign > 0 ? [nearest, story] : [story, nearest];
    return { cost: count, shift: { first, last, by, count } };
  }
  return { cost: complete ? Infinity : stories.length };
}

/**
 * Returns a `seq` for each story of a list, in their order, between two bounds, both exclusive. As many
 * stories as possible keep their `seq`. The others are spread over the gaps in between or, at an end of the
 * list, get consecutive numbers.
 */
export function assignSeqs(lower: number, upper: number, present: readonly number[]): number[] {
  const seqs = [...present];
  let from = lower;
  let start = 0;
  for (const end of [...keptIndices(lower, upper, present), present.length]) {
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
 * Returns the indices of the most numbers that can stay and leave enough values between them for the others. They are
 * the longest subsequence in which the number minus its index never decreases, found by patience sorting.
 */
function keptIndices(lower: number, upper: number, present: readonly number[]): number[] {
  const slack = present.map((seq, i) => seq - i);
  /** For each length, the index of the least value that ends a subsequence; and the predecessor of each index. */
  const ends: number[] = [];
  const previous: (number | undefined)[] = [];
  slack.forEach((value, i) => {
    if (value <= lower || value > upper - present.length) return;
    let length = 0;
    for (let high = ends.length; length < high;) {
      const middle = (length + high) >> 1;
      if ((slack[ends[middle] as number] as number) <= value) length = middle + 1;
      else high = middle;
    }
    previous[i] = ends[length - 1];
    ends[length] = i;
  });
  const kept: number[] = [];
  for (let i = ends.at(-1); i !== undefined; i = previous[i]) kept.push(i);
  return kept.reverse();
}
