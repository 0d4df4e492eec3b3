import type { ChildProcess } from 'node:child_process';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Board } from './data';
import { fill } from './data';
import type { Database } from './database';
import type { Request } from './load';
import { Client } from './load';
import { median, ms, printTable, quantile } from './print';
import type { Service } from './service';
import { migrate, runCommand, startService } from './service';

/** Milliseconds in which another client's small request should be answered. */
const LIMIT = { sqlite: 100, mysql: 50 };

/** Large work of one client. */
export interface Work {
  title: string;
  /** The number of runs; 0 for as many as fit into the time. */
  times?: number;
  run: (i: number) => Promise<unknown>;
}

/** Measures how long a client's small requests take while another client does something large. */
export async function measureWaiting(database: Database, quick: boolean): Promise<void> {
  await migrate(database);
  const [many, full, imported] = quick ? [5000, 200, 500] : [100_000, 2000, 20_000];
  const [other, large, deleted, ...fullSprints] = (await fill(database, [
    { name: 'Other', sprints: 4, backlog: 1000 },
    { name: 'Large', sprints: 12, backlog: many },
    { name: 'Deleted', sprints: 12, backlog: many },
    ...[1, 2, 3, 4, 5, 6].map((i) => ({
      name: `Full ${i}`,
      sprints: 3,
      sprintStories: full,
      backlog: 100,
    })),
  ])) as [Board, Board, Board, Board, Board];
  const service = await startService(database);
  // It ends when this process ends.
  const client = fork(join(__dirname, 'client.mjs'), { execArgv: [] });
  const ask = (...requests: Request[]): Promise<void> => send(client, service.url, requests);
  try {
    await changeStories(fullSprints[0], ask);
    const rows: string[][] = [];
    await measure(service, { title: 'warm up', run: () => sleep(100) }, other, quick ? 300 : 3000);
    for (const work of works(database, ask, { large, deleted, full: fullSprints, imported })) {
      rows.push(await measure(service, work, other, quick ? 300 : 3000));
      console.error(rows.at(-1)?.join('  '));
    }
    printTable(
      `${await database.version()}, another client's small GET and PUT meanwhile (limit: ${LIMIT[database.engine]} ms)`,
      ['one client', 'takes', ...['GET p50', 'p99', 'max'], ...['PUT p50', 'p99', 'max'], 'failed'],
      rows,
    );
  } finally {
    client.disconnect();
    await service.stop();
  }
}

function works(
  database: Database,
  ask: (...requests: Request[]) => Promise<void>,
  boards: { large: Board; deleted: Board; full: Board[]; imported: number },
): Work[] {
  const { large, deleted, imported } = boards;
  const [completed, abandoned] = [boards.full.slice(0, 3), boards.full.slice(3)];
  const get = (title: string, path: string): Work => ({ title, run: () => ask({ path }) });
  const stories = `${large.path}/stories`;
  const [full] = completed as [Board];
  return [
    { title: 'nothing', run: () => sleep(100) },
    get('lists all stories', stories),
    get('… by title', `${stories}?sort=title`),
    get('… by points, descending', `${stories}?sort=-points`),
    get('… by time of change, descending', `${stories}?sort=-updated_at`),
    { title: 'HEAD of all stories', run: () => ask({ method: 'HEAD', path: stories }) },
    { title: '… by title', run: () => ask({ method: 'HEAD', path: `${stories}?sort=title` }) },
    get('a page of 50 by title', `${stories}?limit=50&sort=title`),
    get('a page of 50 with the count', `${stories}?limit=50&count=true`),
    get('searches for a word that no story has', `${stories}?q=nowhere`),
    get('searches for words that all stories have', `${stories}?q=password+account`),
    get('filters by an assignee without stories', `${stories}?limit=50&assignee=zoe`),
    get('reads 1,000 events', `${large.path}/events?limit=1000`),
    get(`a full sprint`, `${full.path}/sprints/current`),
    get(
      `report of a full sprint, ${CHANGES} changes of each story`,
      `/api/sprints/${full.current}/report`,
    ),
    get('burndown of the same', `/api/sprints/${full.current}/burndown`),
    get('forecast, 10,000 trials', `${large.path}/forecast?trials=10000&points=20000`),
    {
      title: 'sends 300 changes of one board at once',
      run: (i) =>
        ask(
          ...Array.from({ length: 300 }, (_, k) => ({
            method: 'PUT' as const,
            path: `/api/stories/${large.backlogStory(k)}`,
            body: { title: `Change ${k} of burst ${i}` },
          })),
        ),
    },
    {
      title: 'moves 1,000 stories',
      run: (i) =>
        ask({
          method: 'POST',
          path: `${stories}/move`,
          body: {
            story_ids: Array.from({ length: 1000 }, (_, k) => large.backlogStory(1000 * i + k)),
            position: i % 2 ? 'first' : 'last',
          },
        }),
    },
    {
      title: 'runs a batch of 1,000 operations',
      run: (i) =>
        ask({
          method: 'POST',
          path: `${large.path}/batch`,
          body: {
            operations: Array.from({ length: 1000 }, (_, k) =>
              k % 2
                ? { op: 'create', type: 'story', set: { title: `Story ${k}`, points: 3 } }
                : { op: 'update', type: 'story', id: large.backlogStory(k), set: { points: i } },
            ),
          },
        }),
    },
    {
      title: 'completes a full sprint',
      times: completed.length,
      run: (i) =>
        ask({
          method: 'POST',
          path: `/api/sprints/${(completed[i] as Board).current}/complete`,
          body: {},
        }),
    },
    {
      title: 'deletes a full sprint',
      times: abandoned.length,
      run: (i) =>
        ask({ method: 'DELETE', path: `/api/sprints/${(abandoned[i] as Board).current}` }),
    },
    {
      title: `imports ${imported} stories`,
      times: 1,
      run: () => importStories(database, imported),
    },
    {
      title: 'deletes a board, until its rows are gone',
      times: 1,
      run: async () => {
        await ask({ method: 'DELETE', path: `${deleted.path}?force=true` });
        const rows = (): Promise<object[]> =>
          database.query('SELECT 1 FROM boards WHERE id = ?', [deleted.id]);
        while ((await rows()).length > 0) await sleep(100);
      },
    },
  ];
}

