import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestApp } from '../support/app';
import { startApp, useApp } from '../support/app';
import { command } from '../support/command';
import type { TestDatabase } from '../support/databases';
import { createDatabase, engineUnderTest, withDataSource } from '../support/databases';
import { afterwards } from '../support/faults';
import { Ledger } from '../support/ledger';
import { boardPath } from '../support/make';
import { loadClient } from '../support/load';

const sqlite = engineUnderTest() === 'sqlite';

/** Returns the first of these programs that is installed. */
const found = (...names: string[]): string | undefined =>
  names.find((name) => spawnSync(name, ['--version']).status === 0);
const dump = found('mariadb-dump', 'mysqldump');
const client = found('mariadb', 'mysql');
const possible = sqlite || (dump && client);
if (!possible) console.warn('!! mariadb-dump is not installed, so backups with it are NOT tested');

const BOARD = boardPath('Zoë 😀');

let folder: string;
beforeAll(() => (folder = mkdtempSync(join(tmpdir(), 'sprintline-backup-'))));
afterAll(() => rmSync(folder, { recursive: true }));

const file = (url: string): string => url.slice('sqlite:'.length);

/** Returns the options of a client program for a server. */
function server(url: string): string[] {
  const { hostname, port, username, password, pathname } = new URL(url);
  return [
    `--host=${hostname}`,
    `--port=${port}`,
    `--user=${username}`,
    ...(password ? [`--password=${password}`] : []),
    pathname.slice(1),
  ];
}

/** Runs a program to its end and returns its output. */
function runProgram(program: string, words: string[], input?: Buffer): Buffer {
  const { status, stdout, stderr } = spawnSync(program, words, { input, maxBuffer: 1 << 30 });
  if (status !== 0) throw new Error(`${program}: ${stderr.toString()}`);
  return stdout;
}

/** Backs a database up as docs/operations.md describes; returns a function that restores it into an empty one. */
async function backUp(from: TestDatabase): Promise<(to: TestDatabase) => void> {
  if (sqlite) {
    const copy = join(folder, 'copy.db');
    expect((await command(from, 'backup', copy)).code).toBe(0);
    return (to) => copyFileSync(copy, file(to.url));
  }
  const options = ['--single-transaction', '--hex-blob', '--no-tablespaces'];
  const words = server(from.url);
  const text = runProgram(dump as string, [
    ...words.slice(0, -1),
    ...options,
    words.at(-1) as string,
  ]);
  return (to) => runProgram(client as string, server(to.url), text);
}

/** Reads every row of every table. */
function rows(database: TestDatabase): Promise<Record<string, unknown[]>> {
  return withDataSource(database, async (dataSource) => {
    const all: Record<string, unknown[]> = {};
    const tables = [...dataSource.entityMetadatas.map((entity) => entity.tableName), 'migrations'];
    for (const table of tables) {
      const found: unknown[] = await dataSource.query(`SELECT * FROM ${table}`);
      all[table] = found.map((row) => JSON.stringify(row)).sort();
    }
    return all;
  });
}

(possible ? describe : describe.skip)('a backup', () => {
  const service = useApp();
  beforeAll(async () => {
    const { client } = service;
    const sprint = await client.post(`${BOARD}/sprints`, { start_date: '2099-11-23' });
    for (const title of ['naïve', 'it\'s \\ "quoted"\n', '😎']) {
      await client.post(`/api/sprints/${sprint.body.id}/stories`, { title, points: 0.25 });
    }
    const story = await client.post(`${BOARD}/backlog`, {
      title: 'x',
      labels: ['a', 'b'],
    });
    await client.post(`/api/stories/${story.body.id}/tasks`, { title: 'y' });
    await client.delete(`/api/stories/${story.body.id}`);
  });

  const restored = async (restore: (to: TestDatabase) => void): Promise<TestApp> => {
    const database = await createDatabase();
    afterwards(() => database.drop());
    restore(database);
    return startApp({ database });
  };

  it('is restored with exactly the rows that were backed up', async () => {
    const before = await rows(service.database);
    const other = await restored(await backUp(service.database));
    await other.close();
    expect(await rows(other.database)).toEqual(before);
    expect(before.events?.length).toBeGreaterThan(5);
  });

  it('that is taken while clients write is a consistent state of the database', async () => {
    rmSync(join(folder, 'copy.db'), { force: true });
    const client = loadClient(service.url);
    const ledger = new Ledger('Busy');
    ledger.start(4, () => client);
    while (ledger.acknowledged < 50) await new Promise((resolve) => setImmediate(resolve));
    const restore = await backUp(service.database);
    await ledger.stop();
    const other = await restored(restore);
    // The restored board equals the replay of its log, so it has no partial change.
    await new Ledger('Busy').audit(other.url);
    const made = await other.client.post('/api/boards/Busy/backlog', { title: 'after' });
    expect(made.status).toBe(201);
    await other.close();
  });

  it('that is restored and then changed differently has other entity tags at the same revisions', async () => {
    rmSync(join(folder, 'copy.db'), { force: true });
    const { client: original } = service;
    const sprint = (await original.get(`${BOARD}/sprints`)).body[0];
    const story = (await original.get(`/api/sprints/${sprint.id}/stories`)).body[0];
    const task = await original.post(`/api/stories/${story.id}/tasks`, { title: 'a task' });
    const restore = await backUp(service.database);
    const other = await restored(restore);
    const tags: Record<string, (string | null)[]> = {};
    for (const [{ client }, text] of [
      [service, 'one'],
      [other, 'two'],
    ] as const) {
      for (const [path, body] of [
        [`/api/sprints/${sprint.id}`, { goal: text }],
        [`/api/stories/${story.id}`, { title: text }],
        [`/api/tasks/${task.body.id}`, { title: text }],
      ] as const) {
        expect((await client.put(path, body)).status).toBe(200);
      }
      for (const path of [
        `${BOARD}/sprints`,
        `${BOARD}/sprints/next`,
        `${BOARD}/sprints/next/stories`,
        `${BOARD}/stories`,
        `${BOARD}/stories?limit=1`,
        `${BOARD}/backlog`,
        `${BOARD}/events`,
        `/api/sprints/${sprint.id}/stories`,
        `/api/stories/${story.id}/tasks`,
        `/api/stories/${story.id}/history`,
      ]) {
        const { status, headers } = await client.get(path);
        expect([path, status]).toEqual([path, 200]);
        (tags[path] ??= []).push(headers.get('etag'));
      }
    }
    await other.close();
    for (const [path, [one, two]] of Object.entries(tags)) {
      expect([path, one === two, one === null]).toEqual([path, false, false]);
    }
  });

  (sqlite ? it : it.skip)(
    'is not written over an existing file, nor to standard output',
    async () => {
      const toOutput = await command(service.database, 'backup', '-');
      expect(toOutput).toMatchObject({ code: 1, err: expect.stringContaining('needs a file') });
      const { code, err } = await command(service.database, 'backup', file(service.database.url));
      expect([code, err]).toEqual([1, expect.stringContaining('already exists')]);
    },
  );

  (sqlite ? it : it.skip)('of a database that does not exist is an error', async () => {
    const missing = join(folder, 'missing.db');
    const database = { ...service.database, url: `sqlite:${missing}` };
    expect(await command(database, 'backup', join(folder, 'empty.db'))).toEqual({
      code: 1,
      out: '',
      err: `There is no database ${missing}.\n`,
    });
    expect([missing, join(folder, 'empty.db')].map(existsSync)).toEqual([false, false]);
  });
});
