import { validateSync } from 'class-validator';
import type { IncomingHttpHeaders } from 'node:http';
import { fieldsOf, mayBeEmpty, readOnlyFieldsOf, rulesOf } from './fields';
import type { Fault, FaultCode } from './problem';
import { Problem } from './problem';
import { same } from './same';

/** How much a body, or a query, may hold. */
export interface Limits {
  /** Levels of objects and lists. */
  bodyDepth: number;
  /** Members in all. */
  bodyMembers: number;
}

/**
 * What a request brought: members, or why they cannot be read. Reading never throws, for what is asked
 * for is looked up first: a body cannot be wrong for something that is not there.
 */
export class Received {
  constructor(
    private readonly content: Record<string, unknown> | Problem,
    /** Whether values are text, as in forms and queries. */
    readonly textual: boolean,
  ) {}

  /** @throws Problem `malformed_body` or `unsupported_media_type` */
  members(): Record<string, unknown> {
    if (this.content instanceof Problem) throw this.content;
    return this.content;
  }
}

/** A request that brought nothing. */
export const NOTHING = new Received({}, false);

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Reads a body by its content type (RFC 9110, section 8.3). */
export function readBody(headers: IncomingHttpHeaders, body: Buffer, limits: Limits): Received {
  const [mediaType = '', ...parameters] = (headers['content-type'] ?? '')
    .toLowerCase()
    .split(';')
    .map((part) => part.trim());
  const charset = parameters
    .find((parameter) => parameter.startsWith('charset='))
    ?.replace(/^charset="?([^"]*)"?$/, '$1');
  const form = mediaType === 'application/x-www-form-urlencoded';
  // Without content there is nothing that a content type could be wrong about.
  if (body.length === 0) return new Received({}, form);
  if (
    (!form && mediaType !== 'application/json') ||
    !['utf-8', 'utf8', undefined].includes(charset) ||
    !['identity', undefined].includes(headers['content-encoding'])
  ) {
    return new Received(new Problem('unsupported_media_type'), false);
  }
  try {
    const text = utf8.decode(body);
    return form
      ? new Received(readForm(text, limits), true)
      : new Received(readJson(text, limits), false);
  } catch (error) {
    return new Received(
      error instanceof Problem
        ? error
        : new Problem('malformed_body', `The body is not ${form ? 'a form' : 'JSON'} in UTF-8.`),
      form,
    );
  }
}

function readJson(text: string, limits: Limits): Record<string, unknown> {
  const value: unknown = JSON.parse(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw Problem.invalid([
      { pointer: '', code: 'invalid_type', detail: 'The body must be a JSON object.' },
    ]);
  }
  requireSmall(value, 1, { ...limits, left: limits.bodyMembers });
  return value as Record<string, unknown>;
}

function requireSmall(value: object, depth: number, limits: Limits & { left: number }): void {
  if (depth > limits.bodyDepth) {
    throw Problem.invalid([
      {
        pointer: '',
        code: 'too_deep',
        detail: `The body is nested deeper than ${limits.bodyDepth}.`,
      },
    ]);
  }
  for (const item of Object.values(value) as unknown[]) {
    // The items of a list are members too, but a bulk move names up to 1,000 stories in one.
    if (!Array.isArray(value)) limits.left -= 1;
    if (limits.left < 0) {
      throw tooMany(limits.bodyMembers);
    }
    if (typeof item === 'object' && item !== null) requireSmall(item, depth + 1, limits);
  }
}

const tooMany = (most: number): Problem =>
  Problem.invalid([
    { pointer: '', code: 'too_many', detail: `There are more than ${most} members.` },
  ]);

/**
 * Reads application/x-www-form-urlencoded strictly: broken percent-encoding is refused. Each name has
 * the list of its values; which are lists is known where they are checked.
 */
export function readForm(text: string, { bodyMembers }: Limits): Record<string, string[]> {
  const members = new Map<string, string[]>();
  for (const pair of text.split('&')) {
    if (pair === '') continue;
    const at = pair.indexOf('=');
    const [name, value] = (at < 0 ? [pair, ''] : [pair.slice(0, at), pair.slice(at + 1)]).map(
      (part) => decodeURIComponent(part.replaceAll('+', ' ')),
    ) as [string, string];
    const values = members.get(name);
    if (values) values.push(value);
    else members.set(name, [value]);
  }
  if (members.size > bodyMembers) throw tooMany(bodyMembers);
  // Not through assignment: a member may be called __proto__.
  return Object.fromEntries(members);
}

/** Reads a query string; it is looked at when its route is. */
export function readQuery(text: string, limits: Limits): Received {
  if (text === '') return NOTHING;
  try {
    return new Received(readForm(text, limits), true);
  } catch {
    return new Received(new Problem('bad_request', 'The query is not well-formed.'), true);
  }
}

