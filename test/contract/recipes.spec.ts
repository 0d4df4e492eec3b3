import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { Server } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import type { TestApp } from '../support/app';
import { startApp } from '../support/app';

const RECIPES = readFileSync(join(__dirname, '../../docs/recipes.md'), 'utf8');

/** Returns the code of a recipe by the title of its block. */
function recipe(title: string): string {
  const block = RECIPES.split('```').find((part) =>
    part.split('\n', 1)[0]?.endsWith(`title=${title}`),
  );
  if (block === undefined) throw new Error(`docs/recipes.md has no block ${title}`);
  return block.slice(block.indexOf('\n') + 1);
}

/** Returns the script of the only `run: |` of a workflow. */
function runOf(workflow: string): string {
  const [, script = ''] = workflow.split('run: |\n');
  const indent = /^ */.exec(script)?.[0] ?? '';
  return script
    .split('\n')
    .map((line) => line.slice(indent.length))
    .join('\n');
}

let service: TestApp;
let board: string;
let folder: string;
beforeAll(async () => {
  service = await startApp({ engine: 'sqlite' });
  board = `${service.url}/api/boards/rocket`;
  folder = mkdtempSync(join(tmpdir(), 'sprintline-recipes-'));
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await service.close();
});

async function bash(
  script: string,
  words: string[] = [],
  environment: Record<string, string> = {},
): Promise<string> {
  const env = {
    PATH: process.env.PATH,
    HOME: folder,
    BOARD: board,
    SPRINTLINE_TOKEN: 'none',
    ...environment,
  };
  const file = join(folder, 'recipe.sh');
  writeFileSync(file, script);
  const { stdout, stderr } = await promisify(execFile)('bash', ['-eu', file, ...words], { env });
  // Cron sends everything that is printed by mail.
  expect(stderr).toBe('');
  return stdout;
}

const post = async (path: string, body: object = {}): Promise<any> => {
  const { status, body: answer } = await service.client.post(`/api/boards/rocket${path}`, body);
  if (status > 201) throw new Error(JSON.stringify(answer));
  return answer;
};
const current = async (): Promise<any> =>
  (await service.client.get('/api/boards/rocket/sprints/current')).body;

/**
 * Runs `work` with the address of a board behind a server that calls `before` for each request, and then forwards it,
 * or responds with the status that `before` returns.
 */
