import type { OpenAPIObject } from '@nestjs/swagger';
import { EVENT_ENTITIES, EVENT_TYPES } from '../events/event';
import { SCOPES } from '../http/access';
import { FIELD_ERRORS, PROBLEMS } from '../http/problem';
import type { Schema } from '../http/validation/property';
import { COMMITMENT_RULES } from '../reports/report.dto';
import { SPRINT_STATES } from '../sprints/sprint.dto';
import { STATUSES } from '../stories/story.entity';

/** The enumerations by name. The DTOs have only their words. */
const ENUMS: Record<string, readonly string[]> = {
  Status: STATUSES,
  SprintState: SPRINT_STATES,
  Scope: SCOPES,
};

/** Enumerations that later versions may extend: their schema is any string, so that clients keep working. */
const OPEN_ENUMS: Record<string, readonly string[]> = {
  CommitmentRule: COMMITMENT_RULES,
  EventEntity: EVENT_ENTITIES,
  EventType: EVENT_TYPES,
  FieldErrorCode: Object.keys(FIELD_ERRORS),
  ProblemCode: Object.keys(PROBLEMS),
};

const PREFIX = '#/components/schemas/';
const refTo = (name: string): Schema => ({ $ref: PREFIX + name });

/** Names the schemas for clients: removes the `View` of class names, and gives enumerations a name. */
export function nameSchemas(document: OpenAPIObject): OpenAPIObject {
  const named = rewrite(document) as OpenAPIObject;
  const components = named.components as { schemas: Record<string, unknown> };
  const schemas: [string, unknown][] = Object.entries(components.schemas).map(([name, schema]) => [
    nameOf(name),
    schema,
  ]);
  for (const [name, words] of Object.entries(ENUMS)) {
    schemas.push([name, { type: 'string', enum: [...words] }]);
  }
  for (const [name, words] of Object.entries(OPEN_ENUMS)) {
    const description = `One of ${list(words)}. Later versions may add others.`;
    schemas.push([name, { type: 'string', description, 'x-extensible-enum': [...words] }]);
  }
  components.schemas = Object.fromEntries(schemas);
  if (Object.keys(components.schemas).length < schemas.length) {
    throw new Error(`two schemas have one name: ${schemas.map(([name]) => name).join(', ')}`);
  }
  return named;
}

/** Returns the name of the schema of a class. */
const nameOf = (className: string): string => className.replace(/View$/, '');

const list = (words: readonly string[]): string => words.map((word) => `\`${word}\``).join(', ');

/** Replaces class names and lists of words by the names of schemas, in a part of the document. */
function rewrite(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(rewrite);
  if (typeof node !== 'object' || node === null) return node;
  const {
    enum: words,
    type,
    ...others
  } = Object.fromEntries(Object.entries(node).map(([key, value]) => [key, rewrite(value)]));
  if (typeof others.$ref === 'string' && others.$ref.startsWith(PREFIX)) {
    others.$ref = PREFIX + nameOf(others.$ref.slice(PREFIX.length));
  }
  const name = Array.isArray(words) ? enumOf(words as (string | null)[]) : undefined;
  if (name === undefined) {
    return { ...(type !== undefined && { type }), ...others, ...(words ? { enum: words } : {}) };
  }
  return (words as unknown[]).includes(null)
    ? { ...others, anyOf: [refTo(name), { type: 'null' }] }
    : { ...others, ...refTo(name) };
}

function enumOf(words: (string | null)[]): string | undefined {
  const sorted = (list: readonly (string | null)[]): string =>
    list
      .filter((word) => word !== null)
      .sort()
      .join();
  const names = Object.entries({ ...ENUMS, ...OPEN_ENUMS })
    .filter(([, known]) => sorted(known) === sorted(words))
    .map(([name]) => name);
  if (names.length > 1) throw new Error(`${names.join(' and ')} have the same words`);
  return names[0];
}
