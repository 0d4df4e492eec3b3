import type { Board, Weekday } from '../api/types';

const WEEKDAYS: readonly Weekday[] = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];

const formatIn = (timeZone: string) =>
  new Intl.DateTimeFormat('en-US', {
    timeZone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  });

/** Whether the browser knows a time zone; an old one does not know the latest names. */
export function isKnownZone(timeZone: string): boolean {
  try {
    return Boolean(formatIn(timeZone));
  } catch {
    return false;
  }
}

/** The calendar date of a time in a time zone, `YYYY-MM-DD`; in UTC if the browser does not know the zone. */
export function dateIn(timeZone: string, time: Date): string {
  const format = formatIn(isKnownZone(timeZone) ? timeZone : 'UTC');
  // Browsers differ in the locales that they write in this order.
  const parts = new Map(format.formatToParts(time).map(({ type, value }) => [type, value]));
  return `${parts.get('year')}-${parts.get('month')}-${parts.get('day')}`;
}

/** Milliseconds by which the clock of the service is ahead of that of the browser, which may be wrong. */
let ahead = 0;

/** Compares the clocks by the `Date` header of a response (RFC 9110, section 6.6.1). */
export function noteTime({ headers }: Response): void {
  const time = Date.parse(headers.get('Date') ?? '');
  if (time) ahead = time - Date.now();
}

/** The calendar date in a time zone, now or `ago` milliseconds before, by the clock of the service. */
export const todayIn = (timeZone: string, ago = 0): string =>
  dateIn(timeZone, new Date(Date.now() + ahead - ago));

const DAY_MS = 86_400_000;

/** The working days from one date to another, both included. */
export function workingDays({ working_days }: Board, from: string, to: string): number {
  const first = Date.parse(`${from}T00:00:00Z`);
  const days = (Date.parse(`${to}T00:00:00Z`) - first) / DAY_MS + 1;
  const weeks = Math.floor(days / 7);
  let count = weeks * working_days.length;
  for (let day = weeks * 7; day < days; day += 1) {
    const name = WEEKDAYS[new Date(first + day * DAY_MS).getUTCDay()];
    if (name && working_days.includes(name)) count += 1;
  }
  return count;
}
