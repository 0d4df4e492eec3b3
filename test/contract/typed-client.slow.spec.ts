import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import ts from 'typescript';
import { DOCUMENT_FILE } from '../../src/openapi/docs';
import { startApp } from '../support/app';

const run = promisify(execFile);

/** A program that manages a sprint with a client of openapi-typescript and openapi-fetch. */
const PROGRAM = `
import createClient from 'openapi-fetch';
import type { components, paths } from './api.js';

type Story = components['schemas']['Story'];
type EventType = components['schemas']['EventType'];

declare const process: { argv: string[] };
// Reports are JSON unless another format is asked for.
const client = createClient<paths, 'application/json' | 'application/problem+json'>({ baseUrl: process.argv[2] ?? '' });
const board = { params: { path: { board_name: 'Rocket' } } };

/** The data of a response; an error is a problem of every operation. */
function data<T>({ data, error }: { data?: T; error?: components['schemas']['Problem'] }): T {
  if (data === undefined) throw new Error(\`\${error?.code}: \${error?.detail}\`);
  return data;
}

data(await client.POST('/api/boards', { body: { name: 'Rocket', time_zone: 'Europe/Berlin' } }));
const sprint = data(
  await client.POST('/api/boards/{board_name}/sprints', {
    ...board,
    body: { name: 'Sprint 1', start_date: '2026-11-16', end_date: '2026-11-27' },
  }),
);
const path = { params: { path: { sprint_id: sprint.id } } };
const stories: Story[] = [];
for (const [title, points] of [['Pay by card', 5], ['Pay by invoice', 3], ['Refunds', 2]] as const) {
  stories.push(
    data(await client.POST('/api/sprints/{sprint_id}/stories', { ...path, body: { title, points, priority: null } })),
  );
}
const [card, invoice, refunds] = stories as [Story, Story, Story];
// @ts-expect-error A title is required.
void (() => client.POST('/api/sprints/{sprint_id}/stories', { ...path, body: { points: 1 } }));
// @ts-expect-error The stories of a backlog have no tasks.
void (async () => data(await client.GET('/api/boards/{board_name}/backlog', board))[0]?.tasks);
// @ts-expect-error There is no such status.
void (() => client.PUT('/api/stories/{story_id}', { params: { path: { story_id: 1 } }, body: { status: 'open' } }));

data(
  await client.POST('/api/stories/{story_id}/tasks', {
    params: { path: { story_id: card.id } },
    body: { title: 'Show the errors of the bank' },
  }),
);
const started = data(await client.POST('/api/sprints/{sprint_id}/start', path));
const late = data(
  await client.POST('/api/boards/{board_name}/backlog', { ...board, body: { title: 'Gift cards', labels: ['shop'] } }),
);
data(
  await client.POST('/api/stories/{story_id}/move', {
    params: { path: { story_id: late.id } },
    body: { sprint_id: sprint.id, position: { before: refunds.id } },
  }),
);
for (const { id, version } of [card, invoice]) {
  data(
    await client.PUT('/api/stories/{story_id}', {
      params: { path: { story_id: id } },
      body: { status: 'done', assignee: version > 1 ? null : 'Ada' },
    }),
  );
}
const current = data(await client.GET('/api/boards/{board_name}/sprints/current', board));
const tasks = current.stories.flatMap(({ tasks }) => tasks.map(({ title }) => title));
const early = await client.POST('/api/sprints/{sprint_id}/reopen', path);
// Later versions may have other codes, so any string is one.
const code: string = early.error?.code ?? 'none';
const report = data(
  await client.POST('/api/sprints/{sprint_id}/complete', { ...path, body: { unfinished: 'backlog' } }),
);
const { days } = data(await client.GET('/api/sprints/{sprint_id}/burndown', path));
const velocity = data(await client.GET('/api/boards/{board_name}/velocity', board));
const events = data(
  await client.GET('/api/boards/{board_name}/events', {
    params: { ...board.params, query: { after: 0, limit: 1000 } },
  }),
);
const types: EventType[] = [...new Set(events.map(({ type }) => type))];
console.log(
  JSON.stringify({
    started: started.started_at !== null,
    order: current.stories.map(({ title }) => title),
    tasks,
    code,
    rule: report.commitment_rule,
    points: [report.committed, report.added, report.completed, report.unfinished].map(({ points }) => points),
    carried: report.unfinished.stories.map(({ carried_to }) => carried_to),
    remaining: days.at(-1)?.remaining_points,
    velocity: velocity.average_points,
    types,
  }),
);
`;

/** Compiles the program in strict mode; returns the errors. */
function compile(file: string): string[] {
  const program = ts.createProgram([file], {
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    lib: ['lib.es2022.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'],
    types: [],
  });
  const { diagnostics } = program.emit();
  return [...ts.getPreEmitDiagnostics(program), ...diagnostics].map(
    ({ messageText, file: at, start = 0 }) =>
      `${at?.text.slice(start, start + 60)}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`,
  );
}

it('a client that is generated from openapi.json compiles in strict mode and manages a sprint', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'sprintline-client-'));
  const service = await startApp({ engine: 'sqlite' });
  service.clock.set('2026-11-19T12:00:00Z');
  try {
    const modules = join(__dirname, '../../node_modules');
    symlinkSync(modules, join(folder, 'node_modules'));
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
    const generator = dirname(require.resolve('openapi-typescript/package.json'));
    await run(process.execPath, [
      join(generator, 'bin/cli.js'),
      DOCUMENT_FILE,
      ...['--output', join(folder, 'api.ts')],
    ]);
    writeFileSync(join(folder, 'program.ts'), PROGRAM);
    expect(compile(join(folder, 'program.ts'))).toEqual([]);
    const { stdout } = await run(process.execPath, [join(folder, 'program.js'), service.url]);
    expect(JSON.parse(stdout)).toEqual({
      started: true,
      order: ['Pay by card', 'Pay by invoice', 'Gift cards', 'Refunds'],
      tasks: ['Show the errors of the bank'],
      code: 'sprint_not_completed',
      rule: 'started',
      points: [10, 0, 8, 2],
      carried: [null, null],
      remaining: 2,
      velocity: 8,
      types: expect.arrayContaining(['sprint.started', 'story.moved', 'sprint.completed']),
    });
  } finally {
    await service.close();
    rmSync(folder, { recursive: true });
  }
}, 60_000);
