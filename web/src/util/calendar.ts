import type { Board, Weekday } from '../api/types';

const WEEKDAYS: readonly Weekday[] = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];

/** The calendar date of today in a time zone, `YYYY-MM-DD`. */
export const todayIn = (timeZone: string): string =>
  new Intl.DateTimeFormat('en-CA', { timeZone, dateStyle: 'short' }).format(new Date());

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
