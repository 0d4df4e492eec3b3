import type { ArgumentMetadata, Type } from '@nestjs/common';
import { Injectable, ValidationPipe } from '@nestjs/common';
import type { ValidationError, ValidatorOptions } from 'class-validator';
import { getMetadataStorage } from 'class-validator';
import { Clock } from '../../time/clock';
import { countValues, invalidBody, MAX_VALUES, tooManyValues } from '../input/body-limits';
import { asForm } from '../input/form';
import type { ErrorLocation, FieldError, FieldErrorCode } from '../problem';
import { fieldError, Problem } from '../problem';
import { copyNested, Rejected, validatedAt } from './property';
import { suggestion } from './suggestion';

/** The most fields of a body in total, without those of objects in lists. */
const MAX_FIELDS = 1000;

/** Error codes by the names of class-validator's rules; our own rules are named by their code. */
const CODES: Record<string, FieldErrorCode> = {
  isString: 'invalid_type',
  isInt: 'invalid_type',
  isArray: 'invalid_type',
  isObject: 'invalid_type',
  isBoolean: 'invalid_type',
  isIn: 'invalid_value',
  min: 'out_of_range',
  max: 'out_of_range',
  arrayMinSize: 'too_few',
  arrayMaxSize: 'too_many',
  arrayUnique: 'duplicate',
};

// class-validator collects the rules of a class again for each object, which took a third of the time of validating an
// update, so they are cached. They also depend on groups, which no rule has.
const storage = getMetadataStorage();
const collectRules = storage.getTargetValidationMetadatas.bind(storage);
const rulesByDto = new Map<unknown, ReturnType<typeof collectRules>>();
storage.getTargetValidationMetadatas = (Dto, ...options) => {
  const rules = rulesByDto.get(Dto) ?? collectRules(Dto, ...options);
  rulesByDto.set(Dto, rules);
  return rules;
};

class InvalidFields extends Error {
  constructor(readonly errors: ValidationError[]) {
    super('invalid fields');
  }
}

/** Nest's ValidationPipe for bodies and queries; every error becomes a field error of one problem. */
@Injectable()
export class ProblemValidationPipe extends ValidationPipe {
  /** DTOs for which an empty query is valid, as for most lists. Validating it each time takes 40 µs. */
  private readonly validWhenEmpty = new Set<unknown>();

  constructor(private readonly clock: Clock) {
    super({
      whitelist: true,
      forbidNonWhitelisted: true,
      transform: true,
      stopAtFirstError: true,
      exceptionFactory: (errors) => new InvalidFields(errors),
    });
  }

  override async transform(value: unknown, metadata: ArgumentMetadata): Promise<unknown> {
    const { type } = metadata;
    // Nest would convert a path parameter by its type; the decorators of http/input/path.ts are stricter.
    if (type !== 'body' && type !== 'query') return value;
    const fields = type === 'body' ? fieldsOfBody(value) : (value as object);
    const location: ErrorLocation = type === 'body' ? 'pointer' : 'parameter';
    const isEmptyQuery = type === 'query' && Object.keys(fields).length === 0;
    if (isEmptyQuery && this.validWhenEmpty.has(metadata.metatype)) {
      return new (metadata.metatype as Type)();
    }
    // ValidationPipe ignores names such as __proto__ and constructor.
    const reserved = Object.keys(fields).filter(
      (name) => name in Object.prototype || name === 'prototype',
    );
    const errors = reserved.map((name) =>
      fieldError(location, name, 'unknown_field', notDeclared(location)),
    );
    for (const name of reserved) Reflect.deleteProperty(fields, name);
    try {
      const dto: unknown = await super.transform(fields, metadata);
      if (isEmptyQuery) this.validWhenEmpty.add(metadata.metatype);
      if (errors.length === 0) return dto;
    } catch (error) {
      if (!(error instanceof InvalidFields)) throw error;
      const known = namesOf(metadata.metatype as Type);
      errors.push(...error.errors.flatMap((each) => fieldErrors(each, location, known)));
    }
    throw Problem.invalid(errors);
  }

  /** Removes names such as `constructor`, which class-transformer would call, but not from what the decorators get. */
  protected override stripProtoKeys(fields: Record<string, unknown>): void {
    copyNested(fields);
    super.stripProtoKeys(fields);
  }

  protected override validate(
    dto: object,
    options?: ValidatorOptions,
  ): Promise<ValidationError[]> | ValidationError[] {
    validatedAt.set(dto, this.clock.now());
    return super.validate(dto, options);
  }
}

