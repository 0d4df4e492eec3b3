import { applyDecorators } from '@nestjs/common';
import {
  ArrayMaxSize,
  ArrayMinSize,
  ArrayUnique,
  IsArray,
  IsIn,
  IsInt,
  IsString,
} from 'class-validator';
import { ID_SCHEMA, isId, toInteger } from './numbers';
import type { Schema } from './property';
import { Doc, EACH, NO_DUPLICATES, Rejected, Rule, convert, convertList } from './property';
import { NAME_SCHEMA, isLonger, isStorable, parseBoardName } from './text';

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

const MAX_LABELS = 20;
const LABEL_LENGTH = 50;

/** A list of different labels, each of 1 to `LABEL_LENGTH` code points. */
export const IsLabels = (): PropertyDecorator =>
  applyDecorators(
    convertList((item) => item),
    IsArray(),
    ArrayMaxSize(MAX_LABELS),
    IsString(EACH),
    Rule(
      'blank',
      'must not contain a blank string',
      (item) => (item as string).trim() !== '',
      EACH,
    ),
    Rule('invalid_text', 'must not contain NUL or lone surrogates', isStorable, EACH),
    Rule(
      'too_long',
      `must not contain more than ${LABEL_LENGTH} characters in one string`,
      (item) => !isLonger(item as string, LABEL_LENGTH),
      EACH,
    ),
    ArrayUnique({ message: NO_DUPLICATES }),
    Doc({
      type: 'array',
      maxItems: MAX_LABELS,
      uniqueItems: true,
      items: { type: 'string', minLength: 1, maxLength: LABEL_LENGTH },
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
      const name = parseBoardName(item);
      return name instanceof Rejected ? item : name;
    }),
    IsArray(),
    ArrayMaxSize(max),
    IsString(EACH),
    Rule(
      'invalid_value',
      'must contain names of boards',
      (item) => !(parseBoardName(item) instanceof Rejected),
      EACH,
    ),
    ArrayUnique({ message: NO_DUPLICATES }),
    Doc({ type: 'array', maxItems: max, uniqueItems: true, items: NAME_SCHEMA }),
  );

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