/** Values of members that a client may send only as they are; see `requireUnchanged`. */
const echoes = new WeakMap<object, { members: Map<string, unknown>; textual: boolean }>();

/**
 * Turns what was received into the DTO of the handler, by the DTO's own decorators.
 * @param now for rules about what is to come
 * @throws Problem that names every fault
 */
export function readDto<T extends object>(
  Dto: new () => T,
  received: Received,
  place: 'pointer' | 'parameter',
  now = new Date(),
): T {
  const members = received.members();
  if (mayBeEmpty(Dto) && Object.keys(members).length === 0) return new Dto();
  const fields = fieldsOf(Dto);
  const readOnly = readOnlyFieldsOf(Dto);
  const dto = new Dto();
  const faults: Fault[] = [];
  const at = (name: string): Pick<Fault, 'pointer' | 'parameter'> =>
    place === 'pointer'
      ? { pointer: `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}` }
      : { parameter: name };
  const fail = (name: string, code: FaultCode, detail: string): void => {
    // What a client sent is shown to it, but not at any length.
    const shown = name.length > 100 ? `${name.slice(0, 100)}…` : name;
    faults.push({ ...at(name), code, detail: `${shown || '""'} ${detail}` });
  };
  const echoed = new Map<string, unknown>();
  const ambiguous = new Set<string>();

  for (const [name, raw] of Object.entries(members)) {
    const field = fields.get(name);
    if (!field && !readOnly.has(name)) {
      fail(name, 'unknown_field', place === 'pointer' ? 'is not a member' : 'is not a parameter');
      continue;
    }
    let value = raw;
    if (received.textual) {
      const values = raw as string[];
      if (field?.kind.list) {
        value = place === 'pointer' && values.length === 1 && values[0] === '' ? [] : values;
      } else if (values.length > 1) {
        fail(name, 'duplicate', 'is given more than once');
        ambiguous.add(name);
        continue;
      } else {
        value = place === 'pointer' && values[0] === '' ? null : values[0];
      }
    }
    if (!field) echoed.set(name, value);
    else if (value === '' && field.kind.emptyIsNull) Object.assign(dto, { [name]: null });
    else {
      const reading = value === null ? { value } : field.kind.read(value);
      Object.assign(dto, { [name]: 'code' in reading ? value : reading.value });
    }
  }

  const sent: Partial<T> = { ...dto };
  // To gather all decorators of a class takes longer than to ask one after the other; so class-validator
  // is left to tell what they have against it, where one of them has something.
  const valid = [...fields.values()].every((field) => !field.fault(dto[field.name as keyof T]));
  for (const { property, constraints } of valid ? [] : validateSync(dto, VALIDATION)) {
    if (property in sent) sent[property as keyof T] = undefined;
    // It is not missing: there is too much of it.
    if (ambiguous.has(property)) continue;
    for (const message of Object.values(constraints ?? {})) {
      const [code = '', ...detail] = message.split(' ');
      fail(property, code as FaultCode, detail.join(' '));
    }
  }
  for (const rule of rulesOf(Dto)) faults.push(...rule(sent, now));
  if (faults.length > 0) throw Problem.invalid(faults);
  if (echoed.size > 0) echoes.set(dto, { members: echoed, textual: received.textual });
  return dto;
}

const VALIDATION = { forbidUnknownValues: false, validationError: { target: false, value: false } };

/**
 * Holds the read-only members that a client sent against what is stored. A stale `version` is
 * `precondition_failed`; what follows from it for others is left to `requireEchoes`.
 */
export function requireVersion(dto: object, stored: object): void {
  const echoed = echoes.get(dto);
  if (!echoed?.members.has('version')) return;
  if (!unchanged(echoed.members.get('version'), (stored as { version: unknown }).version)) {
    throw new Problem('precondition_failed', 'The resource has another version by now.');
  }
}

/**
 * @param others what else is wrong with the body, by what is stored
 * @throws Problem that names these, and each read-only member whose value is not the stored one
 */
export function requireEchoes(dto: object, stored: object, others: readonly Fault[] = []): void {
  const faults = [...(echoes.get(dto)?.members ?? [])]
    .filter(([name, value]) => !unchanged(value, (stored as Record<string, unknown>)[name]))
    .map(([name]): Fault => ({
      pointer: `/${name}`,
      code: 'read_only',
      detail: `${name} cannot be changed`,
    }));
  if (faults.length + others.length > 0) throw Problem.invalid([...faults, ...others]);
}

function unchanged(sent: unknown, stored: unknown): boolean {
  return (
    same(sent, stored) ||
    (typeof sent === 'string' && typeof stored === 'number' && sent === String(stored))
  );
}
