import { applyDecorators } from '@nestjs/common';
import { IsBoolean, IsIn, IsString } from 'class-validator';
import { ID_SCHEMA, isId, toInteger } from './numbers';
import type { Schema } from './property';
import { Doc, IsSingle, Parse, Rejected, Rule, convert } from './property';

export const IsOneOf = (words: readonly string[]): PropertyDecorator =>
  applyDecorators(
    IsSingle(),
    IsString(),
    IsIn(words, { message: `$property must be one of ${words.join(', ')}` }),
    Doc({ type: 'string', enum: [...words] }),
  );

/** `true` or `false`; in forms and queries as a string. */
export const IsFlag = (): PropertyDecorator =>
  applyDecorators(
    convert((value, _, inForm) =>
      inForm && (value === 'true' || value === 'false') ? value === 'true' : value,
    ),
    IsBoolean({ message: '$property must be true or false' }),
    Doc({ type: 'boolean' }),
  );

export const REFERENCE_SCHEMA = { type: 'string', pattern: '^\\$[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$' };
const REFERENCE = new RegExp(REFERENCE_SCHEMA.pattern);

/**
 * Whether a value is a reference to a resource that the batch creates, such as `$story`. A property that
 * may be `named` contains the reference until the batch resolves it.
 */
export const isReference = (value: unknown): value is string =>
  typeof value === 'string' && REFERENCE.test(value);

/** The name of a resource, without the `$` of references to it. */
export const REFERENCE_NAME_SCHEMA = {
  type: 'string',
  pattern: REFERENCE_SCHEMA.pattern.replace('\\$', ''),
};

/** The name of the resource that an operation of a batch creates. */
export const IsReferenceName = (): PropertyDecorator =>
  applyDecorators(
    IsSingle(),
    IsString(),
    Rule(
      'invalid_value',
      'must be 1 to 64 letters, digits, ".", "_" and "-", the first a letter or a digit',
      (value) => isReference(`$${value as string}`),
    ),
    Doc(REFERENCE_NAME_SCHEMA),
  );

function parsePosition(value: unknown, named: boolean): unknown {
  if (value === 'first' || value === 'last') return value;
  const [[side, id] = [], ...rest] =
    typeof value === 'object' && value !== null ? Object.entries(value) : [];
  const neighbour = toInteger(id);
  return (side === 'before' || side === 'after') &&
    rest.length === 0 &&
    (isId(neighbour) || (named && isReference(neighbour)))
    ? { [side]: neighbour }
    : new Rejected('invalid_value', 'must be "first", "last", {"before": id} or {"after": id}');
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

const anyOf = new Intl.ListFormat('en-GB', { type: 'disjunction' });

/** Returns one of `words`, an id or, if it may be `named`, a reference; otherwise a `Rejected`. */
export function parseWordOrId(value: unknown, words: readonly string[], named = false): unknown {
  const id = toInteger(value);
  if (words.includes(value as string) || isId(id) || (named && isReference(id))) return id;
  const code = Number.isInteger(id) ? 'out_of_range' : 'invalid_type';
  const choices = [...words, 'an id', ...(named ? ['a name such as "$story"'] : [])];
  return new Rejected(code, `must be ${anyOf.format(choices)}`);
}

/** One of `words`, or an id. */
export const IsWordOrId = (words: readonly string[], { named = false } = {}): PropertyDecorator =>
  Parse((value) => parseWordOrId(value, words, named), {
    oneOf: [
      ...(words.length > 0 ? [{ type: 'string', enum: [...words] }] : []),
      ID_SCHEMA,
      ...(named ? [REFERENCE_SCHEMA] : []),
    ],
  });
