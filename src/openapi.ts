import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { OpenAPIObject } from '@nestjs/swagger';
import { DocumentBuilder, SwaggerModule } from '@nestjs/swagger';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { AppModule } from './app.module';
import { Config } from './config/config';
import { DOCUMENT_FILE } from './docs';
import { createAdapter } from './http/adapter';
import { FILE_TYPES } from './http/input/upload';
import type { RouteSettings } from './http/route';
import { SETTING } from './http/route';
import { ID_SCHEMA } from './http/validation/numbers';
import { NAME_SCHEMA } from './http/validation/text';
import { createLogger } from './logging/logger';
import type { Header } from './openapi/components';
import { FIELD_ERROR, HEADERS, PROBLEM, referTo } from './openapi/components';
import { describeOperations } from './openapi/describe';
import { capital, ProblemResponses } from './openapi/problems';
import { nameSchemas } from './openapi/schemas';
import { RELATIVE } from './sprints/sprint.queries';

// Writes the OpenAPI document: `npm run openapi`. The plugin of @nestjs/swagger reads the DTOs during
// `nest build`, so only the built program knows the whole document.

type Schema = Record<string, unknown>;
type Operation = Schema & {
  operationId: string;
  summary: string;
  parameters: (Schema & { name: string; in: string })[];
  requestBody?: { content: Record<string, { schema: { $ref: string } }>; required: boolean };
  responses: Record<string, Schema>;
};

/** Builds the document from the controllers, without a database or a port. */
async function buildDocument(): Promise<OpenAPIObject> {
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
        'Sprint planning over REST. Requests are JSON or forms; responses are bare JSON objects and ' +
          'arrays; errors are problem documents (RFC 9457).',
      )
      .setVersion(version)
      .setLicense('MIT', 'https://spdx.org/licenses/MIT.html')
      .addServer('/')
      .addBearerAuth({
        type: 'http',
        scheme: 'bearer',
        bearerFormat: 'spl_…',
        description: 'A token, once one exists.',
      })
      .setOpenAPIVersion('3.1.0')
      .build(),
  );
  await app.close();
  return describeOperations(nameSchemas(complete(document)));
}

/** Adds what all operations have in common: errors, conditions, response headers, forms. */
function complete(document: OpenAPIObject): OpenAPIObject {
  const components = document.components as Record<string, Schema>;
  const paths = document.paths as unknown as Record<string, Record<string, Operation>>;
  const problems = new ProblemResponses();
  for (const [path, operations] of Object.entries(paths)) {
    for (const [method, operation] of Object.entries(operations)) {
      operation.operationId = operationId(operation, method, path);
      const settings = takeSettings(operation);
      describePath(path, operation);
      describeConditions(path, method, operation, settings);
      describeResponses(path, method, operation, settings);
      Object.assign(
        operation.responses,
        problems.of({
          operationId: operation.operationId,
          method,
          path,
          scope: settings.scope,
          always: settings.always ?? false,
          parameters: operation.parameters,
          declared: settings.problems ?? [],
        }),
      );
      describeBody(operation, components.schemas as Record<string, Schema>);
      if (settings.file) describeFile(operation);
    }
  }
  document.tags = TAGS.map(([name, description]) => ({ name, description }));
  // Requests need a token only if one exists.
  document.security = [{}, { bearer: [] }];
  components.schemas = { ...components.schemas, Problem: PROBLEM, FieldError: FIELD_ERROR };
  components.headers = HEADERS;
  components.responses = problems.components;
  return document;
}

/** The groups of operations, in the order in which a reader needs them. */
const TAGS = [
  ['Boards', 'Workspaces, usually one for each team.'],
  ['Sprints', 'The iterations of a board, and the stories in them.'],
  ['Stories', 'The work of a board: its backlog, and moving stories.'],
  ['Tasks', 'The parts of a story.'],
  ['Reports', 'Report, burndown, velocity and forecast, computed from the events.'],
  ['Events', 'The log of a board: every change with its time and its actor.'],
  ['Transfer', 'A board as a file.'],
  ['Operations', 'Health and metrics.'],
  ['Session', 'Signing in and out in a browser.'],
  ['Tokens', 'Access tokens. Once one exists, every request needs a token.'],
] as const;

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
  const others = operation.parameters ?? [];
  operation.parameters = [...parameters, ...others.filter((other) => other.in !== 'path')];
}

function describeConditions(
  path: string,
  method: string,
  { parameters, responses }: Operation,
  settings: RouteSettings,
): void {
  if (!path.startsWith('/api/')) return;
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
  if (
    ['put', 'patch', 'delete'].includes(method) ||
    /\/(move|start|complete|reopen|batch)$/.test(path)
  ) {
    add('If-Match', 'Entity tags. The response is 412 if the resource has none of them.');
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
    if (status === '200' && has('limit')) names.push('Link');
    if (status === '200' && has('count')) names.push('X-Total-Count');
    if (has('Idempotency-Key')) names.push('Idempotent-Replayed');
    response.headers = referTo(...names);
  }
}

/** Adds forms as a content type, and makes the body optional if no field is required. */
function describeBody({ requestBody }: Operation, schemas: Record<string, Schema>): void {
  const json = requestBody?.content['application/json'];
  if (!requestBody || !json) return;
  requestBody.content['application/x-www-form-urlencoded'] = json;
  requestBody.required = 'required' in (schemas[json.schema.$ref.split('/').pop() ?? ''] ?? {});
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

/** Writes openapi.json or, with `--print`, standard output. */
async function main(): Promise<void> {
  const text = `${JSON.stringify(await buildDocument(), null, 2)}\n`;
  if (process.argv.includes('--print')) process.stdout.write(text);
  else writeFileSync(DOCUMENT_FILE, text);
}

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
