import type { Weekday } from '../api/types';

const LANGUAGES = navigator.languages;

const numbers = new Intl.NumberFormat(LANGUAGES as string[]);
const days = new Intl.DateTimeFormat(LANGUAGES as string[], {
  day: 'numeric',
  month: 'short',
  timeZone: 'UTC',
});
const daysWithYear = new Intl.DateTimeFormat(LANGUAGES as string[], {
  dateStyle: 'medium',
  timeZone: 'UTC',
});
const longDays = new Intl.DateTimeFormat(LANGUAGES as string[], {
  day: 'numeric',
  month: 'long',
  timeZone: 'UTC',
});
const longDaysWithYear = new Intl.DateTimeFormat(LANGUAGES as string[], {
  dateStyle: 'long',
  timeZone: 'UTC',
});
const moments = new Intl.DateTimeFormat(LANGUAGES as string[], {
  dateStyle: 'medium',
  timeStyle: 'short',
});

export const formatNumber = (value: number): string => numbers.format(value);

/** A calendar date, `YYYY-MM-DD`, in the language of the browser. */
export const formatDay = (date: string): string => days.format(new Date(`${date}T00:00:00Z`));
export const formatDate = (date: string): string =>
  daysWithYear.format(new Date(`${date}T00:00:00Z`));
/** A calendar date in a sentence: “12 March”, with the year where it is not this one. */
export function formatLongDay(date: string): string {
  const format =
    Number(date.slice(0, 4)) === new Date().getFullYear() ? longDays : longDaysWithYear;
  return format.format(new Date(`${date}T00:00:00Z`));
}
/** A time, in the time zone of the browser. */
export const formatTime = (time: string): string => moments.format(new Date(time));

export const plural = (count: number, one: string, many = `${one}s`): string =>
  `${formatNumber(count)} ${count === 1 ? one : many}`;

const weekdayNames = new Intl.DateTimeFormat(LANGUAGES as string[], {
  weekday: 'long',
  timeZone: 'UTC',
});

/** The days of the week from Monday, in the language of the browser. */
export const weekdays = (): { day: Weekday; name: string }[] =>
  (['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const).map((day, i) => ({
    day,
    // 1 January 2024 was a Monday.
    name: weekdayNames.format(Date.UTC(2024, 0, 1 + i)),
  }));
