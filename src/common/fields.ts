import { ApiProperty } from '@nestjs/swagger';
import type { ValidationArguments } from 'class-validator';
import { registerDecorator } from 'class-validator';
import { isTimeZone } from './clock';
import type { Fault, FaultCode } from './problem';

/** What a value of a request is read as: the value in its one form, or why it is refused. */
export type Reading = { value: unknown } | { code: FaultCode; detail: string };

/** How the values of a member are read and described. */
export interface Kind {
  /** Gets anything but null and undefined. */
  read(value: unknown): Reading;
  /** JSON schema of what is accepted. */
  schema: Record<string, unknown>;
  /** A list: in a form its name is repeated. */
  list?: boolean;
  /** `""` means null. */
  emptyIsNull?: boolean;
}

/** A member of a request: its kind, and what absence and null mean. */
export interface Field {
  name: string;
  kind: Kind;
  nullable: boolean;
  required: boolean;
  /** Why the member is refused with this value; undefined is that it is absent. */
  fault(value: unknown): { code: FaultCode; detail: string } | null;
}

export interface FieldOptions {
  required?: boolean;
  nullable?: boolean;
  description?: string;
  example?: unknown;
}

const refuse = (code: FaultCode, detail: string): Reading => ({ code, detail });

/** Whether a text has more code points than so many; each is one or two of what `length` counts. */
const isLonger = (text: string, max: number): boolean => {
  if (text.length <= max || text.length > 2 * max) return text.length > max;
  let length = 0;
  for (const _ of text) length += 1;
  return length > max;
};

/** What a code point of a text in NFC can have been before: four code points, of two units each. */
const MOST_COMPOSED = 8;

const hasForbidden = (text: string): boolean => !text.isWellFormed() || text.includes('\0');

/** A text of at most `max` code points. Lone surrogates and NUL are refused: no database keeps them. */
export function text(max: number, { blank = true } = {}): Kind {
  return {
    emptyIsNull: blank,
    schema: { type: 'string', maxLength: max, ...(!blank && { minLength: 1 }) },
    read(value) {
      if (typeof value !== 'string') return refuse('invalid_type', 'must be a text');
      if (!blank && value.trim() === '') return refuse('blank', 'must not be blank');
      if (hasForbidden(value)) {
        return refuse('invalid_text', 'must not have NUL or lone surrogates');
      }
      if (isLonger(value, max)) {
        return refuse('too_long', `must have at most ${max} characters`);
      }
      return { value };
    },
  };
}

/** A whole number, as a JSON number or as decimal text. */
export function integer(min: number, max: number): Kind {
  return {
    schema: { type: 'integer', minimum: min, maximum: max },
    read(value) {
      const number =
        typeof value === 'string' && /^-?(0|[1-9]\d{0,15})$/.test(value) ? Number(value) : value;
      if (typeof number !== 'number' || !Number.isInteger(number)) {
        return refuse('invalid_type', 'must be a whole number');
      }
      if (number < min || number > max) {
        return refuse('out_of_range', `must be from ${min} to ${max}`);
      }
      return { value: number + 0 };
    },
  };
}

export const int32 = integer(-2_147_483_648, 2_147_483_647);

/** The id of something that is there or not. */
export const identifier: Kind = integer(1, Number.MAX_SAFE_INTEGER);

/** A number from 0 with at most two decimals, as a JSON number or as decimal text. */
export function decimal(max: number): Kind {
  return {
    // No `multipleOf: 0.01`: by the arithmetic of many a validator 0.07 is none.
    schema: { type: 'number', minimum: 0, maximum: max },
    read(value) {
      const number =
        typeof value === 'string' && /^-?(0|[1-9]\d{0,15})(\.\d+)?$/.test(value)
          ? Number(value)
          : value;
      if (typeof number !== 'number' || !Number.isFinite(number)) {
        return refuse('invalid_type', 'must be a number');
      }
      if (number < 0 || number > max) return refuse('out_of_range', `must be from 0 to ${max}`);
      if (Math.round(number * 100) / 100 !== number) {
        return refuse('too_precise', 'must have at most two decimals');
      }
      return { value: number + 0 };
    },
  };
}

/** Story points. */
export const points = decimal(1000);

