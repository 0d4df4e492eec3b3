import { FILE_TYPES } from '../http/input/upload';
import type { RouteSettings } from '../http/route';
import { SETTING } from '../http/route';
import { ID_SCHEMA } from '../http/validation/numbers';
import type { Schema } from '../http/validation/property';
import { NAME_SCHEMA } from '../http/validation/text';
import { RELATIVE } from '../sprints/sprint.queries';
import type { Header } from './components';
import { referTo } from './components';
import type { ProblemResponses } from './problems';
import { capital } from './problems';

/** A body in one format. */
export interface Media {
  schema?: Reference & { type?: string | string[]; items?: Reference };
  example?: unknown;
}
interface Reference {
  $ref?: string;
}

/** An operation of the document, as @nestjs/swagger creates it. */
export type Operation = Schema & {
  operationId: string;
  summary: string;
  description?: string;
  parameters: (Schema & { name: string; in: string })[];
  requestBody?: { content: Record<string, Media>; required: boolean };
  responses: Record<string, Schema & { description?: string; content?: Record<string, Media> }>;
};

/** Returns the name of the schema that a reference names; an empty string if there is no reference. */
export const nameOfSchema = ({ $ref = '' }: Reference = {}): string => $ref.split('/').pop() ?? '';

/** Adds what all operations have in common: name, errors, conditions, response headers, forms. */
export function completeOperation(
  path: string,
  method: string,
  operation: Operation,
  schemas: Record<string, Schema>,
  problems: ProblemResponses,
): void {
  operation.operationId = operationId(operation, method, path);
  if (operation.description === undefined) throw new Error(`${path} has no description`);
  const settings = takeSettings(operation);
  describePath(path, operation);
  describeConditions(method, operation, settings);
  describeResponses(path, method, operation, settings);
  Object.assign(operation.responses, problems.of({ ...operation, method, path, settings }));
  describeBody(operation, schemas);
  if (settings.file) describeFile(operation);
}

const ARTICLES = new Set(['a', 'an', 'the', 'all']);

/**
 * Makes the name of a function from the summary up to the first comma or colon: `List stories of a sprint`
 * becomes `listStoriesOfSprint` and, under `/sprints/current/`, `listStoriesOfCurrentSprint`.
 */
function operationId({ summary }: Operation, method: string, path: string): string {
  const words = (summary.split(/[:,]/)[0] ?? '')
    .replace(/[^\w ]/g, '')
    .split(' ')
    .filter((word) => !ARTICLES.has(word))
    .map(capital)
    .join('');
  const name = words.charAt(0).toLowerCase() + words.slice(1);
  const relative = RELATIVE.find((which) => path.includes(`/sprints/${which}/`));
  if (relative) {
    if (!name.endsWith('Sprint')) throw new Error(`the name of ${path} has no sprint: ${name}`);
    return name.replace(/Sprint$/, `${capital(relative)}Sprint`);
  }
  return method === 'patch' ? name.replace(/^update/, 'patch') : name;
}

/** Removes the settings of `Route` from the operation and returns them. */
function takeSettings(operation: Operation): RouteSettings {
  const settings = Object.entries(operation).filter(([name]) => name.startsWith(SETTING));
  for (const [name] of settings) delete operation[name];
  return Object.fromEntries(settings.map(([name, value]) => [name.slice(SETTING.length), value]));
}

/** Describes the parameters of the path; a handler of several paths reads only some of them. */
function describePath(path: string, operation: Operation): void {
  const parameters = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    schema: name.endsWith('_id') ? ID_SCHEMA : NAME_SCHEMA,
  }));
  const others = operation.parameters.filter((other) => other.in !== 'path');
  operation.parameters = [...parameters, ...others];
}

function describeConditions(
  method: string,
  { parameters, responses }: Operation,
  settings: RouteSettings,
): void {
  const add = (name: string, description: string, schema: Schema = { type: 'string' }): void => {
    parameters.push({ name, in: 'header', required: false, description, schema });
  };
  if (settings.live) return;
  if (method === 'get') {
    add('If-None-Match', 'Entity tags. The response is 304 if the resource has one of them.');
    responses['304'] = { description: 'Not modified.' };
  } else if (settings.repeatable && !settings.unrepeatable) {
    add(
      'Idempotency-Key',
      'Makes it safe to repeat the request for 24 hours: the first response is sent again, with `Idempotent-Replayed`.',
      { type: 'string', minLength: 1, maxLength: 255, pattern: '^[!-~]+$' },
    );
  }
  // A session has no representation that another client could change.
  if (settings.anonymous) return;
  if (['put', 'patch', 'delete'].includes(method) || settings.conditional) {
    add('If-Match', 'Entity tags. The response is 412 if the resource has none of them.');
    add(
      'If-None-Match',
      'Entity tags, or `*`. The response is 412 if the resource has one of them.',
    );
  }
}

const isAboutOneBoard = (path: string, method: string): boolean =>
  path.startsWith('/api/') &&
  !/^\/api\/(tokens|session)/.test(path) &&
  !(path === '/api/boards' && method === 'get');

/** The headers of successful responses; those of errors are part of `Problem`. */
function describeResponses(
  path: string,
  method: string,
  { parameters, responses }: Operation,
  settings: RouteSettings,
): void {
  const has = (parameter: string): boolean => parameters.some(({ name }) => name === parameter);
  const tagged = (['get', 'put', 'patch'].includes(method) && !settings.live) || settings.tagged;
  for (const [status, response] of Object.entries(responses)) {
    const names: Header[] = ['X-Request-Id'];
    if (tagged || status === '201') names.push('ETag');
    if (isAboutOneBoard(path, method)) names.push('X-Board-Revision');
    if (status === '201') names.push('Location');
    // They are not part of the entity tags of boards, tokens and histories, so 304 has their present values.
    const isPage = status === '200' || status === '304';
    if (isPage && has('limit')) names.push('Link');
    if (isPage && has('count')) names.push('X-Total-Count');
    if (has('Idempotency-Key')) names.push('Idempotent-Replayed');
    response.headers = referTo(...names);
    if (status.startsWith('2')) response.description ||= status === '201' ? 'Created.' : 'OK.';
  }
}

/** Whether a body has an array of objects, as a batch, which a form cannot have. */
const hasObjects = ({ properties = {} }: Schema): boolean =>
  Object.values(properties as Record<string, { items?: { oneOf?: unknown } }>).some(
    ({ items }) => items?.oneOf !== undefined,
  );

/** Adds forms as a content type, if a form can have the body, and makes the body optional if no field is required. */
function describeBody({ requestBody }: Operation, schemas: Record<string, Schema>): void {
  const json = requestBody?.content['application/json'];
  if (!requestBody || !json) return;
  const schema = schemas[nameOfSchema(json.schema)] ?? {};
  if (!hasObjects(schema)) requestBody.content['application/x-www-form-urlencoded'] = json;
  requestBody.required = 'required' in schema;
}

/** Describes a body that is a file, or a form with a file. */
function describeFile(operation: Operation): void {
  const file = { type: 'string', format: 'binary' };
  const content: Record<string, Schema> = Object.fromEntries(
    FILE_TYPES.map((type) => [
      type,
      { schema: type === 'application/json' ? { type: ['object', 'array'] } : file },
    ]),
  );
  content['multipart/form-data'] = {
    schema: {
      type: 'object',
      required: ['file'],
      properties: { mapping: { $ref: '#/components/schemas/Mapping' }, file },
    },
    encoding: { mapping: { contentType: 'application/json' } },
  };
  Object.assign(operation, { requestBody: { required: true, content } });
}
