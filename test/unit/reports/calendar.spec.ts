import fc from 'fast-check';
import { calendarDate } from '../../../src/time/clock';
import type { Weekday } from '../../../src/boards/working-days';
import { WEEKDAYS } from '../../../src/boards/working-days';
import {
  addDays,
  daysFromTo,
  endOfDay,
  isWorkingDay,
  startOfDay,
  workingDaysFromTo,
} from '../../../src/reports/calendar';

describe('the days of a time zone', () => {
  it.each([
    ['UTC', '2026-03-29', '2026-03-29T00:00:00.000Z'],
    ['Pacific/Kiritimati', '2026-03-29', '2026-03-28T10:00:00.000Z'],
    ['Pacific/Pago_Pago', '2026-03-29', '2026-03-29T11:00:00.000Z'],
    ['Asia/Kathmandu', '2026-03-29', '2026-03-28T18:15:00.000Z'],
    ['Europe/Berlin', '2026-03-29', '2026-03-28T23:00:00.000Z'],
    ['Europe/Berlin', '2026-03-30', '2026-03-29T22:00:00.000Z'],
    ['Europe/Berlin', '2026-10-26', '2026-10-25T23:00:00.000Z'],
    // The clocks skip 00:00 to 01:00.
    ['Asia/Beirut', '2026-03-29', '2026-03-28T22:00:00.000Z'],
    // The clocks went back at 00:00, so the day before had 25 hours.
    ['America/Sao_Paulo', '2018-02-18', '2018-02-18T03:00:00.000Z'],
    // This day was skipped: the calendar went from the 29th to the 31st.
    ['Pacific/Apia', '2011-12-30', '2011-12-30T10:00:00.000Z'],
    // The first date of the calendar; the year before it has three digits.
    ['UTC', '1000-01-01', '1000-01-01T00:00:00.000Z'],
    // The zones with the greatest distances from UTC, before they counted the date as their neighbours did.
    ['Asia/Manila', '1000-01-01', '1000-01-01T15:56:08.000Z'],
    ['America/Metlakatla', '1000-01-01', '0999-12-31T08:46:18.000Z'],
  ])('begin in %s on %s at %s', (zone, date, instant) => {
    expect(startOfDay(date, zone).toISOString()).toBe(instant);
  });

  it('begin with their first millisecond and end before the next day begins', () => {
    // Earlier there were offsets with seconds and days that began twice; no board is that old.
    const day = fc
      .integer({ min: 0, max: 30_000 })
      .map((days) => addDays('2012-01-01', days) as string);
    const zone = fc.constantFrom(...Intl.supportedValuesOf('timeZone'));
    fc.assert(
      fc.property(zone, day, (timeZone, date) => {
        const start = startOfDay(date, timeZone);
        expect(calendarDate(start, timeZone) >= date).toBe(true);
        expect(calendarDate(new Date(start.getTime() - 1), timeZone) < date).toBe(true);
        expect(calendarDate(endOfDay(date, timeZone), timeZone) <= date).toBe(true);
      }),
    );
  });

  it('are counted with leap days', () => {
    expect(daysFromTo('2026-03-02', '2026-03-02')).toBe(1);
    expect(daysFromTo('2028-02-01', '2028-03-01')).toBe(30);
    expect(daysFromTo('2026-02-01', '2026-03-01')).toBe(29);
    expect(addDays('2028-02-28', 2)).toBe('2028-03-01');
    expect(addDays('9999-12-31', 1)).toBeNull();
    expect(addDays('1000-01-01', -1)).toBeNull();
  });
});

describe('working days', () => {
  it('are counted over any number of weeks as if day by day', () => {
    const week = fc.subarray([...WEEKDAYS], { minLength: 1 });
    const first = fc.integer({ min: -300_000, max: 2_000_000 });
    fc.assert(
      fc.property(first, fc.integer({ min: 0, max: 40 }), week, (from, length, working) => {
        const dates = Array.from(
          { length: length + 1 },
          (_, day) => addDays('1970-01-01', from + day) as string,
        );
        const names = dates.map((date) => new Date(date).toUTCString().slice(0, 3).toLowerCase());
        const expected = names.map((name) => working.includes(name as Weekday));
        expect(dates.map((date) => isWorkingDay(date, working))).toEqual(expected);
        const counted = workingDaysFromTo(dates[0] as string, dates.at(-1) as string, working);
        expect(counted).toBe(expected.filter(Boolean).length);
      }),
    );
  });
});

describe('a day beyond the calendar', () => {
  it.each([1, 3_000_000, 1e8, 1e12])('does not exist: %d days after the last one', (days) => {
    expect(addDays('9999-12-31', days)).toBeNull();
  });
});
