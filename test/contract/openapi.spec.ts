import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import Ajv2020 from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import { DOCUMENT_FILE } from '../../src/openapi/docs';
import { FILE_TYPES } from '../../src/http/input/upload';
import { startApp, useApp } from '../support/app';
import { operations } from '../support/conformance';
import { Workspace } from '../support/make';

const committed = readFileSync(DOCUMENT_FILE, 'utf8');
const document = JSON.parse(committed);

const ajv = new Ajv2020({ strict: false, validateFormats: true });
addFormats(ajv);
ajv.addSchema(document, 'openapi');
const schemaOf = (name: string): object => ({ $ref: `openapi#/components/schemas/${name}` });

/** Method, path and description of each operation. */
const all: { method: string; path: string; operation: any }[] = operations().map((name) => {
  const [method = '', path = ''] = name.split(' ');
  return { method, path, operation: document.paths[path][method.toLowerCase()] };
});

/** Operations whose responses have no end and no entity tag; stream.spec.ts calls them. */
const STREAMS = ['/api/boards/{board_name}/stream'];

describe('the document', () => {
  it('is valid OpenAPI 3.1', async () => {
    expect(document.openapi).toBe('3.1.0');
    const validator = join(
      dirname(require.resolve('@seriousme/openapi-schema-validator/package.json')),
      'bin/validate-api-cli.js',
    );
    await promisify(execFile)(process.execPath, [validator, DOCUMENT_FILE]);
  });

  it('is what the controllers declare', async () => {
    // Only the build runs the plugin that reads the comments of the DTOs; jest's transformation does not.
    const writer = join(__dirname, '../../dist/openapi.js');
    const { stdout } = await promisify(execFile)(process.execPath, [writer, '--print']);
    const shown = { update: 'npm run openapi', document: stdout };
    expect(shown).toEqual({ ...shown, document: committed });
  });

  it('names each operation once, as a function', () => {
    const names = all.map(({ operation }) => operation.operationId as string);
    expect(new Set(names).size).toBe(names.length);
    for (const name of names) expect(name).toMatch(/^[a-z]+([A-Z][a-z]+)*$/);
    for (const name of names) expect(name).not.toMatch(/(Of|In|To)?(A|An|The)(?=[A-Z])|Controller/);
  });

  it('begins the name of each operation with a verb', () => {
    // A new verb must be added here.
    const verbs =
      /^(list|show|create|update|patch|delete|move|start|complete|reopen|check|stream|export|import|run)[A-Z]/;
    for (const { operation } of all) expect(operation.operationId).toMatch(verbs);
  });

  it('names schemas without View or Dto, and has schemas for enumerations', () => {
    const { schemas } = document.components;
    expect(Object.keys(schemas as object)).toEqual(
      expect.arrayContaining([
        ...['Board', 'Sprint', 'SprintInFull', 'Story', 'Task', 'Event', 'Token', 'Problem'],
        ...['Status', 'SprintState', 'Scope', 'EventType', 'ProblemCode', 'FieldErrorCode'],
      ]),
    );
    for (const name of Object.keys(schemas as object)) expect(name).not.toMatch(/View|Dto/);
    const unnamed = ['Board', 'Sprint', 'Story', 'Task', 'Token'].flatMap((resource) =>
      Object.entries(schemas[resource].properties as Record<string, { enum?: unknown }>)
        .filter(([, schema]) => 'enum' in schema)
        .map(([field]) => `${resource}.${field} needs a name in ENUMS of openapi/schemas.ts`),
    );
    expect(unnamed).toEqual([]);
    expect(schemas.Story.properties.status).toEqual({ $ref: '#/components/schemas/Status' });
    expect(schemas.Status.enum).toEqual(['todo', 'in_progress', 'done']);
  });

  it('allows further values in enumerations that later versions may extend', () => {
    for (const name of ['EventType', 'EventEntity', 'CommitmentRule', 'ProblemCode']) {
      const { type, enum: words, ...schema } = document.components.schemas[name];
      expect([name, type, words]).toEqual([name, 'string', undefined]);
      expect(schema['x-extensible-enum']).toEqual(expect.arrayContaining([expect.any(String)]));
    }
  });

  it('lists all tags of the operations, from Boards to Tokens', () => {
    const names = document.tags.map(({ name }: { name: string }) => name);
    expect([names[0], names.at(-1)]).toEqual(['Boards', 'Tokens']);
    expect(new Set(all.flatMap(({ operation }) => operation.tags as string[]))).toEqual(
      new Set(names),
    );
  });

  it('describes each operation: summary, tag, success, errors, conditions, both kinds of body', () => {
    for (const { method, path, operation } of all) {
      const name = `${method} ${path}`;
      const statuses = Object.keys(operation.responses as object);
      expect([name, operation.summary, operation.tags]).toEqual([
        name,
        expect.any(String),
        [expect.any(String)],
      ]);
      expect([
        name,
        statuses.some((status) => /^2/.test(status)),
        statuses.includes('default'),
      ]).toEqual([name, true, true]);
      const named = (operation.parameters ?? []).map((parameter: any) => parameter.name as string);
      for (const [, parameter] of path.matchAll(/\{(\w+)\}/g)) expect(named).toContain(parameter);
      if (method === 'GET' && !STREAMS.includes(path)) {
        expect(named).toContain('If-None-Match');
      }
      // A response that must not be stored cannot be repeated.
      const repeatable = method === 'POST' && !['/api/session', '/api/tokens'].includes(path);
      expect([name, named.includes('Idempotency-Key')]).toEqual([name, repeatable]);
      if (operation.requestBody) {
        const types = Object.keys(operation.requestBody.content as object);
        const ofFile = [...FILE_TYPES, 'multipart/form-data'];
        const both = ['application/json', 'application/x-www-form-urlencoded'];
        // A form cannot have the operations of a batch.
        const others = path.endsWith('/batch') ? ['application/json'] : both;
        expect([name, types]).toEqual([name, path.endsWith('/import') ? ofFile : others]);
      }
    }
  });

  it('has a description of each operation, and examples of its bodies that fit their schemas', () => {
    for (const { operation } of all) {
      const { operationId, description, requestBody, responses, parameters } = operation;
      expect([operationId, description]).toEqual([operationId, expect.stringMatching(/\.$/)]);
      for (const { name, in: place, example } of parameters) {
        if (place === 'path') expect([name, example]).not.toEqual([name, undefined]);
      }
      const bodies = [requestBody, ...Object.values<any>(responses)].flatMap(
        (body: any) => body?.content?.['application/json'] ?? [],
      );
      for (const { schema, example } of bodies) {
        // A file has no schema.
        if (example === undefined && Array.isArray(schema.type)) continue;
        const validate = ajv.compile<any>(
          JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"openapi#/')) as object,
        );
        expect([operationId, validate(example) || validate.errors]).toEqual([operationId, true]);
      }
    }
  });

  it('lists every error of each operation: named responses, with an example for each code', () => {
    const codesOf = (id: string, status: number): string[] => {
      const found = all.find(({ operation }) => operation.operationId === id);
      const { $ref } = found?.operation.responses[status] as { $ref: string };
      const { content } = document.components.responses[$ref.split('/').pop() ?? ''];
      return Object.keys(content['application/problem+json'].examples as object);
    };
    expect(codesOf('showStory', 404)).toEqual(['story_not_found']);
    expect(codesOf('listStoriesOfCurrentSprint', 404)).toEqual([
      'board_not_found',
      'no_current_sprint',
    ]);
    expect(codesOf('deleteBoard', 409)).toEqual(['board_not_empty']);
    expect(codesOf('createStoryInSprint', 422)).toEqual(['idempotency_key_reused']);
    const problem = ajv.compile<any>(schemaOf('Problem'));
    for (const [name, response] of Object.entries<any>(document.components.responses)) {
      const examples: Record<string, any> = response.content['application/problem+json'].examples;
      for (const [code, { value }] of Object.entries<any>(examples)) {
        expect([name, problem(value) ? value.code : problem.errors]).toEqual([name, code]);
      }
    }
  });
});