/** One of a few words. */
export function oneOf(...words: readonly string[]): Kind {
  return {
    schema: { type: 'string', enum: [...words] },
    read(value) {
      if (typeof value !== 'string') return refuse('invalid_type', 'must be a text');
      if (!words.includes(value)) {
        return refuse('invalid_value', `must be one of ${words.join(', ')}`);
      }
      return { value };
    },
  };
}

/** What one of several kinds takes; the first that does says how it is read. */
export function either(...kinds: readonly Kind[]): Kind {
  return {
    schema: { oneOf: kinds.map(({ schema }) => schema) },
    read(value) {
      const refusals: string[] = [];
      for (const kind of kinds) {
        const reading = kind.read(value);
        if ('value' in reading) return reading;
        refusals.push(reading.detail);
      }
      return refuse('invalid_value', refusals.join(', or '));
    },
  };
}

/** The place on one side of a story. */
const beside = (side: 'before' | 'after'): Kind => ({
  schema: {
    type: 'object',
    properties: { [side]: identifier.schema },
    required: [side],
    additionalProperties: false,
  },
  read(value) {
    const [[name, id] = [], ...rest] =
      typeof value === 'object' && value !== null ? Object.entries(value) : [];
    const reading = identifier.read(id);
    if (name !== side || rest.length > 0 || 'code' in reading) {
      return refuse('invalid_value', `{"${side}": id}`);
    }
    return { value: { [side]: reading.value } };
  },
});

/** A place in a list of stories: an end of it, or next to a story. */
export const position: Kind = either(oneOf('first', 'last'), beside('before'), beside('after'));

/** The ids of at most so many things, whose order matters. That they differ is for the reader to see. */
export function identifiers(max: number): Kind {
  return {
    list: true,
    schema: { type: 'array', maxItems: max, uniqueItems: true, items: identifier.schema },
    read(value) {
      if (!Array.isArray(value)) return refuse('invalid_type', 'must be a list of ids');
      if (value.length > max) return refuse('too_many', `must have at most ${max} ids`);
      const ids: unknown[] = [];
      for (const item of value as unknown[]) {
        const reading = identifier.read(item);
        if ('code' in reading) return refuse(reading.code, `each id ${reading.detail}`);
        ids.push(reading.value);
      }
      return { value: ids };
    },
  };
}

/** Yes or no. In a query or a form, `true` or `false`. */
export const flag: Kind = {
  schema: { type: 'boolean' },
  read(value) {
    if (value === true || value === 'true') return { value: true };
    if (value === false || value === 'false') return { value: false };
    return refuse('invalid_type', 'must be true or false');
  },
};

const DATE =
  /^(\d{4})-(\d{2})-(\d{2})(?:[Tt ]([01]\d|2[0-3]):[0-5]\d(?::(?:[0-5]\d|60)(?:[.,]\d+)?)?(?:[Zz]|[+-](?:[01]\d|2[0-3]):?[0-5]\d)?)?$/;

/** A calendar date, `YYYY-MM-DD`; of a date-time the date that is written in it. */
export const calendarDay: Kind = {
  schema: { type: 'string', format: 'date' },
  read(value) {
    if (typeof value !== 'string') return refuse('invalid_type', 'must be a date, YYYY-MM-DD');
    const match = DATE.exec(value);
    if (!match) return refuse('invalid_date', 'must be a date, YYYY-MM-DD');
    const [, year, month, day] = match.map(Number) as [number, number, number, number];
    if (year < 1000) return refuse('out_of_range', 'must be in the years 1000 to 9999');
    if (
      month < 1 ||
      month > 12 ||
      day < 1 ||
      day > new Date(Date.UTC(year, month, 0)).getUTCDate()
    ) {
      return refuse('invalid_date', 'must be a day of the calendar');
    }
    return { value: value.slice(0, 10) };
  },
};

