import type { Type } from '@nestjs/common';
import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import type { ValidationArguments } from 'class-validator';
import {
  ArrayMaxSize,
  ArrayMinSize,
  ArrayUnique,
  IsArray,
  IsBoolean,
  IsIn,
  IsInt,
  IsOptional,
  IsString,
  Max,
  Min,
  ValidateBy,
  ValidateIf,
} from 'class-validator';
import { isTimeZone } from '../time/clock';
import { isForm } from './form';
import type { FieldErrorCode } from './problem';

// Decorators for the properties of DTOs. Each converts the value (strings of forms and queries, too),
// checks it with class-validator, and describes it in the OpenAPI document.

export type Schema = Record<string, unknown>;
export const EACH = { each: true };
export const NO_DUPLICATES = '$property must not contain duplicates';

const SCHEMAS = Symbol('schemas of the properties');

/** The OpenAPI schemas of the properties of a DTO, by name. */
export const schemasOf = (Dto: Type): Record<string, Schema> =>
  (Reflect.getMetadata(SCHEMAS, Dto.prototype as object) ?? {}) as Record<string, Schema>;

/** Adds to the OpenAPI schema of a property. */
export const Doc = (schema: Schema): PropertyDecorator =>
  applyDecorators(ApiProperty(schema), (target: object, name: string | symbol) => {
    const schemas = (Reflect.getMetadata(SCHEMAS, target) ?? {}) as Record<symbol, Schema>;
    const all = { ...schemas, [name]: { ...schemas[name as symbol], ...schema } };
    Reflect.defineMetadata(SCHEMAS, all, target);
  });

/** The property may be absent, but not null. */
export const Optional = (): PropertyDecorator =>
  applyDecorators(
    ValidateIf((_, value) => value !== undefined),
    Doc({ required: false }),
  );

/** The property may be absent or null. */
export const Nullable = (): PropertyDecorator =>
  applyDecorators(IsOptional(), Doc({ required: false, nullable: true }));

/** A rule of our own; its name is the code of the error. */
export function Rule(
  code: FieldErrorCode,
  message: string | ((value: unknown) => string),
  test: (value: unknown, args: ValidationArguments) => boolean,
  options?: { each: boolean },
): PropertyDecorator {
  return ValidateBy(
    {
      name: code,
      validator: {
        validate: (value, args) => test(value, args as ValidationArguments),
        defaultMessage: (args) => {
          const text = typeof message === 'string' ? message : message(args?.value);
          return `${args?.property} ${text}`;
        },
      },
    },
    options,
  );
}

/** Replaces a value that cannot be converted, and says why. */
export class Rejected {
  constructor(
    readonly code: FieldErrorCode,
    readonly message: string,
  ) {}
}

export const convert = (change: (value: unknown, sent: unknown) => unknown): PropertyDecorator =>
  Transform(({ value, obj, key }) => {
    // Only `obj` shows whether the property was sent: class-transformer has copied the value.
    const sent = (obj as Record<string, unknown>)[key];
    if (Array.isArray(sent) && isForm(obj as object)) {
      return new Rejected('duplicate', 'is given more than once');
    }
    return sent === undefined || sent === null ? sent : change(value, sent);
  });

/** Converts a list. A form repeats the name of a list, so one item is a string there, and no items are null. */
export const convertList = (
  change: (item: unknown) => unknown,
  order: (list: unknown[]) => unknown[] = (list) => list,
): PropertyDecorator =>
  Transform(({ obj, key }) => {
    const sent = (obj as Record<string, unknown>)[key];
    if (sent === undefined) return undefined;
    const list: unknown = isForm(obj as object) ? (sent === null ? [] : [sent].flat()) : sent;
    return Array.isArray(list) ? order(list.map(change)) : list;
  });

/** Whether a string has more than `max` code points; each is one or two UTF-16 units of its `length`. */
export function isLonger(text: string, max: number): boolean {
  if (text.length <= max || text.length > 2 * max) return text.length > max;
  let length = 0;
  for (const _ of text) length += 1;
  return length > max;
}

