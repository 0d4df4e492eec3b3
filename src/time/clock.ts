import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';

/** The only source of the current time, so that tests can set it. */
@Injectable()
export class Clock {
  now(): Date {
    return new Date();
  }
}

/** An instant as the databases store it: UTC with milliseconds, `YYYY-MM-DD HH:MM:SS.mmm`. */
export function toStored(instant: Date): string {
  return instant.toISOString().slice(0, 23).replace('T', ' ');
}

/** A stored instant in RFC 3339: UTC with milliseconds, `YYYY-MM-DDTHH:MM:SS.mmmZ`. */
export function toRfc3339(stored: string): string {
  return `${stored.slice(0, 10)}T${stored.slice(11)}Z`;
}

/** An instant as `toRfc3339` writes it, as the databases store it. */
export const fromRfc3339 = (instant: string): string =>
  `${instant.slice(0, 10)} ${instant.slice(11, 23)}`;

/** By time zone, because creating a formatter takes sixty times as long as using it. */
const formatters = new LRUCache<string, Intl.DateTimeFormat>({ max: 500 });

/** What the clocks of an IANA time zone show at an instant: `YYYY-MM-DD HH:MM:SS`. */
export function wallClock(instant: Date, timeZone: string): string {
  let formatter = formatters.get(timeZone);
  if (!formatter) {
    formatter = new Intl.DateTimeFormat('sv-SE', {
      timeZone,
      hourCycle: 'h23',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
    });
    formatters.set(timeZone, formatter);
  }
  return formatter.format(instant);
}

/** The calendar date `YYYY-MM-DD` of an instant in an IANA time zone. */
export const calendarDate = (instant: Date, timeZone: string): string =>
  wallClock(instant, timeZone).split(' ', 1)[0] as string;

/** Matches IANA names, but not offsets such as `+02:00`. */
const IANA_NAME = /^[A-Z][\w+-]*(\/[A-Z][\w+-]*)*$/;

/** The IANA names of three letters. Others that ICU knows are ambiguous: it takes BST for Dhaka's time. */
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