/**
 * Returns the fields of a parsed body; none without a body.
 * @throws Problem if it cannot be parsed, is not an object or has too many fields
 */
export function fieldsOfBody(body: unknown): Record<string, unknown> {
  if (body === undefined) return {};
  if (body instanceof Problem) throw body;
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw invalidBody('invalid_type', 'The body must be a JSON object.');
  }
  const visit = (value: object): number => {
    // Items of a list do not count: the list of a bulk move names up to 1,000 stories, and each operation of
    // a batch may have as many fields as a body.
    const isList = Array.isArray(value);
    let count = isList ? 0 : Object.keys(value).length;
    for (const item of Object.values(value) as unknown[]) {
      if (typeof item !== 'object' || item === null) continue;
      const fields = visit(item);
      if (!isList) count += fields;
    }
    if (count > MAX_FIELDS) {
      throw invalidBody('too_many', `The body has more than ${MAX_FIELDS} fields.`);
    }
    return count;
  };
  visit(body);
  return body as Record<string, unknown>;
}

const notDeclared = (location: ErrorLocation): string =>
  location === 'pointer' ? 'is not a field' : 'is not a parameter';

function fieldErrors(
  error: ValidationError,
  location: ErrorLocation,
  known: string[],
): FieldError[] {
  const { property, constraints = {} } = error;
  const value: unknown = error.value;
  if (value instanceof Rejected) {
    const { code, message, properties } = value;
    if (!properties) return [fieldError(location, property, code, message)];
    return properties.map((name) => {
      const error = fieldError(location, name, code, message);
      const pointer = `/${property}${error.pointer}`;
      return { ...error, pointer, detail: `${property}/${error.detail}` };
    });
  }
  return Object.entries(constraints).flatMap(([rule, message]) => {
    if (rule === 'whitelistValidation') {
      const near = suggestion(property, known);
      const question = near === undefined ? '' : `; did you mean \`${near}\`?`;
      return fieldError(location, property, 'unknown_field', notDeclared(location) + question);
    }
    if (rule === 'items') return itemErrors(property, value as unknown[]);
    if (value === undefined) return fieldError(location, property, 'required', 'is required');
    if (value === null) return fieldError(location, property, 'not_nullable', 'must not be null');
    const code = CODES[rule] ?? (rule as FieldErrorCode);
    return { ...fieldError(location, property, code, ''), detail: message };
  });
}

/** Returns the names of the properties of a DTO. */
const namesOf = (Dto: Type): string[] => {
  const rules = storage.getTargetValidationMetadatas(Dto, '', false, false);
  return [...new Set(rules.map(({ propertyName }) => propertyName))];
};

/** Returns an error for each item that is rejected or equals an earlier one. */
const itemErrors = (property: string, list: unknown[]): FieldError[] =>
  list.flatMap((item, i): FieldError[] => {
    const isRepeated = list.indexOf(item) < i;
    const wrong = isRepeated ? new Rejected('duplicate', 'is a duplicate') : item;
    if (!(wrong instanceof Rejected)) return [];
    const detail = `${property}/${i} ${wrong.message}`;
    return [{ pointer: `/${property}/${i}`, code: wrong.code, detail }];
  });

const pipe = new ProblemValidationPipe(new Clock());

/**
 * Validates fields that do not come from HTTP by the rules for a body.
 * @param form whether all values are strings, as in a form
 * @throws Problem `invalid_request`
 */
export async function validate<T extends object>(
  Dto: Type<T>,
  fields: Record<string, unknown>,
  { form = false } = {},
): Promise<T> {
  // The values of a request are counted before it is parsed. One operation of a batch could have most of them.
  if (countValues(fields) > MAX_VALUES) throw tooManyValues();
  const metatype = Dto as Type<unknown>;
  const sent = form ? asForm(fields) : fields;
  return (await pipe.transform(sent, { type: 'body', metatype })) as T;
}

/** As `validate`, but returns the errors; `dto` is undefined if there are any. */
export async function tryValidate<T extends object>(
  ...args: Parameters<typeof validate<T>>
): Promise<{ dto?: T; errors: readonly FieldError[] }> {
  try {
    return { dto: await validate(...args), errors: [] };
  } catch (error) {
    if (!(error instanceof Problem) || !error.options.errors) throw error;
    return { errors: error.options.errors };
  }
}
