import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { client } from './growth';
import type { GrowthBoard } from './growth-dataset';
import type { Request } from './load';
import { load } from './load';
import { median } from './report';
import { processorOf, ROOT, Service } from './service';
import type { Server, Store } from './store';

/** Boards that are written to at the same time, and how large each is. */
export const TEAMS = 16;
export const TEAM = { stories: 400, sprints: 4 };

/** Something that has a limit of its own. */
export interface Limit {
  title: string;
  value: number;
  unit: string;
  /** What it is to be; nothing where it only explains another. */
  goal?: { atMost: number } | { atLeast: number };
}

interface Measuring {
  server: Server;
  store: Store;
  service: Service;
  boards: GrowthBoard[];
  quick: boolean;
  seen: (line: string) => void;
}

/** Measures one after the other; the large board is gone then. */
export async function measureLimits(measuring: Measuring): Promise<Limit[]> {
  const limits: Limit[] = [];
  const steps = [moveTogether, readWhole, importFile, writeTogether, deleteLarge];
  for (const step of steps) {
    for (const limit of await step(measuring)) {
      limits.push(limit);
      measuring.seen(`${measuring.store.engine}: ${limit.title} ${shown(limit)}`);
    }
  }
  return limits;
}

export const shown = ({ value, unit }: Limit): string =>
  `${value.toFixed(value < 10 ? 2 : 0)} ${unit}`.trim();

const quantile = (values: number[], part: number): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length * part)] ?? NaN;

/** Moves of 1,000 stories of a large backlog. */
async function moveTogether({ service, boards, quick }: Measuring): Promise<Limit[]> {
  const board = boards[1] as GrowthBoard;
  const { time } = client(service.url);
  const times: number[] = [];
  for (let i = 0; i < (quick ? 4 : 16); i += 1) {
    const story_ids = [...Array(1000).keys()].map((k) => board.waiting(1000 * i + k));
    const position = i % 2 ? 'first' : 'last';
    times.push(
      await time({
        method: 'POST',
        path: `${board.path}/stories/move`,
        body: { story_ids, position },
      }),
    );
  }
  return [
    {
      title: 'move 1,000 stories, median',
      value: median(times),
      unit: 'ms',
      goal: { atMost: 200 },
    },
    { title: 'move 1,000 stories, longest', value: Math.max(...times), unit: 'ms' },
  ];
}

/** Others' requests, one after the other, until they are stopped; gives how long each took. */
function others(service: Service, requests: (i: number) => Request): { stop(): Promise<number[]> } {
  const { time } = client(service.url);
  let stopping = false;
  const asking = (async () => {
    const times: number[] = [];
    for (let i = 0; !stopping; i += 1) {
      times.push(await time(requests(i)));
      // As people do, and so that there are processors for the rest.
      await sleep(2);
    }
    return times;
  })();
  return {
    stop: () => {
      stopping = true;
      return asking;
    },
  };
}

const shows =
  (board: GrowthBoard) =>
  (i: number): Request => ({
    method: 'GET',
    path: `/api/stories/${board.waiting(i)}`,
  });

const updates =
  (board: GrowthBoard) =>
  (i: number): Request => ({
    method: 'PUT',
    path: `/api/stories/${board.waiting(i)}`,
    body: { title: `Draft ${i} at ${Date.now()}` },
  });

