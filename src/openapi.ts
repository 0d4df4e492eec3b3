import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { OpenAPIObject } from '@nestjs/swagger';
import { DocumentBuilder, SwaggerModule } from '@nestjs/swagger';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { AppModule } from './app.module';
import { createAdapter } from './app.setup';
import { boardName, identifier } from './http/validation';
import { SETTING } from './http/route';
import { createLogger } from './logging/logger';
import { FIELD_ERRORS, PROBLEMS } from './http/problem';
import type { RouteSettings } from './http/route';
import { Config } from './config/config';
import { DOCUMENT_FILE } from './docs';
import { RELATIVE } from './sprints/sprint.queries';

type Schema = Record<string, unknown>;
type Operation = Schema & {
  operationId: string;
  summary: string;
  parameters: Schema[];
  responses: Record<string, Schema>;
};
type Paths = Record<string, Record<string, Operation>>;

/** Builds the OpenAPI document from the controllers, without a database or a port. */
export async function buildDocument(): Promise<OpenAPIObject> {
  const config = Config.from({});
  const app = await NestFactory.create<NestFastifyApplication>(
    AppModule.with(config),
    createAdapter(config, createLogger('silent')),
    { preview: true, logger: false, abortOnError: false },
  );
  const { version } = JSON.parse(readFileSync(join(__dirname, '..', 'package.json'), 'utf8')) as {
    version: string;
  };
  const document = SwaggerModule.createDocument(
    app,
    new DocumentBuilder()
      .setTitle('Sprintline')
      .setDescription(
        'Sprint planning over REST. Bodies are JSON or forms; answers are bare JSON objects and arrays; ' +
          'errors are problem documents (RFC 9457).',
      )
      .setVersion(version)
      .setLicense('MIT', 'https://spdx.org/licenses/MIT.html')
      .addServer('/')
      .addBearerAuth({ type: 'http', scheme: 'bearer', description: 'A token, once there is one.' })
      .setOpenAPIVersion('3.1.0')
      .build(),
  );
  await app.close();
  return complete(toVersion31(document) as OpenAPIObject);
}

/** The library writes null as OpenAPI 3.0 does; 3.1 has JSON Schema's way. */
function toVersion31(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toVersion31);
  if (typeof value !== 'object' || value === null) return value;
  const { nullable, ...schema } = Object.fromEntries<unknown>(
    Object.entries(value).map(([name, item]) => [name, toVersion31(item)]),
  );
  if (nullable !== true) return schema;
  if (Array.isArray(schema.enum)) schema.enum = [...(schema.enum as unknown[]), null];
  if (schema.type !== undefined) return { ...schema, type: [schema.type, 'null'] };
  return { oneOf: [schema, { type: 'null' }] };
}

/**
 * Adds what holds for every operation: its problems, its conditions, the header fields of its answers,
 * and its second body format.
 */
function complete(document: OpenAPIObject): OpenAPIObject {
  const paths = document.paths as unknown as Paths;
  const schemas = (document.components?.schemas ?? {}) as Record<string, Schema>;
  for (const [path, operations] of Object.entries(paths)) {
    for (const [method, operation] of Object.entries(operations)) {
      operation.operationId = operationName(operation, method, path);
      describePath(path, operation);
      const settings = takeSettings(operation);
      describeConditions(path, method, operation, settings);
      describeHeaders(method, operation, settings);
      describeBody(operation, schemas);
      operation.responses.default = PROBLEM_ANSWER;
    }
  }
  // Without a token in the database none is asked for.
  document.security = [{}, { bearer: [] }];
  const components = document.components as unknown as Record<string, Schema>;
  components.schemas = { ...components.schemas, Problem: PROBLEM, FieldError: FAULT };
  components.headers = HEADERS;
  components.responses = {
    Problem: {
      description: 'A refusal; `code` says which.',
      headers: referTo('X-Request-Id', 'Retry-After', 'WWW-Authenticate', 'Allow'),
      content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
    },
  };
  return document;
}

const ARTICLES = new Set(['a', 'an', 'the', 'all']);

/**
 * `List stories of a sprint, …` is `listStoriesOfSprint` and, for one handler may serve several paths,
 * `listStoriesOfCurrentSprint`.
 */
function operationName({ summary }: Operation, method: string, path: string): string {
  const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);
  const words = (summary.split(/[:,]/)[0] ?? '')
    .replace(/[^\w ]/g, '')
    .split(' ')
    .filter((word) => !ARTICLES.has(word))
    .map(capital)
    .join('');
  const name = words.charAt(0).toLowerCase() + words.slice(1);
  const relative = RELATIVE.find((which) => path.includes(`/sprints/${which}/`));
  if (relative) {
    const sprint = `${capital(relative)}Sprint`;
    return name.endsWith('OfSprint') ? name.replace(/Sprint$/, sprint) : `${name}In${sprint}`;
  }
  return method === 'patch' ? name.replace(/^update/, 'patch') : name;
}

/** The parameters of a path are known by their names. */
function describePath(path: string, operation: Operation): void {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? '');
  operation.parameters = [
    ...names.map((name) => ({
      name,
      in: 'path',
      required: true,
      schema: name.endsWith('_id') ? identifier.schema : boardName.schema,
    })),
    ...(operation.parameters ?? []).filter((parameter) => parameter.in !== 'path'),
  ];
}

