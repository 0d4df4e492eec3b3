import * as fc from 'fast-check';
import { Problem } from '../../src/http/problem';
import type { Room, Seat, Side } from '../../src/stories/placement';
import { roomFor, seqsBetween } from '../../src/stories/placement';

const LEAST = -(2 ** 31);
const GREATEST = 2 ** 31 - 1;

/** Lists that are dense, with duplicates, with gaps, and at both ends of the range. */
const lists = fc
  .tuple(
    fc.constantFrom(0, LEAST, GREATEST - 40),
    fc.array(fc.nat(40), { maxLength: 30 }),
    fc.nat(30),
  )
  .map(([origin, seqs, cut]) => {
    const list = seqs
      .toSorted((a, b) => a - b)
      .map((seq, i): Seat => ({ id: i + 1, seq: Math.min(GREATEST, origin + seq) }));
    return { list, cut: Math.min(cut, list.length) };
  });

const sidesOf = (list: Seat[], cut: number, depth = Infinity): [Side, Side] => [
  { seats: list.slice(0, cut).reverse().slice(0, depth), whole: cut <= depth },
  { seats: list.slice(cut).slice(0, depth), whole: list.length - cut <= depth },
];

/** What the database does with a shift. */
const shifted = (list: Seat[], { shift }: Room): Seat[] => {
  const after = (a: Seat, b: Seat): boolean => a.seq > b.seq || (a.seq === b.seq && a.id >= b.id);
  return list.map((seat) =>
    shift && after(seat, shift.first) && after(shift.last, seat)
      ? { ...seat, seq: seat.seq + shift.by }
      : seat,
  );
};

/** How few stories can give way, tried out one by one; none where the room is there already. */
const fewest = (list: Seat[], cut: number, count: number): number => {
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

describe('room for moved stories', () => {
  it('is wide enough, keeps the order of the others, and lets as few of them give way as can be', () => {
    fc.assert(
      fc.property(lists, fc.integer({ min: 1, max: 12 }), ({ list, cut }, count) => {
        const least = fewest(list, cut, count);
        if (least === Infinity) {
          expect(() => roomFor(count, ...sidesOf(list, cut))).toThrow(Problem);
          return;
        }
        const room = roomFor(count, ...sidesOf(list, cut)) as Room;
        const after = shifted(list, room);
        expect(room.upper - room.lower).toBeGreaterThan(count);
        expect(after.filter((seat, i) => seat !== list[i])).toHaveLength(least);
        expect(room.shift?.count ?? 0).toBe(least);
        expect([...after].sort((a, b) => a.seq - b.seq || a.id - b.id)).toEqual(after);
        expect(after[cut - 1]?.seq ?? LEAST - 1).toBe(room.lower);
        expect(after[cut]?.seq ?? GREATEST + 1).toBe(room.upper);
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

  it('gives way as few, however little is read of the list at a time', () => {
    fc.assert(
      fc.property(
        lists,
        fc.integer({ min: 1, max: 12 }),
        fc.integer({ min: 1, max: 5 }),
        ({ list, cut }, count, step) => {
          const least = fewest(list, cut, count);
          fc.pre(least !== Infinity);
          let room: Room | undefined;
          for (let depth = 0; !room; depth += step) {
            expect(depth).toBeLessThanOrEqual(list.length + step);
            room = roomFor(count, ...sidesOf(list, cut, depth));
          }
          expect(room.shift?.count ?? 0).toBe(least);
        },
      ),
      { numRuns: 1000 },
    );
  });

  it('is left over in proportion to those that gave way, so that the next ones need none', () => {
    let list = Array.from({ length: 1000 }, (_, i): Seat => ({ id: i + 1, seq: i + 1 }));
    let shifts = 0;
    for (let i = 0; i < 1000; i += 1) {
      const room = roomFor(1, ...sidesOf(list, 500)) as Room;
      if (room.shift) shifts += room.shift.count;
      const [seq = 0] = seqsBetween(room.lower, room.upper, [0]);
      const after = shifted(list, room);
      list = [...after.slice(0, 500), { id: 1001 + i, seq }, ...after.slice(500)];
    }
    expect(shifts).toBeLessThan(20_000);
  });
});

describe('moved stories', () => {
  it('stand strictly in their order between the bounds, and as many as can keep their seq', () => {
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
        const seqs = seqsBetween(lower, upper, present);
        const all = [lower, ...seqs, upper];
        all.slice(1).forEach((seq, i) => expect(seq).toBeGreaterThan(all[i] as number));
        const kept = seqs.filter((seq, i) => seq === present[i]).length;
        expect(kept).toBe(mostKept(present, lower, upper));
      }),
      { numRuns: 1000 },
    );
  });

  it('stand next to each other at an end of the list', () => {
    expect(seqsBetween(LEAST - 1, 5, [9, 9, 9])).toEqual([2, 3, 4]);
    expect(seqsBetween(5, GREATEST + 1, [1, 1, 1])).toEqual([6, 7, 8]);
    expect(seqsBetween(LEAST - 1, GREATEST + 1, [GREATEST, LEAST])).toEqual([1, 2]);
  });

  it('are spread over the gap elsewhere', () => {
    expect(seqsBetween(0, 100, [0, 0, 0])).toEqual([25, 50, 75]);
    expect(seqsBetween(0, 4, [0, 0, 0])).toEqual([1, 2, 3]);
  });
});

/** By trying every choice of those that stay. */
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
