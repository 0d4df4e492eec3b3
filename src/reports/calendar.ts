import { calendarDate } from '../time/clock';

const DAY = 86_400_000;

// A calendar date alone has no zone. Reckoned in UTC, whose days are all alike, none can shift.
const ordinal = (date: string): number => Date.parse(`${date}T00:00:00Z`) / DAY;

/** The date so many days after (or before) another; null beyond the year 9999. */
export function addDays(date: string, days: number): string | null {
  const day = new Date((ordinal(date) + days) * DAY);
  // A `Date` does not reach much further, and has no text beyond.
  return day.getUTCFullYear() <= 9999 ? day.toISOString().slice(0, 10) : null;
}

/** How many days there are from one date to another, both counted. */
export function daysFromTo(first: string, last: string): number {
  return ordinal(last) - ordinal(first) + 1;
}

/**
 * The first instant of a calendar date in an IANA time zone: 00:00, or, where the clocks skip it,
 * the instant to which they go. It is found by asking `calendarDate`, so that no instant can lie
 * before the start of its own day.
 */
export function startOfDay(date: string, timeZone: string): Date {
  // No zone has ever been more than 16 hours from UTC.
  let before = ordinal(date) * DAY - 16 * 3_600_000;
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