/** A body may be a form as well, and may be missing where none of its members is required. */
function describeBody(operation: Operation, schemas: Record<string, Schema>): void {
  const requestBody = operation.requestBody as { content: Schema; required: boolean } | undefined;
  if (!requestBody) return;
  const { content } = requestBody;
  const { schema } = content['application/json'] as { schema: { $ref?: string } };
  content['application/x-www-form-urlencoded'] = content['application/json'];
  requestBody.required = 'required' in (schemas[schema.$ref?.split('/').pop() ?? ''] ?? {});
}

/** The settings of an operation's route that are set, which are no part of the document. */
function takeSettings(operation: Operation): Set<keyof RouteSettings> {
  const names = Object.keys(operation).filter((name) => name.startsWith(SETTING));
  for (const name of names) delete operation[name];
  return new Set(names.map((name) => name.slice(SETTING.length) as keyof RouteSettings));
}

function describeConditions(
  path: string,
  method: string,
  operation: Operation,
  settings: ReadonlySet<keyof RouteSettings>,
): void {
  if (!path.startsWith('/api/')) return;
  const header = (
    name: string,
    description: string,
    schema: Schema = { type: 'string' },
  ): Schema => ({
    name,
    in: 'header',
    required: false,
    description,
    schema,
  });
  const { parameters } = operation;
  if (method === 'get') {
    parameters.push(header('If-None-Match', 'Answers 304 where the tag still stands.'));
    operation.responses['304'] = { description: 'Not modified.' };
  } else if (method === 'post' && !settings.has('unrepeatable')) {
    parameters.push(
      header(
        'Idempotency-Key',
        'Makes the request safe to repeat for 24 hours: it is answered again as it was, with `Idempotent-Replayed`.',
        { type: 'string', minLength: 1, maxLength: 255, pattern: '^[!-~]+$' },
      ),
    );
  }
  if (['put', 'patch', 'delete'].includes(method) || /\/(move|complete|reopen)$/.test(path)) {
    parameters.push(header('If-Match', 'Answers 412 where the tag does not stand any more.'));
  }
}

/** The header fields of successful answers. Refusals have theirs in common. */
function describeHeaders(
  method: string,
  { parameters, responses }: Operation,
  settings: ReadonlySet<keyof RouteSettings>,
): void {
  const takes = (parameter: string): boolean => parameters.some(({ name }) => name === parameter);
  const tagged = ['get', 'put', 'patch'].includes(method) || settings.has('tagged');
  for (const [status, response] of Object.entries(responses)) {
    if (status >= '400') {
      responses[status] = PROBLEM_ANSWER;
      continue;
    }
    const names: Header[] = ['X-Request-Id'];
    if (tagged || status === '201') names.push('ETag');
    if (status === '201') names.push('Location');
    if (status === '200' && takes('cursor')) names.push('Link');
    if (status === '200' && takes('count')) names.push('X-Total-Count');
    if (takes('Idempotency-Key')) names.push('Idempotent-Replayed');
    response.headers = referTo(...names);
  }
}

const PROBLEM_ANSWER = { $ref: '#/components/responses/Problem' };

const HEADERS = {
  'X-Request-Id': {
    description: 'The id that the request was sent with or, without one, was given.',
    schema: { type: 'string' },
  },
  ETag: {
    description: 'The entity tag, for `If-None-Match` and `If-Match`.',
    schema: { type: 'string' },
  },
  Location: {
    description: 'Where what was made is found.',
    schema: { type: 'string', format: 'uri-reference' },
  },
  Link: {
    description: 'Of a page that is not the last: where the next one is, as `<…>; rel="next"`.',
    schema: { type: 'string' },
  },
  'X-Total-Count': {
    description: 'With `count=true`: how many there are on all pages.',
    schema: { type: 'integer', minimum: 0 },
  },
  'Idempotent-Replayed': {
    description: 'The request was answered before, and this is that answer.',
    schema: { type: 'string', enum: ['true'] },
  },
  'Retry-After': {
    description: 'Of 429 and 503: seconds after which the request may be sent again.',
    schema: { type: 'integer', minimum: 1 },
  },
  'WWW-Authenticate': {
    description: 'Of 401, and of 403 for too small a scope: what the token must be.',
    schema: { type: 'string' },
  },
  Allow: { description: 'Of 405: the methods that there are.', schema: { type: 'string' } },
} as const;
type Header = keyof typeof HEADERS;

const referTo = (...names: Header[]): Schema =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));

const FAULT = {
  type: 'object',
  required: ['code', 'detail'],
  properties: {
    pointer: { type: 'string', description: 'RFC 6901 JSON pointer into the body.' },
    parameter: { type: 'string', description: 'Name of a path or query parameter.' },
    header: { type: 'string', description: 'Name of a header field.' },
    code: { type: 'string', enum: Object.keys(FIELD_ERRORS) },
    detail: { type: 'string' },
  },
};

const PROBLEM = {
  type: 'object',
  required: ['type', 'title', 'status', 'detail', 'instance', 'code'],
  properties: {
    type: { type: 'string', format: 'uri' },
    title: { type: 'string' },
    status: { type: 'integer' },
    detail: { type: 'string' },
    instance: { type: 'string' },
    code: { type: 'string', enum: Object.keys(PROBLEMS) },
    request_id: { type: 'string' },
    errors: { type: 'array', items: { $ref: '#/components/schemas/FieldError' } },
  },
};

/** The document as it is committed. */
export const printed = (document: OpenAPIObject): string =>
  `${JSON.stringify(document, null, 2)}\n`;

if (require.main === module) {
  buildDocument()
    .then((document) => writeFileSync(DOCUMENT_FILE, printed(document)))
    .catch((error: unknown) => {
      console.error(error);
      process.exit(1);
    });
}