export const isStorable = (value: unknown): boolean =>
  typeof value === 'string' && value.isWellFormed() && !value.includes('\0');

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
    Rule('invalid_text', 'must not contain NUL or lone surrogates', isStorable),
    Rule('too_long', `must have at most ${max} characters`, (v) => !isLonger(v as string, max)),
    Doc({ type: 'string', maxLength: max, ...(!blank && { minLength: 1 }) }),
  );

type Parsed = { value: unknown } | Rejected;

/** A value that `parse` reads. */
const Parse = (parse: (value: unknown) => Parsed, schema: Schema): PropertyDecorator =>
  applyDecorators(
    // Parses the value that was sent: if a subclass overrides a property, the base class converts `value` first.
    convert((_, sent) => {
      const parsed = parse(sent);
      return parsed instanceof Rejected ? parsed : parsed.value;
    }),
    Rule(
      'required',
      'is required',
      (value) => value !== undefined && value !== null && !(value instanceof Rejected),
    ),
    Doc(schema),
  );

const reject = (code: FieldErrorCode, message: string): Rejected => new Rejected(code, message);

/** Maximum UTF-16 units that NFC composes to one code point: four code points of two units. */
const MAX_DECOMPOSED = 8;

/** Parses a name: trimmed, in NFC, of 1 to `max` code points without control characters. */
export function parseLine(value: unknown, max: number): Parsed {
  if (typeof value !== 'string') return reject('invalid_type', 'must be a string');
  if (!isStorable(value)) return reject('invalid_text', 'must not contain NUL or lone surrogates');
  const trimmed = value.trim();
  if (trimmed === '') return reject('blank', 'must not be blank');
  const tooLong = reject('too_long', `must have at most ${max} characters`);
  // The time of normalization is quadratic in the length of a run of combining marks.
  if (trimmed.length > MAX_DECOMPOSED * max) return tooLong;
  const name = trimmed.normalize('NFC');
  if (isLonger(name, max)) return tooLong;
  if (/\p{Cc}/u.test(name)) return reject('invalid_text', 'must not contain control characters');
  return { value: name };
}

/** As `parseLine`; `.` and `..` are rejected, because URLs drop them. */
export function parseBoardName(value: unknown): Parsed {
  const parsed = parseLine(value, 100);
  return 'value' in parsed && (parsed.value === '.' || parsed.value === '..')
    ? reject('invalid_value', 'must not be "." or ".."')
    : parsed;
}

export const NAME_SCHEMA = { type: 'string', minLength: 1, maxLength: 100 } as const;

export const IsLine = (max: number): PropertyDecorator =>
  Parse((value) => parseLine(value, max), { ...NAME_SCHEMA, maxLength: max });

export const IsBoardName = (): PropertyDecorator => Parse(parseBoardName, NAME_SCHEMA);

export const IsTimeZone = (): PropertyDecorator =>
  applyDecorators(
    convert((value) => value),
    IsString(),
    Rule('invalid_value', 'must be an IANA time zone name, or UTC', (value) =>
      isTimeZone(value as string),
    ),
    Doc({ type: 'string', examples: ['UTC', 'Europe/Berlin'] }),
  );

export const toInteger = (value: unknown): unknown =>
  typeof value === 'string' && /^-?(0|[1-9]\d{0,15})$/.test(value) ? Number(value) + 0 : value;

/** An integer, as a JSON number or a decimal string. */
export const IsInteger = (min: number, max: number): PropertyDecorator =>
  applyDecorators(
    convert(toInteger),
    IsInt(),
    Min(min),
    Max(max),
    Doc({ type: 'integer', minimum: min, maximum: max }),
  );

export const INT32 = [-2_147_483_648, 2_147_483_647] as const;
export const ID = [1, Number.MAX_SAFE_INTEGER] as const;
export const ID_SCHEMA = { type: 'integer', minimum: ID[0], maximum: ID[1] } as const;

