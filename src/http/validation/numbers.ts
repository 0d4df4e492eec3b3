import { applyDecorators } from '@nestjs/common';
import { IsInt, Max, Min } from 'class-validator';
import { Doc, Parse, Rejected, convert } from './property';

export const toInteger = (value: unknown): unknown =>
  typeof value === 'string' && /^-?(0|[1-9]\d*)$/.test(value) ? Number(value) + 0 : value;

/** An integer, as a JSON number or a decimal string. */
export function IsInteger(min: number, max: number): PropertyDecorator {
  const message = `$property must be from ${min} to ${max}`;
  return applyDecorators(
    convert(toInteger),
    IsInt({ message: '$property must be an integer' }),
    Min(min, { message }),
    Max(max, { message }),
    Doc({ type: 'integer', minimum: min, maximum: max }),
  );
}

/** The range of a signed 32-bit integer. */
export const MIN_INT32 = -2_147_483_648;
export const MAX_INT32 = 2_147_483_647;
export const ID = [1, Number.MAX_SAFE_INTEGER] as const;
export const ID_SCHEMA = { type: 'integer', minimum: ID[0], maximum: ID[1] } as const;

export const IsInt32 = (): PropertyDecorator => IsInteger(MIN_INT32, MAX_INT32);

function parseDecimal(value: unknown, max: number): number | Rejected {
  const isText = typeof value === 'string' && /^-?(0|[1-9]\d*)(\.\d+)?$/.test(value);
  const number = isText ? Number(value) : value;
  if (typeof number !== 'number' || !Number.isFinite(number)) {
    return new Rejected('invalid_type', 'must be a number');
  }
  if (number < 0 || number > max) return new Rejected('out_of_range', `must be from 0 to ${max}`);
  // The number of a long string is rounded.
  if (Math.round(number * 100) / 100 !== number || (isText && /\.\d\d\d*[1-9]/.test(value))) {
    return new Rejected('too_precise', 'must have at most two decimals');
  }
  return number + 0;
}

/** A number from 0 to `max` with at most two decimals, as a JSON number or a decimal string. */
export const IsDecimal = (max: number): PropertyDecorator =>
  // No `multipleOf: 0.01`: with it many validators reject 0.07.
  Parse((value) => parseDecimal(value, max), { type: 'number', minimum: 0, maximum: max });

export const isId = (value: unknown): boolean =>
  Number.isSafeInteger(value) && (value as number) >= ID[0];
