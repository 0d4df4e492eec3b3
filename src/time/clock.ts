import { Injectable } from '@nestjs/common';

/** The one source of time. Tests put a settable one in its place. */
@Injectable()
export class Clock {
  now(): Date {
    return new Date();
  }
}

let latest = { time: 0, text: '' };

/** An instant as the databases hold it: UTC, milliseconds, `YYYY-MM-DD HH:MM:SS.mmm`. */
export function toStored(instant: Date): string {
  const time = instant.getTime();
  // In a millisecond a busy service makes several changes.
  if (latest.time !== time) {
    latest = { time, text: instant.toISOString().replace('T', ' ').slice(0, 23) };
  }
  return latest.text;
}

/** A stored instant as RFC 3339 in UTC, `YYYY-MM-DDTHH:MM:SS.mmmZ`. */
export function toRfc3339(text: string): string {
  return `${text.slice(0, 10)}T${text.slice(11)}Z`;
}

const zones = new Map<string, { format: Intl.DateTimeFormat; minute: number; date: string }>();

/**
 * The calendar date `YYYY-MM-DD` of an instant in an IANA time zone. Zones change their offsets on
 * whole minutes, so the answer for the present minute is kept.
 */
export function calendarDate(instant: Date, timeZone: string): string {
  let zone = zones.get(timeZone);
  const minute = Math.floor(instant.getTime() / 60_000);
  if (zone?.minute === minute) return zone.date;
  zone ??= {
    format: new Intl.DateTimeFormat('en-CA', {
      timeZone,
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
    }),
    minute,
    date: '',
  };
  zone.minute = minute;
  zone.date = zone.format.format(instant);
  zones.set(timeZone, zone);
  return zone.date;
}

let supported: Set<string> | undefined;

/** Whether a text is a time zone that a board may have: an IANA name of this runtime, or `UTC`. */
export function isTimeZone(text: string): boolean {
  supported ??= new Set(['UTC', ...Intl.supportedValuesOf('timeZone')]);
  return supported.has(text);
}
