import { applyDecorators } from '@nestjs/common';
import { IsString } from 'class-validator';
import { isTimeZone } from '../../time/clock';
import { Doc, IsSingle, Parse, Rejected, Rule, convert } from './property';

/** Whether a string has more than `max` code points; each is one or two UTF-16 units of its `length`. */
export function isLonger(text: string, max: number): boolean {
  if (text.length <= max || text.length > 2 * max) return text.length > max;
  let length = 0;
  for (const _ of text) length += 1;
  return length > max;
}

export const isStorable = (value: unknown): boolean =>
  typeof value === 'string' && value.isWellFormed() && !value.includes('\0');

/** The details of the errors of texts. */
export const NOT_STORABLE = 'must not contain NUL or lone surrogates';
export const tooLong = (max: number): string => `must have at most ${max} characters`;

/**
 * A string of at most `max` code points without NUL and lone surrogates, which no database stores.
 * (MaxLength of class-validator does not count variation selectors.) An empty one means null, unless
 * `blank` is false: then it is rejected like one that contains only white space.
 */
export const IsText = (max: number, { blank = true } = {}): PropertyDecorator =>
  applyDecorators(
    convert((value) => (blank && value === '' ? null : value)),
    IsString(),
    Rule('blank', 'must not be blank', (value) => blank || (value as string).trim() !== ''),
    Rule('invalid_text', NOT_STORABLE, isStorable),
    Rule('too_long', tooLong(max), (v) => !isLonger(v as string, max)),
    Doc({ type: 'string', maxLength: max, ...(!blank && { minLength: 1 }) }),
  );

/** Maximum UTF-16 units that NFC composes to one code point: four code points of two units. */
const MAX_DECOMPOSED = 8;

export const NAME_SCHEMA = { type: 'string', minLength: 1, maxLength: 100 } as const;
const MAX_NAME = NAME_SCHEMA.maxLength;

/** Parses a name: trimmed, in NFC, of 1 to 100 code points without control characters. */
function parseName(value: unknown): string | Rejected {
  if (typeof value !== 'string') return new Rejected('invalid_type', 'must be a string');
  if (!isStorable(value)) return new Rejected('invalid_text', NOT_STORABLE);
  const trimmed = value.trim();
  if (trimmed === '') return new Rejected('blank', 'must not be blank');
  const rejected = new Rejected('too_long', tooLong(MAX_NAME));
  // The time of normalization is quadratic in the length of a run of combining marks.
  if (trimmed.length > MAX_DECOMPOSED * MAX_NAME) return rejected;
  const name = trimmed.normalize('NFC');
  if (isLonger(name, MAX_NAME)) return rejected;
  if (/\p{Cc}/u.test(name))
    return new Rejected('invalid_text', 'must not contain control characters');
  return name;
}

/** As `parseName`; `.` and `..` are rejected, because URLs drop them. */
export function parseBoardName(value: unknown): string | Rejected {
  const name = parseName(value);
  return name === '.' || name === '..'
    ? new Rejected('invalid_value', 'must not be "." or ".."')
    : name;
}

export const IsName = (): PropertyDecorator => Parse(parseName, NAME_SCHEMA);

export const IsBoardName = (): PropertyDecorator => Parse(parseBoardName, NAME_SCHEMA);

export const IsTimeZone = (): PropertyDecorator =>
  applyDecorators(
    IsSingle(),
    IsString(),
    Rule('invalid_value', 'must be an IANA time zone name, or UTC', (value) =>
      isTimeZone(value as string),
    ),
    Doc({ type: 'string', examples: ['UTC', 'Europe/Berlin'] }),
  );
