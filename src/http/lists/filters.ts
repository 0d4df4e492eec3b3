import { applyDecorators } from '@nestjs/common';
import { ArrayUnique } from 'class-validator';
import type { FieldErrorCode } from '../problem';
import { HasAtMost } from '../validation/collections';
import { ID, MAX_INT32, MIN_INT32, toInteger } from '../validation/numbers';
import type { Schema } from '../validation/property';
import { parseInstant } from '../validation/dates';
import { convert, convertList, Doc, Rejected, Rule } from '../validation/property';
import { isLonger, isStorable, NOT_STORABLE, tooLong } from '../validation/text';

// Decorators for the filters, the sort and the fields of lists.

const NO_DUPLICATES = '$property must not contain duplicates';

/** A comma-separated list of different words in a query; with `directions` each may begin with `-`. */
export function IsWordList(
  words: readonly string[],
  { directions = false } = {},
): PropertyDecorator {
  const bare = (word: string): string => (directions ? word.replace(/^-/, '') : word);
  return applyDecorators(
    convert((value) => (typeof value === 'string' ? value.split(',') : value)),
    Rule(
      'invalid_value',
      `must be a comma-separated list of: ${words.join(', ')}`,
      (list) => Array.isArray(list) && (list as string[]).every((w) => words.includes(bare(w))),
    ),
    ArrayUnique(bare, { message: NO_DUPLICATES }),
    Doc({ type: 'string' }),
  );
}

/** The values of a filter, combined with OR; an empty value means null. */
function Filter(
  max: number,
  schema: Schema,
  change: (item: string) => unknown,
  ...rules: PropertyDecorator[]
): PropertyDecorator {
  return applyDecorators(
    convertList((item) => (item === '' ? null : change(item as string))),
    HasAtMost(max),
    ...rules,
    Doc({ type: 'array', items: schema, maxItems: max }),
  );
}

/** A rule for the values of a filter that are not empty. */
const EachRule = (
  code: FieldErrorCode,
  message: string,
  test: (item: never) => boolean,
): PropertyDecorator =>
  Rule(code, message, (item) => item === null || test(item as never), { each: true });

const MAX_VALUES = 1000;

export const AnyText = (length: number, max = MAX_VALUES): PropertyDecorator =>
  Filter(
    max,
    { type: 'string', maxLength: length },
    (item) => item,
    EachRule('invalid_text', NOT_STORABLE, isStorable),
    EachRule('too_long', tooLong(length), (item: string) => !isLonger(item, length)),
  );

export const AnyOf = (words: readonly string[]): PropertyDecorator =>
  Filter(
    MAX_VALUES,
    { type: 'string', enum: [...words] },
    (item) => item,
    EachRule(
      'invalid_value',
      `must be one of ${words.join(', ')}; repeat the parameter for several values`,
      (item: string) => words.includes(item),
    ),
  );

const AnyInteger = (min: number, max: number): PropertyDecorator =>
  Filter(
    MAX_VALUES,
    {
      anyOf: [
        { type: 'integer', minimum: min, maximum: max },
        { type: 'string', enum: [''] },
      ],
    },
    toInteger,
    EachRule('invalid_type', 'must be an integer', Number.isInteger),
    EachRule(
      'out_of_range',
      `must be from ${min} to ${max}`,
      (item: number) => item >= min && item <= max,
    ),
  );

export const AnyInt32 = (): PropertyDecorator => AnyInteger(MIN_INT32, MAX_INT32);
export const AnyId = (): PropertyDecorator => AnyInteger(...ID);

/** An instant, or several of which any is enough: the earliest of them. */
export const EarliestInstant = (): PropertyDecorator =>
  applyDecorators(
    convertList(
      parseInstant,
      (list) => list.find((item) => item instanceof Rejected) ?? (list as string[]).sort()[0],
    ),
    Rule('invalid_type', 'must be an instant', (value) => typeof value === 'string'),
    Doc({ type: 'array', items: { type: 'string', format: 'date-time' } }),
  );

/** The different words of a text, which white space separates. */
export const wordsOf = (text: string): string[] => [...new Set(text.split(/\s+/).filter(Boolean))];

/** Texts of at most `max` words in total. */
export const HasWords = (max: number): PropertyDecorator =>
  Rule(
    'too_many',
    `must have at most ${max} words`,
    (texts) => (texts as (string | null)[]).flatMap((text) => wordsOf(text ?? '')).length <= max,
  );