/** Number of changes of each story of a full sprint; reports read every change. */
const CHANGES = 20;

async function changeStories(
  board: Board,
  ask: (...requests: Request[]) => Promise<void>,
): Promise<void> {
  const { sprintStories } = board.plan;
  for (let change = 0; change < CHANGES; change += 1) {
    for (let first = 0; first < sprintStories; first += 1000) {
      const operations = Array.from({ length: Math.min(1000, sprintStories - first) }, (_, i) => ({
        op: 'update',
        type: 'story',
        id: board.sprintStory(first + i),
        set: { points: 1 + change },
      }));
      await ask({ method: 'POST', path: `${board.path}/batch`, body: { operations } });
    }
  }
}

/** Sends requests at once, from another process, and waits for the end of their responses. */
async function send(client: ChildProcess, url: string, requests: Request[]): Promise<void> {
  client.send(requests.map((request) => ({ ...request, url: url + request.path })));
  const [statuses] = (await once(client, 'message')) as [number[]];
  const failed = statuses.findIndex((status) => status !== 200);
  const request = requests[failed];
  if (request) throw new Error(`${request.method} ${request.path}: ${statuses[failed]}`);
}

/** Imports a CSV file with the command line. */
async function importStories(database: Database, count: number): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'sprintline-bench-'));
  try {
    const file = join(folder, 'stories.csv');
    const lines = Array.from(
      { length: count },
      (_, i) => `IMP-${i},Users can reset the password of account ${i},"As a user, …",3,api`,
    );
    writeFileSync(file, `external_id,title,description,points,labels\n${lines.join('\n')}\n`);
    const command = runCommand(database, 'import', file, '--board', 'Imported');
    const [code] = (await once(command, 'exit')) as [number];
    if (code !== 0) throw new Error(`the import ended with ${code}`);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Measures small requests, sent one after the other on one connection for GET and one for PUT, while the work runs. */
export async function measure(
  service: Service,
  { title, times = 0, run }: Work,
  board: Board,
  length: number,
): Promise<string[]> {
  let done = false;
  let failed = 0;
  const probe = async (requestOf: (i: number) => Request): Promise<number[]> => {
    const client = new Client(service.url);
    const seen: number[] = [];
    for (let i = 0; !done; i += 1) {
      const answer = await client.send(requestOf(i)).catch(() => undefined);
      if (answer === undefined || answer.status >= 300) failed += 1;
      seen.push(answer?.ms ?? Infinity);
      // A pause, so that the processors are not busy with these requests alone.
      await sleep(2);
    }
    client.close();
    return seen.sort((a, b) => a - b);
  };
  const probes = Promise.all([
    probe((i) => ({ path: `/api/stories/${board.backlogStory(i)}` })),
    probe((i) => ({
      method: 'PUT',
      path: `/api/stories/${board.backlogStory(i)}`,
      body: { title: `Draft ${i} at ${Date.now()}` },
    })),
  ]);
  const took: number[] = [];
  const begin = performance.now();
  try {
    for (let i = 0; times ? i < times : performance.now() - begin < length; i += 1) {
      const start = performance.now();
      await run(i);
      took.push(performance.now() - start);
    }
  } finally {
    done = true;
  }
  return [
    title,
    ms(median(took)),
    ...(await probes).flatMap((seen) => [
      ms(quantile(seen, 0.5)),
      ms(quantile(seen, 0.99)),
      ms(quantile(seen, 1)),
    ]),
    String(failed),
  ];
}