/** Operations in an order in which each one succeeds with its example. */
const IN_ORDER = [
  ...[
    'createBoard',
    'listBoards',
    'showBoard',
    'updateBoard',
    'createSprint',
    'listSprintsOfBoard',
  ],
  ...['showSprint', 'updateSprint', 'createStoryInSprint', 'createStoryInBacklog', 'listBacklog'],
  ...['startSprint', 'createTask', 'listTasksOfStory', 'updateTask', 'showTask', 'updateStory'],
  ...[
    'moveStory',
    'moveStoriesOfBoard',
    'runBatch',
    'listStoriesOfSprint',
    'showStory',
    'showCurrentSprint',
  ],
  ...['showBurndownOfCurrentSprint', 'showReportOfSprint', 'completeSprint', 'showVelocity'],
  ...['reopenSprint', 'listEventsOfBoard', 'listHistoryOfStory', 'deleteTask', 'deleteStory'],
  ...['deleteSprint', 'checkReadiness', 'createToken'],
];

/** Query and body that an operation needs in addition to its example. */
const EXTRA: Record<
  string,
  (made: { story: any }) => { query?: string; body?: object; raw?: string }
> = {
  importFileIntoBoard: () => ({ raw: 'title\nA story\n', query: '?format=csv' }),
  deleteBoard: () => ({ query: '?force=true' }),
  moveStoriesOfBoard: ({ story }) => ({ body: { story_ids: [story.id] } }),
};

