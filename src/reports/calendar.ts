import type { Weekday } from '../boards/working-days';
import { WEEKDAYS } from '../boards/working-days';
import { calendarDate } from '../time/clock';

const DAY_MS = 86_400_000;

// Dates are counted as days of UTC, which all have the same length.
const dayNumber = (date: string): number => Date.parse(`${date}T00:00:00Z`) / DAY_MS;

/** Adds days to a date, or subtracts them if `days` is negative; null before the year 1000 and after 9999. */
export function addDays(date: string, days: number): string | null {
  const day = new Date((dayNumber(date) + days) * DAY_MS);
  const year = day.getUTCFullYear();
  // toISOString() throws for dates that `Date` cannot represent.
  return year >= 1000 && year <= 9999 ? day.toISOString().slice(0, 10) : null;
}

/** The number of days from one date to another, both included. */
export function daysFromTo(first: string, last: string): number {
  return dayNumber(last) - dayNumber(first) + 1;
}

/** Whether a date is one of the working days. */
export function isWorkingDay(date: string, workingDays: readonly Weekday[]): boolean {
  return workingDays.includes(weekday(dayNumber(date)));
}

/** The number of working days from one date to another, both included. */
export function workingDaysFromTo(
  first: string,
  last: string,
  workingDays: readonly Weekday[],
): number {
  const days = daysFromTo(first, last);
  const rest = Array.from({ length: days % 7 }, (_, day) => weekday(dayNumber(first) + day));
  const ofRest = rest.filter((day) => workingDays.includes(day)).length;
  return Math.floor(days / 7) * workingDays.length + ofRest;
}

/** The day of the week; day 0, 1970-01-01, was a Thursday. */
function weekday(day: number): Weekday {
  return WEEKDAYS[(((day + 3) % 7) + 7) % 7] as Weekday;
}

/**
 * The first instant of a calendar date in an IANA time zone: 00:00 or, where the clocks skip it, the
 * instant to which they jump. A binary search over `calendarDate`, so that the result always agrees
 * with it.
 */
export function startOfDay(date: string, timeZone: string): Date {
  // No zone has ever been more than 16 hours from UTC.
  let before = dayNumber(date) * DAY_MS - 16 * 3_600_000;
  let reached = before + 32 * 3_600_000;
  while (reached - before > 1) {
    const middle = Math.floor((before + reached) / 2);
    if (calendarDate(new Date(middle), timeZone) >= date) reached = middle;
    else before = middle;
  }
  return new Date(reached);
}

/** The last millisecond of a calendar date in an IANA time zone. */
export function endOfDay(date: string, timeZone: string): Date {
  const next = addDays(date, 1);
  if (next === null) throw new RangeError('no day after 9999-12-31');
  return new Date(startOfDay(next, timeZone).getTime() - 1);
}
