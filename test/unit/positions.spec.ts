import * as fc from 'fast-check';
import { Problem } from '../../src/http/problem';
import type { Gap, StorySeq, Side } from '../../src/stories/positions';
import { findGap, assignSeqs } from '../../src/stories/positions';

const LEAST = -(2 ** 31);
const GREATEST = 2 ** 31 - 1;

/** Generates lists without gaps, with duplicates, with gaps, and at both ends of the range. */
const lists = fc
  .tuple(
    fc.constantFrom(0, LEAST, GREATEST - 40),
    fc.array(fc.nat(40), { maxLength: 30 }),
    fc.nat(30),
  )
  .map(([origin, seqs, cut]) => {
    const list = seqs
      .toSorted((a, b) => a - b)
      .map((seq, i): StorySeq => ({ id: i + 1, seq: Math.min(GREATEST, origin + seq) }));
    return { list, cut: Math.min(cut, list.length) };
  });

const sidesOf = (list: StorySeq[], cut: number, depth = Infinity): [Side, Side] => [
  { stories: list.slice(0, cut).reverse().slice(0, depth), complete: cut <= depth },
  { stories: list.slice(cut).slice(0, depth), complete: list.length - cut <= depth },
];

/** Returns the list after a shift, as the database applies it. */
const shifted = (list: StorySeq[], { shift }: Gap): StorySeq[] => {
  const after = (a: StorySeq, b: StorySeq): boolean =>
    a.seq > b.seq || (a.seq === b.seq && a.id >= b.id);
  return list.map((story) =>
    shift && after(story, shift.first) && after(shift.last, story)
      ? { ...story, seq: story.seq + shift.by }
      : story,
  );
};

/** Finds the least number of stories that must be shifted by brute force; 0 if the gap is wide enough. */
const fewest = (list: StorySeq[], cut: number, count: number): number => {
  const seqs = list.map(({ seq }) => seq);
  const at = (i: number): number => seqs[i] ?? (i < 0 ? LEAST - 1 : GREATEST + 1);
  const lacking = count - (at(cut) - at(cut - 1) - 1);
  if (lacking <= 0) return 0;
  for (let n = 1; n <= list.length; n += 1) {
    if (cut + n <= list.length && at(cut + n) - at(cut + n - 1) > lacking) return n;
    if (cut - n >= 0 && at(cut - n) - at(cut - n - 1) > lacking) return n;
  }
  return Infinity;
};

