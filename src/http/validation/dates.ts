import { applyDecorators } from '@nestjs/common';
import { isISO8601 } from 'class-validator';
import { Parse, Rejected, Rule, validatedAt } from './property';

const DATE =
  /^\d{4}-\d{2}-\d{2}(?:[Tt ]([01]\d|2[0-3]):[0-5]\d(?::(?:[0-5]\d|60)(?:[.,]\d+)?)?(?:[Zz]|[+-](?:[01]\d|2[0-3]):?[0-5]\d)?)?$/;

/** Parses a calendar date `YYYY-MM-DD` of the years 1000 to 9999; ignores the time of a date-time. */
function parseDate(value: unknown): string | Rejected {
  if (typeof value !== 'string') return new Rejected('invalid_type', 'must be a date, YYYY-MM-DD');
  if (!DATE.test(value)) return new Rejected('invalid_date', 'must be a date, YYYY-MM-DD');
  if (value < '1000') return new Rejected('out_of_range', 'must be in the years 1000 to 9999');
  const date = value.slice(0, 10);
  return isISO8601(date, { strict: true })
    ? date
    : new Rejected('invalid_date', 'must be an existing date');
}

/** Whether a value is a calendar date `YYYY-MM-DD`, without a time. */
export const isDate = (value: unknown): value is string =>
  typeof value === 'string' && parseDate(value) === value;

export const IsCalendarDate = (): PropertyDecorator =>
  Parse(parseDate, { type: 'string', format: 'date' });

/** Rejects a date that is before the date in another property of the same DTO. */
export const NotBefore = (other: string): PropertyDecorator =>
  Rule<Record<string, unknown>>('out_of_range', `must not be before ${other}`, (value, dto) => {
    const first = parseDate(dto[other]);
    // An invalid date has an error of its own.
    return first instanceof Rejected || typeof value !== 'string' || first <= value;
  });

const INSTANT =
  /^(\d{4}-\d{2}-\d{2})[Tt ]([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d+)?([Zz]|[+-]([01]\d|2[0-3]):[0-5]\d)$/;

/** Parses an RFC 3339 date-time to UTC with milliseconds; a date is its first instant in UTC. */
export function parseInstant(value: unknown): string | Rejected {
  const match = typeof value === 'string' ? INSTANT.exec(value) : null;
  const isWithoutTime = typeof value === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(value);
  if (!match && !isWithoutTime) {
    // In a query or a form, a `+` means a space.
    const hint = / \d\d:\d\d$/.test(String(value)) ? '; write + as %2B' : '';
    return new Rejected('invalid_type', `must be a date or an RFC 3339 date-time${hint}`);
  }
  const date = parseDate(match?.[1] ?? value);
  if (date instanceof Rejected) return date;
  const time = new Date((value as string).replace(' ', 'T').toUpperCase());
  // An offset may lead out of the years that a database can store.
  const year = time.getUTCFullYear();
  return year < 1000 || year > 9999
    ? new Rejected('out_of_range', 'must be in the years 1000 to 9999 in UTC')
    : time.toISOString();
}

/** An instant as in `parseInstant`, later than now. */
export const IsFutureInstant = (): PropertyDecorator =>
  applyDecorators(
    Rule('out_of_range', 'must be in the future', (value, dto) => {
      const now = validatedAt.get(dto) ?? new Date();
      return (value as string) > now.toISOString();
    }),
    Parse(parseInstant, { type: 'string', format: 'date-time' }),
  );