/** A whole backlog, read as fast as it comes, in a service that is warm. */
async function readWhole({ store, boards }: Measuring): Promise<Limit[]> {
  const [small, , whole] = boards as [GrowthBoard, GrowthBoard, GrowthBoard];
  const service = await Service.ours(store);
  try {
    const warm = [others(service, shows(small)), others(service, updates(small))];
    await sleep(3000);
    const calm = (await Promise.all(warm.map((one) => one.stop()))) as [number[], number[]];
    const before = service.memory().now;
    const meanwhile = [others(service, shows(small)), others(service, updates(small))];
    let most = before;
    const watching = setInterval(() => (most = Math.max(most, service.memory().now)), 10);
    const begin = performance.now();
    const list = await fetch(`${service.url}${whole.path}/backlog`);
    for await (const _ of list.body ?? []);
    const took = performance.now() - begin;
    clearInterval(watching);
    const [reads, writes] = (await Promise.all(meanwhile.map((one) => one.stop()))) as [
      number[],
      number[],
    ];
    return [
      { title: 'whole backlog, time', value: took, unit: 'ms' },
      { title: 'whole backlog, memory', value: most - before, unit: 'MiB', goal: { atMost: 64 } },
      {
        title: "others' reads meanwhile, p99",
        value: quantile(reads, 0.99),
        unit: 'ms',
        goal: { atMost: 50 },
      },
      {
        title: "others' writes meanwhile, p99",
        value: quantile(writes, 0.99),
        unit: 'ms',
        goal: { atMost: 50 },
      },
      { title: "others' reads before, p99", value: quantile(calm[0], 0.99), unit: 'ms' },
      { title: "others' writes before, p99", value: quantile(calm[1], 0.99), unit: 'ms' },
    ];
  } finally {
    await service.stop();
  }
}

