import { applyDecorators } from '@nestjs/common';
import { ArrayMaxSize, ArrayMinSize, IsArray } from 'class-validator';
import { parseWordOrId } from './choices';
import { ID_SCHEMA } from './numbers';
import type { Schema } from './property';
import { Doc, Rejected, Rule, convert, convertList } from './property';
import { NAME_SCHEMA, NOT_STORABLE, isLonger, isStorable, parseBoardName, tooLong } from './text';

/** Whether a value is a JSON object. */
export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** An object with any names, whose values `test` accepts. @param message what they must be */
export const IsRecord = (
  message: string,
  schema: Schema,
  test: (value: unknown) => boolean,
): PropertyDecorator =>
  applyDecorators(
    // What was sent: class-transformer leaves out names such as `toString`.
    convert((_, sent) => {
      if (!isObject(sent)) return sent;
      const wrong = Object.keys(sent).filter((name) => !test(sent[name]));
      return wrong.length > 0 ? new Rejected('invalid_value', message, wrong) : sent;
    }),
    Rule(
      'invalid_type',
      'must be an object',
      (value) => isObject(value) && !(value instanceof Rejected),
    ),
    Doc({ type: 'object', additionalProperties: schema }),
  );

/** At most `max` items. */
export const HasAtMost = (max: number): PropertyDecorator =>
  ArrayMaxSize(max, { message: `$property must have at most ${max} items` });

/** At least one item. */
export const HasItems = (): PropertyDecorator =>
  ArrayMinSize(1, { message: '$property must have at least one item' });

/** The items of a list, which `convertList` has parsed: none is rejected, and all are different. */
const Items = (): PropertyDecorator =>
  Rule('items', 'must have valid, different items', (value) => {
    const list = value as unknown[];
    return !list.some((item) => item instanceof Rejected) && new Set(list).size === list.length;
  });

/** A list of at most `max` different items. @param parse returns an item as it is used, or a `Rejected` */
const IsItems = (
  parse: (item: unknown) => unknown,
  max: number,
  items: Schema,
): PropertyDecorator =>
  applyDecorators(
    convertList(parse),
    IsArray(),
    HasAtMost(max),
    Items(),
    Doc({ type: 'array', maxItems: max, uniqueItems: true, items }),
  );

const MAX_LABELS = 20;
const LABEL_LENGTH = 50;

function parseLabel(item: unknown): unknown {
  if (typeof item !== 'string') return new Rejected('invalid_type', 'must be a string');
  if (item.trim() === '') return new Rejected('blank', 'must not be blank');
  if (!isStorable(item)) return new Rejected('invalid_text', NOT_STORABLE);
  return isLonger(item, LABEL_LENGTH) ? new Rejected('too_long', tooLong(LABEL_LENGTH)) : item;
}

/** A list of different labels, each of 1 to `LABEL_LENGTH` code points. */
export const IsLabels = (): PropertyDecorator =>
  IsItems(parseLabel, MAX_LABELS, { type: 'string', minLength: 1, maxLength: LABEL_LENGTH });

/** A list of at least one of `words`, without duplicates, which is sorted in the order of `words`. */
export const IsListOf = (words: readonly string[]): PropertyDecorator =>
  applyDecorators(
    convertList(
      (item) =>
        words.includes(item as string)
          ? item
          : new Rejected('invalid_value', `must be one of ${words.join(', ')}`),
      (list) => {
        const sorted = words.filter((word) => list.includes(word));
        // The errors of a list that is invalid have the indexes of what was sent.
        return sorted.length === list.length ? sorted : list;
      },
    ),
    IsArray(),
    HasAtMost(words.length),
    HasItems(),
    Items(),
    Doc({
      type: 'array',
      minItems: 1,
      maxItems: words.length,
      uniqueItems: true,
      items: { type: 'string', enum: [...words] },
    }),
  );

/** A list of board names, each as `parseBoardName` returns it. */
export const IsBoardNames = (max: number): PropertyDecorator =>
  IsItems(parseBoardName, max, NAME_SCHEMA);

/** A list of at most `max` different ids. */
export const IsIdList = (max: number): PropertyDecorator =>
  IsItems((item) => parseWordOrId(item, []), max, ID_SCHEMA);
