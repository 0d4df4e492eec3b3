import type { Type } from '@nestjs/common';
import { isDate } from '../../http/validation/dates';
import { schemasOf } from '../../http/validation/property';
import { isLonger, isStorable } from '../../http/validation/text';

// The validation of requests takes 100 µs for a story, these predicates take 2 µs: an export may have a million lines.

/** Whether a value of an export is valid. */
export type Predicate = (value: unknown) => boolean;

export const orNull =
  (predicate: Predicate): Predicate =>
  (value) =>
    value === null || predicate(value);

export const text =
  (max: number): Predicate =>
  (value) =>
    value !== '' && isStorable(value) && !isLonger(value as string, max);

const notBlank =
  (predicate: Predicate): Predicate =>
  (value) =>
    predicate(value) && (value as string).trim() !== '';

export const integer =
  (min: number, max: number): Predicate =>
  (value) =>
    Number.isInteger(value) && (value as number) >= min && (value as number) <= max;

const decimal =
  (min: number, max: number): Predicate =>
  (value) =>
    typeof value === 'number' &&
    value >= min &&
    value <= max &&
    Math.round(value * 100) / 100 === value;

export const oneOf =
  (words: readonly string[]): Predicate =>
  (value) =>
    (words as readonly unknown[]).includes(value);

const listOf =
  (predicate: Predicate, min: number, max: number): Predicate =>
  (value) =>
    Array.isArray(value) &&
    value.length >= min &&
    value.length <= max &&
    value.every(predicate) &&
    new Set(value).size === value.length;

/** Whether each word follows those before it in the list of all words, as validation sorts them. */
const inOrderOf =
  (words: readonly string[]): Predicate =>
  (values) =>
    (values as string[]).every(
      (word, i, all) => i === 0 || words.indexOf(all[i - 1] as string) < words.indexOf(word),
    );

const INSTANT =
  /^[1-9]\d{3}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/;

// Every event has instants. Parsing them with `Date` took a third of the processor time of a restore.
export const instant: Predicate = (value) =>
  typeof value === 'string' &&
  INSTANT.test(value) &&
  (value.slice(8, 10) <= '28' || isDate(value.slice(0, 10)));

/** An instant from which reports compute dates: after it comes the year 10000 in some time zones, which no date has. */
export const instantOfReports: Predicate = (value) => instant(value) && (value as string) < '9999';

interface FieldSchema {
  type?: string;
  nullable?: boolean;
  enum?: string[];
  format?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  items?: FieldSchema;
  minItems?: number;
  maxItems?: number;
}

/** Returns the predicate for a field with this schema. */
function predicateOf(schema: FieldSchema): Predicate {
  const { type, nullable, enum: words, format, minLength = 0, maxLength = Infinity } = schema;
  const { minimum = 0, maximum = Infinity, items = {}, minItems = 0, maxItems = Infinity } = schema;
  if (nullable) return orNull(predicateOf({ ...schema, nullable: false }));
  if (words) return oneOf(words);
  if (format === 'date') return isDate;
  if (type === 'string') return minLength > 0 ? notBlank(text(maxLength)) : text(maxLength);
  if (type === 'integer') return integer(minimum, maximum);
  if (type === 'number') return decimal(minimum, maximum);
  if (type === 'array') {
    const list = listOf(predicateOf(items), minItems, maxItems);
    const inOrder = items.enum && inOrderOf(items.enum);
    return inOrder ? (value) => list(value) && inOrder(value) : list;
  }
  throw new Error(`no predicate for ${JSON.stringify(schema)}`);
}

/** Returns the predicates for the fields of a DTO, by its schemas, so that a limit is written once. */
export const predicatesOf = <T extends object>(Dto: Type<T>): Record<keyof T, Predicate> =>
  Object.fromEntries(
    Object.entries(schemasOf(Dto)).map(([name, schema]) => [name, predicateOf(schema)]),
  ) as Record<keyof T, Predicate>;