/** The command that imports a file, from its start to its end. */
async function importFile({ store, quick }: Measuring): Promise<Limit[]> {
  const rows = quick ? 5000 : 20_000;
  const folder = mkdtempSync(join(tmpdir(), 'sprintline-import-'));
  try {
    const file = join(folder, 'stories.csv');
    const lines = [...Array(rows).keys()].map(
      (i) =>
        `IMP-${i},Users can reset the password of account ${i},"As a user, I want a mail",3,api`,
    );
    writeFileSync(file, `external_id,title,description,points,labels\n${lines.join('\n')}\n`);
    const begin = performance.now();
    const args = [join(ROOT, 'dist/cli.js'), 'import', file, '--board', 'Imported'];
    const child = spawn(process.execPath, args, {
      stdio: ['ignore', 'ignore', 'inherit'],
      env: { ...process.env, DATABASE_URL: store.url },
    });
    const [code] = (await once(child, 'exit')) as [number];
    if (code !== 0) throw new Error(`the import ended with ${code}`);
    const rate = rows / ((performance.now() - begin) / 1000);
    const goal = store.engine === 'sqlite' && { goal: { atLeast: 5000 } };
    return [{ title: `import of ${rows} stories`, value: rate, unit: 'stories/s', ...goal }];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Writers on boards of their own against as many on one, in turn. */
async function writeTogether({
  server,
  service,
  boards,
  store,
  quick,
}: Measuring): Promise<Limit[]> {
  if (store.engine === 'sqlite') return [];
  const teams = boards.slice(-TEAMS);
  const [first] = teams as [GrowthBoard];
  const runs = new Map<string, { rate: number; ours: number; theirs: number; idle: number }[]>();
  const run = async (name: string, stories: number[]): Promise<void> => {
    const requests = [...Array(20_000).keys()].map((i): Request => ({
      method: 'PUT',
      path: `/api/stories/${stories[i % stories.length]}`,
      body: { title: `Users can change their mail address, ${name} ${i} ${Date.now()}` },
    }));
    const [ours, theirs, idle] = [service.processor(), databaseOf(server), idleTime()];
    const begin = performance.now();
    const seconds = quick ? 2 : 6;
    const { count, rate } = await load(service.url, requests, { connections: TEAMS, seconds });
    const spent = performance.now() - begin;
    const results = runs.get(name) ?? [];
    results.push({
      rate,
      ours: (service.processor() - ours) / count,
      theirs: (databaseOf(server) - theirs) / count,
      idle: (100 * (idleTime() - idle)) / (spent * cpus().length),
    });
    runs.set(name, results);
  };
  for (let round = 0; round < (quick ? 1 : 5); round += 1) {
    // Neighbours in the list go to different boards, so that the boards are written to at once.
    await run(
      'many',
      teams.map((team) => team.waiting(round)),
    );
    await run(
      'one',
      teams.map((_, i) => first.waiting(i)),
    );
  }
  const of = (name: string, what: 'rate' | 'ours' | 'theirs' | 'idle'): number =>
    median(runs.get(name)?.map((one) => one[what]) ?? []);
  return [
    {
      title: '16 writers: 16 boards / one board',
      value: of('many', 'rate') / of('one', 'rate'),
      unit: '',
      goal: { atLeast: 1.5 },
    },
    ...(['many', 'one'] as const).flatMap((name): Limit[] => {
      const where = name === 'many' ? 'on 16 boards' : 'on one board';
      return [
        { title: `writes ${where}`, value: of(name, 'rate'), unit: '/s' },
        { title: `processor of the service ${where}`, value: of(name, 'ours'), unit: 'µs a write' },
        {
          title: `processor of the database ${where}`,
          value: of(name, 'theirs'),
          unit: 'µs a write',
        },
        { title: `processors that were idle ${where}`, value: of(name, 'idle'), unit: '%' },
      ];
    }),
  ];
}

const databaseOf = ({ pid }: Server): number => (pid === undefined ? NaN : processorOf(pid));

/** Milliseconds that all processors together had nothing to do. */
const idleTime = (): number => cpus().reduce((sum, { times }) => sum + times.idle, 0);

/** The deletion of the large board, and of what it held behind the scenes. */
async function deleteLarge({ service, boards, store }: Measuring): Promise<Limit[]> {
  const [small, large] = boards as [GrowthBoard, GrowthBoard];
  const { time } = client(service.url);
  const meanwhile = [others(service, shows(small)), others(service, updates(small))];
  const transactions = watchTransactions(store);
  const begin = performance.now();
  const took = await time({ method: 'DELETE', path: `${large.path}?force=true` });
  while ((await store.query('SELECT id FROM boards WHERE name IS NULL')).length > 0)
    await sleep(100);
  const all = performance.now() - begin;
  const longest = await transactions.stop();
  const [reads, writes] = (await Promise.all(meanwhile.map((one) => one.stop()))) as [
    number[],
    number[],
  ];
  return [
    { title: 'deletion of the large board, answer', value: took, unit: 'ms' },
    { title: 'deletion of the large board, all of it', value: all / 1000, unit: 's' },
    ...(longest === undefined
      ? []
      : [{ title: 'longest transaction', value: longest, unit: 'ms', goal: { atMost: 1000 } }]),
    {
      // On SQLite, where there is one writer at a time, a transaction is no longer than this.
      title: "others' longest write meanwhile",
      value: Math.max(...writes),
      unit: 'ms',
      goal: { atMost: 1000 },
    },
    { title: "others' longest read meanwhile", value: Math.max(...reads), unit: 'ms' },
    { title: "others' writes meanwhile, p99", value: quantile(writes, 0.99), unit: 'ms' },
    { title: "others' reads meanwhile, p99", value: quantile(reads, 0.99), unit: 'ms' },
  ];
}

/** Watches how long transactions are open, where the database tells; it tells ten times a second. */
function watchTransactions(store: Store): { stop(): Promise<number | undefined> } {
  let stopping = false;
  const watching = (async () => {
    if (store.engine === 'sqlite') return undefined;
    const since = new Map<string, number>();
    let longest = 0;
    while (!stopping) {
      const rows = await store.query<{ id: string }>(
        'SELECT CAST(trx_id AS CHAR) AS id FROM information_schema.innodb_trx WHERE trx_rows_modified > 0',
      );
      const now = performance.now();
      for (const { id } of rows) {
        since.set(id, since.get(id) ?? now);
        longest = Math.max(longest, now - (since.get(id) ?? now));
      }
      await sleep(100);
    }
    return longest;
  })();
  return {
    stop: () => {
      stopping = true;
      return watching;
    },
  };
}
