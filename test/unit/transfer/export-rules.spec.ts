import fc from 'fast-check';
import { requireFields } from '../../../src/transfer/export/export-rules';

const isInstant = (value: unknown): boolean => {
  try {
    requireFields(1, 'event', { at: value });
    return true;
  } catch {
    return false;
  }
};

/** What an export writes of an instant between the years 1000 and 9999. */
const exported = (text: string): boolean => {
  const ms = Date.parse(text);
  return !Number.isNaN(ms) && new Date(ms).toISOString() === text && /^[1-9]/.test(text);
};

describe('an instant of an export', () => {
  it('is every one that an export writes', () => {
    const range = { min: new Date('1000-01-01T00:00:00Z'), max: new Date('9999-12-31T23:59:59Z') };
    fc.assert(
      fc.property(fc.date({ ...range, noInvalidDate: true }), (date) => {
        expect(isInstant(date.toISOString())).toBe(true);
      }),
    );
  });

  it('is no other string', () => {
    const number = (max: number, length: number): fc.Arbitrary<string> =>
      fc.nat(max).map((n) => String(n).padStart(length, '0'));
    const texts = fc
      .tuple(
        number(2200, 4),
        number(13, 2),
        number(32, 2),
        number(25, 2),
        number(61, 2),
        number(61, 2),
        number(999, 3),
      )
      .map(([y, m, d, h, min, s, ms]) => `${y}-${m}-${d}T${h}:${min}:${s}.${ms}Z`);
    fc.assert(
      fc.property(texts, (text) => {
        expect([text, isInstant(text)]).toEqual([text, exported(text)]);
      }),
      { numRuns: 2000 },
    );
    const days = ['2023-02-28', '2023-02-29', '2024-02-29', '2024-02-30', '1900-02-29'];
    for (const day of [...days, '2000-02-29', '2024-04-31', '2024-12-31', '2024-00-10']) {
      const text = `${day}T10:00:00.000Z`;
      expect([day, isInstant(text)]).toEqual([day, exported(text)]);
    }
    for (const other of ['2026-01-01', '2026-01-01T10:00:00Z', '2026-01-01T10:00:00.000Z ', 7]) {
      expect(isInstant(other)).toBe(false);
    }
  });
});