async function behind<T>(
  before: (path: string) => Promise<number | undefined>,
  work: (board: string) => Promise<T>,
): Promise<T> {
  const server = createServer((request, response) => {
    void (async () => {
      const { method, url = '' } = request;
      const status = await before(url);
      if (status) {
        response.writeHead(status).end('{"code":"overloaded"}');
        return;
      }
      const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
      const body = method === 'POST' ? await text(request) : undefined;
      const answer = await fetch(service.url + url, { method, headers, body });
      response.writeHead(answer.status).end(await answer.text());
    })();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    return await work(
      `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/boards/rocket`,
    );
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

describe('the recipes', () => {
  const script = recipe('sprint.sh');

  it('close a sprint on its last day, and start the next one on Monday', async () => {
    service.clock.set('2026-11-16T09:00:00.000Z');
    await service.client.post('/api/boards', { name: 'rocket' });
    for (const action of ['start', 'close']) expect(await bash(script, [action])).toBe('');
    await post('/sprints', { start_date: '2026-11-16', end_date: '2026-11-27', name: 'Sprint 1' });
    await post('/sprints/current/stories', { title: 'Done', points: 3, status: 'done' });
    await post('/sprints/current/stories', { title: 'Unfinished', points: 5 });

    expect(await bash(script, ['start'])).toBe('Started Sprint 1.\n');
    service.clock.set('2026-11-20T17:00:00.000Z');
    expect(await bash(script, ['close'], { TODAY: '2026-11-20' })).toBe('');
    service.clock.set('2026-11-23T10:30:00.000Z');
    expect(await bash(script, ['start'])).toBe('');

    service.clock.set('2026-11-27T17:00:00.000Z');
    expect(await bash(script, ['close'], { TODAY: '2026-11-27' })).toBe(
      'Completed 3 points; stories carried over: 1.\n',
    );
    expect(await bash(script, ['close'], { TODAY: '2026-11-27' })).toBe('');

    service.clock.set('2026-11-30T10:30:00.000Z');
    expect(await bash(script, ['start'])).toBe('Started 2026-11-30.\n');
    expect(await current()).toMatchObject({
      start_date: '2026-11-30',
      end_date: '2026-12-11',
      started_at: '2026-11-30T10:30:00.000Z',
      stories: [{ title: 'Unfinished' }],
    });
  });

  it('plan all stories of a list or none', async () => {
    const plan = recipe('plan.sh');
    const file = join(folder, 'stories.txt');
    const words = [file, '2026-12-14', '2026-12-25'];
    const sprints = async (): Promise<any[]> =>
      (await service.client.get('/api/boards/rocket/sprints')).body;
    const before = await sprints();
    writeFileSync(file, 'Pay by card\t5\n  \t3\nPay by invoice\n');
    await expect(bash(plan, words)).rejects.toMatchObject({
      stderr: expect.stringContaining('line 2: title must not be blank'),
    });
    expect(await sprints()).toEqual(before);

    writeFileSync(file, 'Pay by card\t5\nPay by "invoice"\n');
    const output = await bash(plan, words);
    const planned = (await sprints()).at(-1);
    expect(planned).toMatchObject({ start_date: '2026-12-14', end_date: '2026-12-25' });
    expect(output).toBe(`Sprint ${planned.id} has 2 stories.\n`);
    const stories = (await service.client.get(`/api/sprints/${planned.id}/stories`)).body;
    expect(stories.map(({ title, points }: any) => [title, points])).toEqual([
      ['Pay by card', 5],
      ['Pay by "invoice"', null],
    ]);
    expect(await bash(plan, words)).toBe(output);
    expect(await sprints()).toHaveLength(before.length + 1);

    const long = `${'A long title '.repeat(15)}\n`;
    writeFileSync(file, long.repeat(999));
    expect(await bash(plan, [file, '2027-01-04', '2027-01-15'])).toMatch(/ has 999 stories\.\n$/);
  });

  it('create no second next sprint if the request for it fails', async () => {
    const sprints = async (): Promise<any[]> =>
      (await service.client.get('/api/boards/rocket/sprints')).body;
    const before = await sprints();
    const fail = (path: string) => Promise.resolve(path.endsWith('/next') ? 503 : undefined);
    await expect(
      behind(fail, (BOARD) => bash(script, ['close'], { BOARD, TODAY: '2026-12-11' })),
    ).rejects.toMatchObject({ code: 1, stderr: '{"code":"overloaded"}\n' });
    expect(await sprints()).toEqual(before);
  });

  it('post the burndown to a chat', async () => {
    const received: Buffer[] = [];
    const chat: Server = createServer((request, response) => {
      request.on('data', (part: Buffer) => received.push(part));
      request.on('end', () => response.end());
    }).listen(0, '127.0.0.1');
    await once(chat, 'listening');
    const { port } = chat.address() as AddressInfo;
    await bash(recipe('burndown.sh'), [], { WEBHOOK: `http://127.0.0.1:${port}/` }).finally(() =>
      chat.close(),
    );
    const message = Buffer.concat(received);
    expect(message.includes('5 points left')).toBe(true);
    expect(message.includes(Buffer.from('\x89PNG\r\n', 'latin1'))).toBe(true);
  });

  it('mark a story as done, whatever the title of the pull request contains', async () => {
    await post('/backlog', { title: 'Refund whole orders', external_id: 'SHOP-12' });
    const workflow = runOf(recipe('.github/workflows/story-done.yml'));
    const title = `$(touch ${folder}/owned) "Refunds" (SHOP-12)`;
    const done = (TITLE: string, ID_PREFIX = '') => bash(workflow, [], { TITLE, ID_PREFIX });
    expect(await done(title)).toBe('Done: Refund whole orders\n');
    expect(await done('No key')).toBe('');
    expect(await done('Unknown (SHOP-99)')).toBe('');
    await post('/backlog', { title: 'Imported', external_id: 'jira:SHOP-13' });
    expect(await done('Refund (SHOP-13)', 'jira:')).toBe('Done: Imported\n');
    await expect(bash('test -e "$HOME/owned"')).rejects.toThrow();
  });

  it('summarise what changed since the last run', async () => {
    const summary = recipe('standup.sh');
    expect(await bash(summary)).toBe('');
    const [story] = (await current()).stories;
    await service.client.put(`/api/stories/${story.id}`, { status: 'in_progress' });
    expect(await bash(summary)).toBe('in_progress: Unfinished (anonymous)\n');
    expect(await bash(summary)).toBe('');

    const change = (status: string) => service.client.put(`/api/stories/${story.id}`, { status });
    await change('todo');
    // A change between the two requests is in the next summary only.
    const changes = async (path: string): Promise<undefined> => {
      if (path.includes('/events')) await change('done');
    };
    const first = await behind(changes, (BOARD) => bash(summary, [], { BOARD }));
    expect(first).toBe('todo: Unfinished (anonymous)\n');
    const fail = (path: string) => Promise.resolve(path.includes('/events') ? 503 : undefined);
    await expect(behind(fail, (BOARD) => bash(summary, [], { BOARD }))).rejects.toMatchObject({
      code: 22,
    });
    expect(await bash(summary)).toBe('done: Unfinished (anonymous)\n');
  });
});