/** Operations that are rejected on the boards of these tests, and why. */
const REJECTED: Record<string, string> = {
  reopenSprint: 'sprint_not_completed',
  showForecast: 'not_enough_history',
};

/** Operations of tokens and sessions; they have their own service, because the first token makes tokens required. */
const ABOUT_TOKENS = [
  ...['createToken', 'listTokens', 'showToken', 'deleteToken'],
  ...['createSession', 'showSession', 'deleteSession'],
];
const operationIdOf = ({ operation }: (typeof all)[number]): string =>
  operation.operationId as string;

describe('every operation of the document', () => {
  const service = useApp({ engine: 'sqlite' });
  beforeAll(() => {
    service.clock.set('2026-11-21T12:00:00Z');
  });

  // The client compares each response with the document.
  const others = all.filter(
    (each) => !ABOUT_TOKENS.includes(operationIdOf(each)) && !STREAMS.includes(each.path),
  );
  it.each(others.map((each) => [operationIdOf(each), each] as const))(
    'answers as documented: %s',
    async (id, { method, path, operation }) => {
      const board = await Workspace.create(service.client);
      const sprints = [];
      for (const day of ['2026-11-09', '2026-11-16', '2026-11-23'])
        sprints.push(await board.sprint(day));
      const story = await board.story(sprints[1]);
      const task = await board.task(story);
      const names: Record<string, string> = {
        board_name: encodeURIComponent(board.name),
        sprint_id: String(sprints[1].id),
        story_id: String(story.id),
        task_id: String(task.id),
      };
      const { query = '', body = {}, raw } = EXTRA[id]?.({ story }) ?? {};
      const answer = await service.client.call(
        method,
        path.replace(/\{(\w+)\}/g, (_, name: string) => names[name] ?? '1') + query,
        operation.requestBody && {
          ...operation.requestBody.content['application/json'].example,
          ...body,
        },
        raw === undefined ? {} : { raw, headers: { 'content-type': 'text/csv' } },
      );
      if (id in REJECTED) expect(answer.body.code).toBe(REJECTED[id]);
      else expect([answer.text, String(answer.status)]).toEqual([answer.text, success(operation)]);
    },
  );

  it('has examples that succeed in order on an empty database', async () => {
    const service = await startApp({ engine: 'sqlite' });
    service.clock.set('2026-11-20T12:00:00Z');
    try {
      for (const id of IN_ORDER) {
        const { method, path, operation } = all.find((each) => operationIdOf(each) === id)!;
        const examples = new Map<string, string>(
          operation.parameters
            .filter((parameter: any) => parameter.in === 'path')
            .map(({ name, example }: any) => [name, String(example)]),
        );
        const answer = await service.client.call(
          method,
          path.replace(/\{(\w+)\}/g, (_, name: string) => examples.get(name) ?? ''),
          operation.requestBody?.content['application/json'].example,
        );
        expect([id, answer.text, String(answer.status)]).toEqual([
          id,
          answer.text,
          success(operation),
        ]);
      }
    } finally {
      await service.close();
    }
  });

  it('answers as documented: operations of tokens and sessions', async () => {
    expect(all.map(operationIdOf)).toEqual(expect.arrayContaining(ABOUT_TOKENS));
    const service = await startApp({ engine: 'sqlite' });
    const { client } = service;
    try {
      const made = await client.post('/api/tokens', { name: 'first', scope: 'admin' });
      expect(made.status).toBe(201);
      const bearer = client.with({ authorization: `Bearer ${made.body.token}` });
      const listed = await bearer.get('/api/tokens');
      expect(listed.body).toHaveLength(1);
      expect((await bearer.get(`/api/tokens/${made.body.id}`)).body.name).toBe('first');
      const session = await client.post('/api/session', { token: made.body.token });
      expect(session.status).toBe(201);
      const cookie = session.headers.get('set-cookie')?.split(';')[0] ?? '';
      const browser = client.with({ cookie });
      expect((await browser.get('/api/session')).body.actor).toBe('first');
      expect((await browser.delete('/api/session')).body.deleted).toBe(true);
      expect((await bearer.delete(`/api/tokens/${made.body.id}`)).body.deleted).toBe(true);
    } finally {
      await service.close();
    }
  });

  const success = ({ responses }: any): string =>
    Object.keys(responses as object).find((status) => status.startsWith('2')) ?? '';
});