const INSTANT =
  /^(\d{4}-\d{2}-\d{2})[Tt ]([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d+)?([Zz]|[+-]([01]\d|2[0-3]):[0-5]\d)$/;

/** An instant, RFC 3339, read as UTC with milliseconds. A date alone is its first instant in UTC. */
export const instant: Kind = {
  schema: { type: 'string', format: 'date-time' },
  read(value) {
    const match = typeof value === 'string' ? INSTANT.exec(value) : null;
    const dateOnly = typeof value === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(value);
    if (!match && !dateOnly) return refuse('invalid_type', 'must be an RFC 3339 date-time');
    const day = calendarDay.read(match?.[1] ?? value);
    if ('code' in day) return day;
    const time = new Date((value as string).replace(' ', 'T').toUpperCase());
    if (Number.isNaN(time.getTime())) {
      return refuse('invalid_date', 'must be an RFC 3339 date-time');
    }
    // An offset may lead out of the years that a database can hold.
    const year = time.getUTCFullYear();
    if (year < 1000 || year > 9999) {
      return refuse('out_of_range', 'must be in the years 1000 to 9999 in UTC');
    }
    return { value: time.toISOString() };
  },
};

/** A list of at most `max` different items of one kind; `item` is what they are called. */
export function listOf(kind: Kind, max: number, item: string): Kind {
  return {
    list: true,
    schema: { type: 'array', maxItems: max, uniqueItems: true, items: kind.schema },
    read(value) {
      if (!Array.isArray(value)) return refuse('invalid_type', 'must be a list of texts');
      if (value.length > max) return refuse('too_many', `must have at most ${max} ${item}s`);
      const values: unknown[] = [];
      for (const one of value as unknown[]) {
        const reading = kind.read(one);
        if ('code' in reading) return refuse(reading.code, `each ${item} ${reading.detail}`);
        values.push(reading.value);
      }
      if (new Set(values).size < values.length) {
        return refuse('duplicate', `must not repeat a ${item}`);
      }
      return { value: values };
    },
  };
}

/** Different labels of 1–50 characters, at most 20. */
export const labels = listOf(text(50, { blank: false }), 20, 'label');

/** A name: trimmed, NFC, 1 to `max` characters, none of them a control character. */
export function line(max: number): Kind {
  return {
    schema: { type: 'string', minLength: 1, maxLength: max },
    read(value) {
      if (typeof value !== 'string') return refuse('invalid_type', 'must be a text');
      if (hasForbidden(value)) {
        return refuse('invalid_text', 'must not have NUL or lone surrogates');
      }
      const trimmed = value.trim();
      if (trimmed === '') return refuse('blank', 'must not be blank');
      const tooLong = refuse('too_long', `must have at most ${max} characters`);
      // A long run of combining marks takes the square of its length to be put in order.
      if (trimmed.length > MOST_COMPOSED * max) return tooLong;
      const name = trimmed.normalize('NFC');
      if (isLonger(name, max)) return tooLong;
      if (/\p{Cc}/u.test(name)) return refuse('invalid_text', 'must not have control characters');
      return { value: name };
    },
  };
}

const name = line(100);

/** A board's name: a name that is not `.` or `..`, which no URL can keep. */
export const boardName: Kind = {
  ...name,
  read(value) {
    const reading = name.read(value);
    return 'value' in reading && (reading.value === '.' || reading.value === '..')
      ? refuse('invalid_value', 'must not be "." or ".."')
      : reading;
  },
};

export const timeZone: Kind = {
  schema: { type: 'string', examples: ['UTC', 'Europe/Berlin'] },
  read(value) {
    if (typeof value !== 'string') return refuse('invalid_type', 'must be a text');
    if (!isTimeZone(value)) {
      return refuse('invalid_value', 'must be the IANA name of a time zone, or UTC');
    }
    return { value };
  },
};

/** A comma list of words in a query. */
export function wordList(words: readonly string[], { directions = false } = {}): Kind {
  return {
    schema: { type: 'string' },
    read(value) {
      const items = String(value).split(',');
      const bare = items.map((item) => (directions ? item.replace(/^-/, '') : item));
      if (!bare.every((item) => words.includes(item))) {
        return refuse('invalid_value', `must list some of ${words.join(', ')}`);
      }
      if (new Set(bare).size < bare.length) return refuse('duplicate', 'must not repeat a word');
      return { value: items };
    },
  };
}

/** One of several values of a query's filter, at most `most`; an empty one means none. */
export function anyOf(kind: Kind, most = 1000): Kind {
  return {
    list: true,
    schema: { type: 'array', items: kind.schema, maxItems: most },
    read(value) {
      const values: unknown[] = [];
      if ((value as unknown[]).length > most) {
        return refuse('too_many', `must have at most ${most} values`);
      }
      for (const item of value as unknown[]) {
        if (item === '' || item === null) {
          values.push(null);
          continue;
        }
        const reading = kind.read(item);
        if ('code' in reading) return reading;
        values.push(reading.value);
      }
      return { value: values };
    },
  };
}

/**
 * What is wrong with members as they stand together, or at this time. It gets those that were sent:
 * their values, or undefined where a value is refused anyway.
 */
export type Rule<T> = (sent: Partial<T>, now: Date) => Fault[];

const registry = new WeakMap<object, Map<string, Field>>();
const readOnly = new WeakMap<object, Set<string>>();
const rules = new WeakMap<object, Rule<object>>();

type Dto = abstract new () => object;

/** The members that requests of this shape may have, those of its parents included. */
export const fieldsOf: (dto: Dto) => ReadonlyMap<string, Field> = once(
  (dto) => new Map(said(dto, registry).flatMap((own) => [...own])),
);

/** The members that may only be sent back as they are. */
export const readOnlyFieldsOf: (dto: Dto) => ReadonlySet<string> = once(
  (dto) => new Set(said(dto, readOnly).flatMap((own) => [...own])),
);

/** The rules that hold between the members, those of its parents included. */
export const rulesOf: (dto: Dto) => readonly Rule<object>[] = once((dto) => said(dto, rules));

/** Whether a request of this shape may have no members at all. */
export const mayBeEmpty: (dto: Dto) => boolean = once(
  (dto) => ![...fieldsOf(dto).values()].some(({ required }) => required),
);

/** What is said of a class by its decorators does not change any more when it is asked for. */
function once<T>(read: (dto: Dto) => T): (dto: Dto) => T {
  const known = new WeakMap<Dto, { value: T }>();
  return (dto) => {
    let found = known.get(dto);
    if (!found) known.set(dto, (found = { value: read(dto) }));
    return found.value;
  };
}

/** What is said of a class and of its parents, which come first. */
function said<T>(dto: Dto, by: WeakMap<object, T>): T[] {
  const all: T[] = [];
  for (
    let prototype: object = dto.prototype as object;
    prototype !== Object.prototype;
    prototype = Object.getPrototypeOf(prototype) as object
  ) {
    const own = by.get(prototype);
    if (own !== undefined) all.unshift(own);
  }
  return all;
}

/**
 * A member of a request: how it is read, checked by class-validator, and described in the OpenAPI
 * document. Absent members stay absent; null is taken where `nullable` says so.
 */
export function Member(kind: Kind, options: FieldOptions = {}): PropertyDecorator {
  const { required = false, nullable = false, description, example } = options;
  return (target, key) => {
    const name = String(key);
    const fault: Field['fault'] = (value) => {
      if (value === undefined) return required ? { code: 'required', detail: 'is required' } : null;
      if (value === null) {
        return nullable ? null : { code: 'not_nullable', detail: 'must not be null' };
      }
      const reading = kind.read(value);
      return 'code' in reading ? reading : null;
    };
    const own = registry.get(target) ?? new Map<string, Field>();
    own.set(name, { name, kind, nullable, required, fault });
    registry.set(target, own);
    registerDecorator({
      name: 'member',
      target: target.constructor,
      propertyName: name,
      validator: {
        validate: (value: unknown) => fault(value) === null,
        // The code comes first, for `common/body` to take it apart again.
        defaultMessage: ({ value }: ValidationArguments) => {
          const found = fault(value);
          return found ? `${found.code} ${found.detail}` : '';
        },
      },
    });
    ApiProperty({
      ...kind.schema,
      ...(nullable && { nullable: true }),
      ...(description !== undefined && { description }),
      ...(example !== undefined && { example }),
      required,
    })(target, key);
  };
}

/** Members of the answer that a client may send back, as long as they are what is stored. */
export function ReadOnly(...names: string[]): ClassDecorator {
  return (target) => {
    readOnly.set(target.prototype as object, new Set(names));
  };
}

/** A rule between the members of a request, checked along with them so that no fault hides another. */
export function Ruled<T extends object>(rule: Rule<T>): (target: new () => T) => void {
  return (target) => {
    rules.set(target.prototype as object, rule);
  };
}