export const IsInt32 = (): PropertyDecorator => IsInteger(...INT32);

function parseDecimal(value: unknown, max: number): Parsed {
  const isText = typeof value === 'string' && /^-?(0|[1-9]\d{0,15})(\.\d+)?$/.test(value);
  const number = isText ? Number(value) : value;
  if (typeof number !== 'number' || !Number.isFinite(number)) {
    return reject('invalid_type', 'must be a number');
  }
  if (number < 0 || number > max) return reject('out_of_range', `must be from 0 to ${max}`);
  if (Math.round(number * 100) / 100 !== number) {
    return reject('too_precise', 'must have at most two decimals');
  }
  return { value: number + 0 };
}

/** A number from 0 to `max` with at most two decimals, as a JSON number or a decimal string. */
export const IsDecimal = (max: number): PropertyDecorator =>
  // No `multipleOf: 0.01`: with it many validators reject 0.07.
  Parse((value) => parseDecimal(value, max), { type: 'number', minimum: 0, maximum: max });

/** Story points. */
export const IsPoints = (): PropertyDecorator => IsDecimal(1000);

export const IsOneOf = (words: readonly string[]): PropertyDecorator =>
  applyDecorators(
    convert((value) => value),
    IsString(),
    IsIn(words, { message: `$property must be one of ${words.join(', ')}` }),
    Doc({ type: 'string', enum: [...words] }),
  );

/** An object with any names, whose values `test` accepts. @param values describes them in the message */
export const IsRecord = (
  values: string,
  schema: Schema,
  test: (value: unknown) => boolean,
): PropertyDecorator => {
  const isRecord = (value: unknown): value is object =>
    typeof value === 'object' && value !== null && !Array.isArray(value);
  const faulty = (value: unknown): string[] =>
    Object.entries(value as object).flatMap(([name, item]) => (test(item) ? [] : [name]));
  return applyDecorators(
    convert((value) => value),
    Rule('invalid_type', 'must be an object', isRecord),
    Rule(
      'invalid_value',
      (value) =>
        `must have only ${values}; this is wrong: ${faulty(value).slice(0, 20).join(', ')}`,
      (value) => faulty(value).length === 0,
    ),
    Doc({ type: 'object', additionalProperties: schema }),
  );
};

/** `true` or `false`; in forms and queries as a string. */
export const IsFlag = (): PropertyDecorator =>
  applyDecorators(
    convert((value) => (value === 'true' ? true : value === 'false' ? false : value)),
    IsBoolean(),
    Doc({ type: 'boolean' }),
  );

const DATE =
  /^(\d{4})-(\d{2})-(\d{2})(?:[Tt ]([01]\d|2[0-3]):[0-5]\d(?::(?:[0-5]\d|60)(?:[.,]\d+)?)?(?:[Zz]|[+-](?:[01]\d|2[0-3]):?[0-5]\d)?)?$/;

/** Parses a calendar date `YYYY-MM-DD` of the years 1000 to 9999; ignores the time of a date-time. */
export function parseDate(value: unknown): Parsed {
  if (typeof value !== 'string') return reject('invalid_type', 'must be a date, YYYY-MM-DD');
  const match = DATE.exec(value);
  if (!match) return reject('invalid_date', 'must be a date, YYYY-MM-DD');
  const [, year, month, day] = match.map(Number) as [number, number, number, number];
  if (year < 1000) return reject('out_of_range', 'must be in the years 1000 to 9999');
  const days = month >= 1 && month <= 12 ? new Date(Date.UTC(year, month, 0)).getUTCDate() : 0;
  if (day < 1 || day > days) return reject('invalid_date', 'must be a day of the calendar');
  return { value: value.slice(0, 10) };
}

export const IsCalendarDate = (): PropertyDecorator =>
  Parse(parseDate, { type: 'string', format: 'date' });

