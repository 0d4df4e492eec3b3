import type { Board, Weekday } from '../api/types';

const WEEKDAYS: readonly Weekday[] = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];

const formatIn = (timeZone: string) =>
  new Intl.DateTimeFormat('en-CA', { timeZone, dateStyle: 'short' });

/** Whether the browser knows a time zone; an old one does not know the latest names. */
export function isKnownZone(timeZone: string): boolean {
  try {
    return Boolean(formatIn(timeZone));
  } catch {
    return false;
  }
}

/** The calendar date of a time in a time zone, `YYYY-MM-DD`; in UTC if the browser does not know the zone. */
export const dateIn = (timeZone: string, time: Date): string =>
  formatIn(isKnownZone(timeZone) ? timeZone : 'UTC').format(time);

/** The calendar date of today in a time zone. */
export const todayIn = (timeZone: string): string => dateIn(timeZone, new Date());

/** The working days from one date to another, both included. */
export function workingDays(board: Board, from: string, to: string): number {
  const end = Date.parse(`${to}T00:00:00Z`);
  let count = 0;
  for (let day = Date.parse(`${from}T00:00:00Z`); day <= end; day += 86_400_000) {
    const name = WEEKDAYS[new Date(day).getUTCDay()];
    if (name && board.working_days.includes(name)) count += 1;
  }
  return count;
}