describe('the gap for moved stories', () => {
  it('is wide enough, keeps the order of the others, and shifts as few of them as possible', () => {
    fc.assert(
      fc.property(lists, fc.integer({ min: 1, max: 12 }), ({ list, cut }, count) => {
        const least = fewest(list, cut, count);
        if (least === Infinity) {
          expect(() => findGap(count, ...sidesOf(list, cut))).toThrow(Problem);
          return;
        }
        const gap = findGap(count, ...sidesOf(list, cut)) as Gap;
        const after = shifted(list, gap);
        expect(gap.upper - gap.lower).toBeGreaterThan(count);
        expect(after.filter((story, i) => story !== list[i])).toHaveLength(least);
        expect(gap.shift?.count ?? 0).toBe(least);
        expect([...after].sort((a, b) => a.seq - b.seq || a.id - b.id)).toEqual(after);
        expect(after[cut - 1]?.seq ?? LEAST - 1).toBe(gap.lower);
        expect(after[cut]?.seq ?? GREATEST + 1).toBe(gap.upper);
        for (const { seq } of after) {
          expect(seq).toBeGreaterThanOrEqual(LEAST);
          expect(seq).toBeLessThanOrEqual(GREATEST);
        }
        for (let i = 1; i < list.length; i += 1) {
          const [was, is] = [list, after].map((l) => (l[i]?.seq ?? 0) > (l[i - 1]?.seq ?? 0));
          if (was) expect(is).toBe(true);
        }
      }),
      { numRuns: 1000 },
    );
  });

  it('shifts as few stories, however few of the list are read at a time', () => {
    fc.assert(
      fc.property(
        lists,
        fc.integer({ min: 1, max: 12 }),
        fc.integer({ min: 1, max: 5 }),
        ({ list, cut }, count, step) => {
          const least = fewest(list, cut, count);
          fc.pre(least !== Infinity);
          let gap: Gap | undefined;
          for (let depth = 0; !gap; depth += step) {
            expect(depth).toBeLessThanOrEqual(list.length + step);
            gap = findGap(count, ...sidesOf(list, cut, depth));
          }
          expect(gap.shift?.count ?? 0).toBe(least);
        },
      ),
      { numRuns: 1000 },
    );
  });

  it('needs more stories of a side only if that side may shift fewer than the other one', () => {
    const partOfSide: Side = { stories: [{ id: 1, seq: 4 }], complete: false };
    const above = (...seqs: number[]): Side => ({
      stories: seqs.map((seq, i) => ({ id: i + 2, seq })),
      complete: true,
    });
    expect(findGap(1, partOfSide, above(5))?.shift?.count).toBe(1);
    expect(findGap(1, partOfSide, above(5, 6))).toBeUndefined();
  });

  it('is wider than necessary in proportion to the shifted stories, so the next moves shift none', () => {
    let list = Array.from({ length: 1000 }, (_, i): StorySeq => ({ id: i + 1, seq: i + 1 }));
    let shifts = 0;
    for (let i = 0; i < 1000; i += 1) {
      const gap = findGap(1, ...sidesOf(list, 500)) as Gap;
      if (gap.shift) shifts += gap.shift.count;
      const [seq = 0] = assignSeqs(gap.lower, gap.upper, [0]);
      const after = shifted(list, gap);
      list = [...after.slice(0, 500), { id: 1001 + i, seq }, ...after.slice(500)];
    }
    expect(shifts).toBeLessThan(20_000);
  });
});

describe('moved stories', () => {
  it('get ascending seqs between the bounds, and as many stories as possible keep their seq', () => {
    const cases = fc
      .tuple(
        fc.array(fc.integer({ min: -3, max: 14 }), { minLength: 1, maxLength: 8 }),
        fc.integer({ min: -4, max: 6 }),
        fc.nat(6),
      )
      .map(([present, lower, spare]) => ({
        present,
        lower,
        upper: lower + present.length + 1 + spare,
      }));
    fc.assert(
      fc.property(cases, ({ present, lower, upper }) => {
        const seqs = assignSeqs(lower, upper, present);
        const all = [lower, ...seqs, upper];
        all.slice(1).forEach((seq, i) => expect(seq).toBeGreaterThan(all[i] as number));
        const kept = seqs.filter((seq, i) => seq === present[i]).length;
        expect(kept).toBe(mostKept(present, lower, upper));
      }),
      { numRuns: 1000 },
    );
  });

  it('get consecutive seqs at an end of the list', () => {
    expect(assignSeqs(LEAST - 1, 5, [9, 9, 9])).toEqual([2, 3, 4]);
    expect(assignSeqs(5, GREATEST + 1, [1, 1, 1])).toEqual([6, 7, 8]);
    expect(assignSeqs(LEAST - 1, GREATEST + 1, [GREATEST, LEAST])).toEqual([1, 2]);
  });

  it('get seqs that are spread over the gap within the list', () => {
    expect(assignSeqs(0, 100, [0, 0, 0])).toEqual([25, 50, 75]);
    expect(assignSeqs(0, 4, [0, 0, 0])).toEqual([1, 2, 3]);
  });
});

/** Finds the greatest number of stories that can keep their seq by brute force. */
function mostKept(present: number[], lower: number, upper: number): number {
  let most = 0;
  for (let choice = 0; choice < 2 ** present.length; choice += 1) {
    let from = lower;
    let free = 0;
    let kept = 0;
    const fits = [...present, upper].every((seq, i) => {
      if (i < present.length && !(choice & (1 << i))) {
        free += 1;
        return true;
      }
      if (seq - from - 1 < free) return false;
      from = seq;
      free = 0;
      kept += 1;
      return true;
    });
    if (fits) most = Math.max(most, kept - 1);
  }
  return most;
}