/** Rejects a date before that of another property of the same DTO. */
export const NotBefore = (other: string): PropertyDecorator =>
  Rule('out_of_range', `must not be before ${other}`, (value, { object }) => {
    const first = parseDate((object as Record<string, unknown>)[other]);
    // An invalid date has an error of its own.
    return !('value' in first) || typeof value !== 'string' || (first.value as string) <= value;
  });

const INSTANT =
  /^(\d{4}-\d{2}-\d{2})[Tt ]([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d+)?([Zz]|[+-]([01]\d|2[0-3]):[0-5]\d)$/;

function parseInstant(value: unknown): Parsed {
  const match = typeof value === 'string' ? INSTANT.exec(value) : null;
  const isDate = typeof value === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(value);
  if (!match && !isDate) return reject('invalid_type', 'must be an RFC 3339 date-time');
  const date = parseDate(match?.[1] ?? value);
  if ('code' in date) return date;
  const time = new Date((value as string).replace(' ', 'T').toUpperCase());
  if (Number.isNaN(time.getTime())) {
    return reject('invalid_date', 'must be an RFC 3339 date-time');
  }
  // An offset may lead out of the years that a database can store.
  const year = time.getUTCFullYear();
  return year < 1000 || year > 9999
    ? reject('out_of_range', 'must be in the years 1000 to 9999 in UTC')
    : { value: time.toISOString() };
}

/** An RFC 3339 date-time, converted to UTC with milliseconds; a date is its first instant in UTC. */
export const IsInstant = (): PropertyDecorator =>
  Parse(parseInstant, { type: 'string', format: 'date-time' });

/** The time at which a DTO is validated. */
export const validatedAt = new WeakMap<object, Date>();

/** An instant as in `IsInstant`, later than now. */
export const IsFutureInstant = (): PropertyDecorator =>
  applyDecorators(
    Rule('out_of_range', 'must be in the future', (value, { object }) => {
      const now = validatedAt.get(object) ?? new Date();
      return (value as string) > now.toISOString();
    }),
    IsInstant(),
  );

/** A list of at most 20 different labels, each of 1 to 50 code points. */
export const IsLabels = (): PropertyDecorator =>
  applyDecorators(
    convertList((item) => item),
    IsArray(),
    ArrayMaxSize(20),
    IsString(EACH),
    Rule('blank', 'must not contain a blank', (item) => (item as string).trim() !== '', EACH),
    Rule('invalid_text', 'must not contain NUL or lone surrogates', isStorable, EACH),
    Rule(
      'too_long',
      'must not contain more than 50 characters in one string',
      (item) => !isLonger(item as string, 50),
      EACH,
    ),
    ArrayUnique({ message: NO_DUPLICATES }),
    Doc({
      type: 'array',
      maxItems: 20,
      uniqueItems: true,
      items: { type: 'string', minLength: 1, maxLength: 50 },
    }),
  );

/** A list of at least one of `words`, without duplicates, which is sorted in the order of `words`. */
export const IsListOf = (words: readonly string[]): PropertyDecorator =>
  applyDecorators(
    convertList(
      (item) => item,
      (list) => list.sort((a, b) => words.indexOf(a as string) - words.indexOf(b as string)),
    ),
    IsArray(),
    ArrayMinSize(1),
    IsString(EACH),
    IsIn(words, { ...EACH, message: `$property must contain only ${words.join(', ')}` }),
    ArrayUnique({ message: NO_DUPLICATES }),
    Doc({
      type: 'array',
      minItems: 1,
      uniqueItems: true,
      items: { type: 'string', enum: [...words] },
    }),
  );

/** A list of board names, each as `parseBoardName` returns it. */
export const IsBoardNames = (max: number): PropertyDecorator =>
  applyDecorators(
    convertList((item) => {
      const parsed = parseBoardName(item);
      return 'value' in parsed ? parsed.value : item;
    }),
    IsArray(),
    ArrayMaxSize(max),
    IsString(EACH),
    Rule(
      'invalid_value',
      'must contain names of boards',
      (item) => 'value' in parseBoardName(item),
      EACH,
    ),
    ArrayUnique({ message: NO_DUPLICATES }),
    Doc({ type: 'array', maxItems: max, uniqueItems: true, items: NAME_SCHEMA }),
  );

const isId = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) >= ID[0];

