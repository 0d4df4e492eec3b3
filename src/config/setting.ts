import { applyDecorators } from '@nestjs/common';
import { Transform } from 'class-transformer';
import { IsIn, IsInt, Max, Min, ValidateBy } from 'class-validator';

/** Every setting by its name; `.env.example` and docs/configuration.md are generated from it. */
export const SETTINGS: Record<string, { property: string; default: string; description: string }> =
  {};

/** Fills the property from an environment variable. */
export const Setting =
  (name: string, defaultValue: string, description: string): PropertyDecorator =>
  (_, property) => {
    SETTINGS[name] = { property: String(property), default: defaultValue, description };
  };

/** Converts the value of the variable. A value that cannot be converted is kept, and fails validation. */
export const Read = (read: (value: string) => unknown): PropertyDecorator =>
  Transform(({ value }) => read(value as string));

/** An integer; `whenEmpty` returns the value of an empty variable. */
export function Integer(min: number, max: number, whenEmpty?: () => number): PropertyDecorator {
  const message = `must be an integer from ${min} to ${max}`;
  return applyDecorators(
    Read((value) => {
      if (value === '' && whenEmpty) return whenEmpty();
      return /^\d{1,10}$/.test(value) ? Number(value) : value;
    }),
    IsInt({ message }),
    Min(min, { message }),
    Max(max, { message }),
  );
}

/** One of these words, in any case. */
export const OneOf = (...words: string[]): PropertyDecorator =>
  applyDecorators(
    Read((value) => value.toLowerCase()),
    IsIn(words, { message: `must be one of ${words.join(', ')}` }),
  );

/** A comma-separated list, in lower case. */
export const ListOf = (
  isItem: (item: string) => boolean,
  message: string,
  read = (item: string): string => item,
): PropertyDecorator =>
  applyDecorators(
    Read((value) => {
      const items = value.split(',').map((item) => item.trim().toLowerCase());
      return items.filter((item) => item !== '').map(read);
    }),
    ValidateBy({ name: 'listOf', validator: { validate: isItem } }, { each: true, message }),
  );
