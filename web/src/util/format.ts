import type { Weekday } from '../api/types';
import { isKnownZone } from './calendar';

/** Whether a string is a language tag (RFC 5646), and not the locale of the system, such as `C` or `en-US@posix`. */
function isTag(name: string): boolean {
  try {
    return Intl.getCanonicalLocales(name).length === 1;
  } catch {
    return false;
  }
}

const languages = (): string[] => navigator.languages.filter(isTag);

/** Makes a format when it is first used, because that takes a millisecond. */
function lazily<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}
const dates = (options: Intl.DateTimeFormatOptions) =>
  lazily(() => new Intl.DateTimeFormat(languages(), options));

const numbers = lazily(() => new Intl.NumberFormat(languages()));
const days = dates({ day: 'numeric', month: 'short', timeZone: 'UTC' });
const daysWithYear = dates({ dateStyle: 'medium', timeZone: 'UTC' });
const longDays = dates({ day: 'numeric', month: 'long', timeZone: 'UTC' });
const longDaysWithYear = dates({ dateStyle: 'long', timeZone: 'UTC' });
const MOMENT = { dateStyle: 'medium', timeStyle: 'short' } as const;
const moments = dates(MOMENT);
const weekdayNames = dates({ weekday: 'long', timeZone: 'UTC' });

/** The languages in which the integers from 0 to 999 need no format. */
const isPlain = lazily(() =>
  /^(cs|da|de|en|es|fi|fr|hu|it|ja|ko|nb|nl|nn|no|pl|pt|ru|sv|tr|uk|zh)\b/.test(
    languages()[0] ?? '',
  ),
);

/** A number in the language of the browser. Small integers avoid the 20 ms that the first format takes. */
export const formatNumber = (value: number): string =>
  isPlain() && Number.isInteger(value) && value >= 0 && value < 1000
    ? String(value)
    : numbers().format(value);

/** A number as users type it: with a comma where their language has one, and without separators of thousands. */
export function typedNumber(value: number): string {
  const text = String(value);
  return text.includes('.') && formatNumber(0.5).includes(',') ? text.replace('.', ',') : text;
}

const midnight = (date: string): Date => new Date(`${date}T00:00:00Z`);

/** A calendar date, `YYYY-MM-DD`, in the language of the browser. */
export const formatDay = (date: string): string => days().format(midnight(date));
export const formatDate = (date: string): string => daysWithYear().format(midnight(date));
/** A calendar date in a sentence: “12 March”, with the year if it is not this one. */
export function formatLongDay(date: string): string {
  const isThisYear = Number(date.slice(0, 4)) === new Date().getFullYear();
  return (isThisYear ? longDays() : longDaysWithYear()).format(midnight(date));
}
/** The dates of a sprint: “Mar 2 – Mar 13”, with the years unless both are this one; “from Mar 2” without an end. */
export function formatRange(start: string, end: string | null): string {
  const year = String(new Date().getFullYear());
  const format = [start, end ?? start].every((each) => each.startsWith(year))
    ? formatDay
    : formatDate;
  return end === null ? `from ${format(start)}` : `${format(start)} – ${format(end)}`;
}
/** A time, in the time zone of the browser. */
export const formatTime = (time: string): string => moments().format(new Date(time));
/** A time in a time zone, with the name of the zone if the browser's zone has another time. */
export function formatTimeIn(zone: string, time: string): string {
  const timeZone = isKnownZone(zone) ? zone : 'UTC';
  const there = new Intl.DateTimeFormat(languages(), { ...MOMENT, timeZone }).format(
    new Date(time),
  );
  return there === formatTime(time) ? there : `${there} (${timeZone})`;
}

export const plural = (count: number, one: string, many = `${one}s`): string =>
  `${formatNumber(count)} ${count === 1 ? one : many}`;

/** The days of the week from Monday, in the language of the browser. */
export const weekdays = (): { day: Weekday; name: string }[] =>
  (['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const).map((day, i) => ({
    day,
    // 1 January 2024 was a Monday.
    name: weekdayNames().format(Date.UTC(2024, 0, 1 + i)),
  }));