/** A list of at most `max` different ids; the error of a repeated id points to it. */
export const IsIdList = (max: number): PropertyDecorator =>
  applyDecorators(
    convertList(toInteger),
    IsArray(),
    ArrayMaxSize(max),
    IsInt(EACH),
    Rule('out_of_range', 'must contain ids', isId, EACH),
    Rule(
      'duplicate',
      'names an id twice',
      (ids) => new Set(ids as number[]).size === (ids as number[]).length,
    ),
    Doc({ type: 'array', maxItems: max, uniqueItems: true, items: ID_SCHEMA }),
  );

/**
 * Whether a value is a reference to a resource that the batch creates, such as `$story`. A property that
 * may be `named` contains the reference until the batch resolves it.
 */
export const isReference = (value: unknown): value is string =>
  typeof value === 'string' && /^\$[A-Za-z0-9][\w.-]{0,63}$/.test(value);

export const REFERENCE_SCHEMA = { type: 'string', pattern: '^\\$[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$' };

/** The name of the resource that an operation of a batch creates. */
export const IsReferenceName = (): PropertyDecorator =>
  applyDecorators(
    convert((value) => value),
    IsString(),
    Rule(
      'invalid_value',
      'must be 1 to 64 letters, digits, ".", "_" and "-", the first a letter or a digit',
      (value) => isReference(`$${value as string}`),
    ),
    Doc({ type: 'string', pattern: REFERENCE_SCHEMA.pattern.replace('\\$', '') }),
  );

function parsePosition(value: unknown, named: boolean): Parsed {
  if (value === 'first' || value === 'last') return { value };
  const [[side, id] = [], ...rest] =
    typeof value === 'object' && value !== null ? Object.entries(value) : [];
  const neighbour = toInteger(id);
  return (side === 'before' || side === 'after') &&
    rest.length === 0 &&
    (isId(neighbour) || (named && isReference(neighbour)))
    ? { value: { [side]: neighbour } }
    : reject('invalid_value', 'must be "first", "last", {"before": id} or {"after": id}');
}

const besideSchema = (side: string, named: boolean): Schema => ({
  type: 'object',
  properties: { [side]: named ? { oneOf: [ID_SCHEMA, REFERENCE_SCHEMA] } : ID_SCHEMA },
  required: [side],
  additionalProperties: false,
});

/** A position in a list of stories: first, last, or next to a story. */
export const IsPosition = ({ named = false } = {}): PropertyDecorator =>
  Parse((value) => parsePosition(value, named), {
    oneOf: [
      { type: 'string', enum: ['first', 'last'] },
      besideSchema('before', named),
      besideSchema('after', named),
    ],
  });

/** One of `words`, or an id. */
export const IsWordOrId = (words: readonly string[], { named = false } = {}): PropertyDecorator =>
  Parse(
    (value) => {
      const id = toInteger(value);
      if (words.includes(value as string) || isId(id) || (named && isReference(id))) {
        return { value: id };
      }
      const code = Number.isInteger(id) ? 'out_of_range' : 'invalid_type';
      const word = words.length > 0 ? `one of ${words.join(', ')}, or ` : '';
      return reject(code, `must be ${word}an id${named ? ', or a name such as "$story"' : ''}`);
    },
    {
      oneOf: [
        ...(words.length > 0 ? [{ type: 'string', enum: [...words] }] : []),
        ID_SCHEMA,
        ...(named ? [REFERENCE_SCHEMA] : []),
      ],
    },
  );

/** A rule between properties of a DTO, reported at the property that it decorates. */
export const Check = <T extends object>(
  code: FieldErrorCode,
  message: string,
  test: (value: unknown, dto: T) => boolean,
): PropertyDecorator => Rule(code, message, (value, { object }) => test(value, object as T));
