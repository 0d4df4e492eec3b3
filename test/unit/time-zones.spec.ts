import { calendarDate, isTimeZone } from '../../src/time/clock';
import { withLocale } from '../support/locale';

describe('a time zone', () => {
  it.each([
    'UTC',
    'Etc/UTC',
    'Etc/GMT+5',
    'GMT',
    'CET',
    'EST5EDT',
    'Europe/Berlin',
    'America/Argentina/Buenos_Aires',
    'America/Port-au-Prince',
    // The old and the new name of a zone are both valid, whichever `Intl` prefers.
    'Asia/Calcutta',
    'Asia/Kolkata',
    'Europe/Kiev',
    'Europe/Kyiv',
    'US/Pacific',
  ])('may be the IANA name %s', (name) => {
    expect(isTimeZone(name)).toBe(true);
  });

  it.each([
    ['an offset', '+02:00'],
    ['an offset without a colon', '-05'],
    ['an offset from GMT', 'GMT+5'],
    ['lower case', 'europe/berlin'],
    ['upper case', 'EUROPE/BERLIN'],
    ['lower case of an old name', 'asia/kolkata'],
    ['lower case of UTC', 'utc'],
    ['an ambiguous abbreviation, which ICU accepts', 'BST'],
    ['an ambiguous abbreviation, which ICU accepts', 'IST'],
    ['a name that does not exist', 'Mars/Olympus'],
    ['white space', 'CET '],
    ['an empty string', ''],
  ])('is not %s: %j', (_, name) => {
    expect(isTimeZone(name)).toBe(false);
  });

  it('has the same calendar date under its old and its new name', () => {
    const instant = new Date('2026-11-21T18:45:00.000Z');
    expect(calendarDate(instant, 'Asia/Kolkata')).toBe('2026-11-22');
    expect(calendarDate(instant, 'Asia/Calcutta')).toBe('2026-11-22');
    expect(calendarDate(instant, 'Etc/GMT+5')).toBe('2026-11-21');
  });

  it('has the same calendar date if Node.js has no languages but English', () => {
    withLocale('en-US');
    // Their formats are not cached yet.
    expect(calendarDate(new Date('2026-11-30T23:05:00.000Z'), 'Asia/Tokyo')).toBe('2026-12-01');
    expect(calendarDate(new Date('0999-12-31T23:50:00.000Z'), 'UTC')).toBe('0999-12-31');
  });
});
