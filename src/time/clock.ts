import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';

/** The only source of the current time, so that tests and the demo board can set it. */
@Injectable()
export class Clock {
  private instant: Date | undefined;

  /** Stops the clock at an RFC 3339 instant; without one it runs again. */
  set(instant?: string): void {
    this.instant = instant === undefined ? undefined : new Date(instant);
  }

  now(): Date {
    return new Date(this.instant ?? Date.now());
  }
}

/** Formats an instant as the databases store it: UTC with milliseconds, `YYYY-MM-DD HH:MM:SS.mmm`. */
export function toStored(instant: Date): string {
  return instant.toISOString().slice(0, 23).replace('T', ' ');
}

/** Converts a stored instant to RFC 3339: UTC with milliseconds, `YYYY-MM-DDTHH:MM:SS.mmmZ`. */
export function toRfc3339(stored: string): string {
  return `${stored.slice(0, 10)}T${stored.slice(11)}Z`;
}

/** Converts an instant from the format of `toRfc3339` to the one that the databases store. */
export const fromRfc3339 = (instant: string): string =>
  `${instant.slice(0, 10)} ${instant.slice(11, 23)}`;

/**
 * Cached by time zone, because creating a formatter takes sixty times as long as using it. Some builds of Node.js
 * have no language but English.
 */
const formatters = new LRUCache<string, Intl.DateTimeFormat>({
  max: 500,
  memoMethod: (timeZone) =>
    new Intl.DateTimeFormat('en-US', {
      timeZone,
      hourCycle: 'h23',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
    }),
});

/** Returns the local time of an instant in an IANA time zone: `YYYY-MM-DD HH:MM:SS`. */
export function wallClock(instant: Date, timeZone: string): string {
  // `formatToParts` takes twice as long.
  const [date = '', time = ''] = formatters.memo(timeZone).format(instant).split(', ');
  const [month = '', day = '', year = ''] = date.split('/');
  // Before the year 1000 it has three digits; the first day of that year may begin in 999.
  return `${year.padStart(4, '0')}-${month}-${day} ${time}`;
}

/** Returns the calendar date `YYYY-MM-DD` of an instant in an IANA time zone. */
export const calendarDate = (instant: Date, timeZone: string): string =>
  wallClock(instant, timeZone).split(' ', 1)[0] as string;

/** Matches IANA names, but not offsets such as `+02:00`. */
const IANA_NAME = /^[A-Z][\w+-]*(\/[A-Z][\w+-]*)*$/;

/** The IANA names of three letters. Others that ICU knows are ambiguous: it reads BST as the time of Dhaka. */
const ABBREVIATIONS = /^(CET|EET|EST|GMT|HST|MET|MST|PRC|ROC|ROK|UCT|UTC|WET)$/;

/** Whether a board may have this time zone: an IANA name, old or new, or `UTC`. */
export function isTimeZone(name: string): boolean {
  if (!IANA_NAME.test(name) || (name.length === 3 && !ABBREVIATIONS.test(name))) return false;
  try {
    const { timeZone } = new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions();
    // Intl ignores case, and may resolve a name to another name of the same zone.
    return timeZone === name || timeZone.toLowerCase() !== name.toLowerCase();
  } catch {
    return false;
  }
}
