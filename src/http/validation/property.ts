import type { Type } from '@nestjs/common';
import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { IsOptional, ValidateBy, ValidateIf } from 'class-validator';
import { isForm } from '../input/form';
import type { FieldErrorCode } from '../problem';

// Building blocks of the decorators for the properties of DTOs. Each decorator converts the value (strings of
// forms and queries, too), checks it with class-validator, and describes it in the OpenAPI document.

export type Schema = Record<string, unknown>;

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
export const MayBeAbsent = (): PropertyDecorator =>
  applyDecorators(
    ValidateIf((_, value) => value !== undefined),
    Doc({ required: false }),
  );

/** The property may be absent or null. */
export const MayBeAbsentOrNull = (): PropertyDecorator =>
  applyDecorators(IsOptional(), Doc({ required: false, nullable: true }));

/**
 * A rule of our own, which may depend on other properties of the DTO. Its name is the code of the error; the errors of
 * `items` are those of the items of a list.
 */
export function Rule<Dto extends object>(
  code: FieldErrorCode | 'items',
  message: string,
  test: (value: unknown, dto: Dto) => boolean,
  options?: { each: boolean },
): PropertyDecorator {
  return ValidateBy(
    {
      name: code,
      validator: {
        validate: (value, args) => test(value, args?.object as Dto),
        defaultMessage: (args) => `${args?.property} ${message}`,
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
    /** The properties of an object that are wrong; without them, all of the value is. */
    readonly properties?: readonly string[],
  ) {}
}

/** The nested objects of bodies as they were sent, by the body and their names. */
const sentObjects = new WeakMap<object, Map<string, unknown>>();

/** Replaces the nested objects of a body by copies. The decorators still get what was sent. */
export function copyNested(fields: Record<string, unknown>): void {
  const sent = new Map<string, unknown>();
  for (const [name, value] of Object.entries(fields)) {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) continue;
    sent.set(name, value);
    fields[name] = structuredClone(value);
  }
  if (sent.size > 0) sentObjects.set(fields, sent);
}

/** Only `obj` shows whether a property was sent: class-transformer has copied the value. */
const sentOf = (obj: object, name: string): unknown =>
  sentObjects.get(obj)?.get(name) ?? (obj as Record<string, unknown>)[name];

/** Converts a single value, which a form has once. @param change is not called with undefined and null */
export const convert = (
  change: (value: unknown, sent: unknown, inForm: boolean) => unknown,
): PropertyDecorator =>
  Transform(({ value, obj, key }) => {
    const sent = sentOf(obj as object, key);
    const inForm = isForm(obj as object);
    if (Array.isArray(sent) && inForm) {
      return new Rejected('duplicate', 'is given more than once');
    }
    return sent === undefined || sent === null ? sent : change(value, sent, inForm);
  });

/** Rejects a value that a form has more than once. */
export const IsSingle = (): PropertyDecorator => convert((value) => value);

/** Converts the items of a list. A form repeats its name, so a list of one item is a string there, and an empty list is null. */
export const convertList = (
  change: (item: unknown) => unknown,
  combine: (list: unknown[]) => unknown = (list) => list,
): PropertyDecorator =>
  Transform(({ obj, key }) => {
    const sent = sentOf(obj as object, key);
    if (sent === undefined) return undefined;
    const list: unknown = isForm(obj as object) ? (sent === null ? [] : [sent].flat()) : sent;
    return Array.isArray(list) ? combine(list.map(change)) : list;
  });

/** A value that `parse` converts, or replaces by a `Rejected`. */
export const Parse = (parse: (value: unknown) => unknown, schema: Schema): PropertyDecorator =>
  applyDecorators(
    // Parses the value that was sent: if a subclass overrides a property, the base class converts `value` first.
    convert((_, sent) => parse(sent)),
    Rule(
      'required',
      'is required',
      (value) => value !== undefined && value !== null && !(value instanceof Rejected),
    ),
    Doc(schema),
  );

/** The time at which a DTO is validated. */
export const validatedAt = new WeakMap<object, Date>();
