import fc from 'fast-check';
import type { Weekday } from '../../../web/src/api/types';
import { dateIn, workingDays } from '../../../web/src/util/calendar';
import { afterwards } from '../../support/faults';
import { withLocale } from '../../support/locale';
import { boardWith } from './state';

const WEEK: Weekday[] = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'];

const board = (working_days: Weekday[]) => ({ ...boardWith([]).board, working_days });

test('working days are counted over any number of weeks as if day by day', () => {
  const working = fc.subarray(WEEK, { minLength: 1 });
  const start = fc.integer({ min: Date.UTC(2000), max: Date.UTC(2100) });
  fc.assert(
    fc.property(start, fc.integer({ min: 0, max: 40 }), working, (from, length, days) => {
      const dates = Array.from({ length: length + 1 }, (_, i) => new Date(from + i * 86_400_000));
      const names = dates.map((date) => date.toUTCString().slice(0, 3).toLowerCase());
      const [first = '', ...others] = dates.map((date) => date.toISOString().slice(0, 10));
      expect(workingDays(board(days), first, others.at(-1) ?? first)).toBe(
        names.filter((name) => days.includes(name as Weekday)).length,
      );
    }),
  );
});

test('working days until the last date are counted without looking at each day', () => {
  const looked = jest.spyOn(Date.prototype, 'getUTCDay');
  afterwards(() => looked.mockRestore());
  expect(workingDays(board(WEEK), '2026-11-27', '9999-12-31')).toBe(2_912_113);
  expect(looked.mock.calls.length).toBeLessThan(7);
});

test.each(['en-US', 'de-DE', 'sv-SE'])(
  'a date is the same if the browser formats all dates as in %s',
  (locale) => {
    withLocale(locale);
    expect(dateIn('Asia/Tokyo', new Date('2026-11-30T23:05:00Z'))).toBe('2026-12-01');
  },
);
