import { applyDecorators } from '@nestjs/common';
import { isDeepStrictEqual } from 'node:util';
import type { FieldError } from '../problem';
import { fieldError, Problem } from '../problem';
import { IsSingle, Rejected, Rule } from '../validation/property';

const READ_ONLY = Symbol('read-only fields');

/** Declares fields that a client may send back unchanged, but cannot change. */
export function ReadOnly(...names: string[]): ClassDecorator {
  return (target) => {
    const decorate = applyDecorators(
      IsSingle(),
      Rule('duplicate', 'is given more than once', (value) => !(value instanceof Rejected)),
    );
    for (const name of names) decorate(target.prototype as object, name);
    Reflect.defineMetadata(READ_ONLY, names, target);
  };
}

const readOnlyOf = (body: object): string[] =>
  (Reflect.getMetadata(READ_ONLY, body.constructor) ?? []) as string[];

/** Returns the fields of a body that a client may change. */
export function writable<T extends object>(body: T): T {
  const readOnly = new Set(readOnlyOf(body));
  return Object.fromEntries(
    Object.entries(body).filter(([name, value]) => value !== undefined && !readOnly.has(name)),
  ) as T;
}

/** The `version` of the body is not the stored one. */
export class OtherVersion extends Problem {
  constructor() {
    super('precondition_failed', 'The resource has another version.');
  }
}

/** @throws OtherVersion if the `version` of the body is not the stored one */
export function requireVersion(body: object, stored: { version: number }): void {
  const { version } = body as { version?: unknown };
  if (version !== undefined && !isUnchanged(version, stored.version)) throw new OtherVersion();
}

/**
 * @param others further errors of the body
 * @throws Problem with these errors and one for each read-only field whose value is not the stored one
 */
export function requireUnchanged(
  body: object,
  stored: object,
  others: readonly FieldError[] = [],
): void {
  const sent = body as Record<string, unknown>;
  const known = stored as Record<string, unknown>;
  const errors = readOnlyOf(body)
    .filter((name) => sent[name] !== undefined && !isUnchanged(sent[name], known[name]))
    .map((name) => fieldError('pointer', name, 'read_only', 'cannot be changed'));
  if (errors.length + others.length > 0) throw Problem.invalid([...errors, ...others]);
}

/** Forms and JSON may contain a number as a string. */
const isUnchanged = (sent: unknown, stored: unknown): boolean =>
  isDeepStrictEqual(sent, stored) ||
  (typeof sent === 'string' && typeof stored === 'number' && sent === String(stored));
