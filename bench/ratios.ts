import { deepStrictEqual } from 'node:assert';
import type { Board, BoardPlan } from './data';
import { fill } from './data';
import type { Database } from './database';
import type { Measured, Repeated } from './load';
import { Client, load } from './load';
import { median, ms, printTable, quantile } from './print';
import type { Service } from './service';
import { migrate, startBare, startService } from './service';

/** An operation that is compared with the bare server. */
interface Case {
  name: string;
  title: string;
  /** The required ratio with 16 connections and with one; undefined if the ratio is only shown. */
  floor?: { many: number; one: number };
  requests: (boards: Board[]) => Repeated[];
  /** Whether every board is changed before it is read again. */
  changing?: boolean;
  /** Whether requests have `If-None-Match` with the present entity tag. */
  conditional?: boolean;
}

export interface RatioOptions {
  only: string[];
  rounds: number;
  /** The length of each run. */
  seconds: number;
  connections: number[];
  quick: boolean;
}

const current = ({ path }: Board): Repeated => ({ path: `${path}/sprints/current` });
/** Makes the bare server build the sprint for each request; the service ignores the header. */
const build = (request: Repeated): Repeated => ({
  ...request,
  headers: { 'Cache-Control': 'no-cache' },
});

/** The first boards are read. Stories are created on the others, so many that no sprint becomes full. */
const READ = 100;
const WITH_BACKLOG = 16;

const READS = { many: 0.65, one: 0.55 };
const WRITES = { many: 0.5, one: 0.5 };

const CASES: Case[] = [
  {
    name: 'show',
    title: 'show a story',
    floor: READS,
    requests: (boards) =>
      boards.slice(0, READ).map((board) => ({ path: `/api/stories/${board.sprintStory(0)}` })),
  },
  {
    name: 'list',
    title: 'list of 50 stories',
    floor: READS,
    requests: (boards) =>
      boards.slice(0, READ).map((board) => ({ path: `/api/sprints/${board.current}/stories` })),
  },
  {
    name: 'page',
    title: 'page of 50 of a backlog',
    floor: READS,
    requests: (boards) =>
      boards.slice(0, WITH_BACKLOG).map((board) => ({ path: `${board.path}/backlog?limit=50` })),
  },
  {
    name: 'changed',
    title: 'sprint in full, after a change',
    floor: READS,
    requests: (boards) => boards.slice(0, READ).map(current),
    changing: true,
  },
  {
    name: 'unchanged',
    title: 'sprint in full, unchanged',
    requests: (boards) => boards.slice(0, WITH_BACKLOG).map(current),
  },
  {
    name: 'matched',
    title: 'sprint in full, If-None-Match',
    requests: (boards) => boards.slice(0, WITH_BACKLOG).map(current),
    conditional: true,
  },
  {
    name: 'unchanged-built',
    title: 'sprint in full, unchanged; the bare server builds it',
    floor: { many: 5, one: 5 },
    requests: (boards) => boards.slice(0, WITH_BACKLOG).map(current).map(build),
  },
  {
    name: 'matched-built',
    title: 'sprint in full, If-None-Match; the bare server builds it',
    floor: { many: 10, one: 10 },
    requests: (boards) => boards.slice(0, WITH_BACKLOG).map(current).map(build),
    conditional: true,
  },
  {
    name: 'create',
    title: 'create a story',
    floor: WRITES,
    requests: (boards) =>
      boards.slice(READ).map((board) => ({
        method: 'POST',
        path: `/api/sprints/${board.current}/stories`,
        body: (n) => ({
          title: `Users can invite colleague ${n}`,
          description: 'The invitation is good for a week and for one person.',
          priority: n % 5,
          points: 3,
          labels: ['api'],
        }),
      })),
  },
  {
    name: 'update',
    title: 'update a story',
    floor: WRITES,
    requests: (boards) =>
      boards.slice(0, READ).map((board) => ({
        method: 'PUT',
        path: `/api/stories/${board.sprintStory(1)}`,
        body: (n) => ({ title: `Users can change their mail address, draft ${n}` }),
      })),
  },
];

export const CASE_NAMES = CASES.map(({ name }) => name);

/** The result of one run of one server. */
type Run = Measured & { rate: number; processor: number; statements: number };

/** Compares the service with a bare server on the same database. */
export async function measureRatios(database: Database, options: RatioOptions): Promise<void> {
  await migrate(database);
  const boards = await fill(
    database,
    Array.from({ length: options.quick ? 2 * READ : 4 * READ }, (_, i): BoardPlan => {
      const backlog = i < WITH_BACKLOG ? 200 : 0;
      return { name: `Team ${i}`, sprints: 1, backlog };
    }),
  );
  const ours = await startService(database);
  const bare = await startBare(database);
  const cases = CASES.filter(
    ({ name }) => options.only.length === 0 || options.only.includes(name),
  );
  try {
    for (const one of cases) await requireSame(database, one, boards, ours, bare);
    for (const connections of options.connections) {
      const rows: string[][] = [];
      for (const one of cases) {
        const row = await compare(database, one, boards, [ours, bare], { ...options, connections });
        console.error(row.slice(0, 4).join('  '));
        rows.push(row);
      }
      printTable(
        `${await database.version()}, connections: ${connections}`,
        [
          ...['', 'ours / bare', 'from–to', 'floor'],
          ...['ours, a second', 'p50', 'p99', 'CPU', 'statements'],
          ...['bare, a second', 'p50', 'p99', 'CPU', 'statements'],
        ],
        rows,
      );
    }
  } finally {
    await ours.stop();
    await bare.stop();
  }
}

async function compare(
  database: Database,
  one: Case,
  boards: Board[],
  sides: [Service, Service],
  { rounds, seconds, connections }: { rounds: number; seconds: number; connections: number },
): Promise<string[]> {
  const runs: [Run[], Run[]] = [[], []];
  // The round before the first warms up.
  for (let round = 0; round <= rounds; round += 1) {
    for (const side of round % 2 ? ([0, 1] as const) : ([1, 0] as const)) {
      const length = round === 0 ? Math.min(seconds, 2) / 2 : seconds;
      const run = await measure(database, one, boards, sides[side], connections, length);
      if (round > 0) runs[side].push(run);
    }
  }
  const ratios = runs[0].map(({ rate }, i) => rate / (runs[1][i] as Run).rate);
  const floor = one.floor && (connections === 1 ? one.floor.one : one.floor.many);
  const middle = (of: Run[], what: (run: Run) => number): number => median(of.map(what));
  return [
    one.title,
    median(ratios).toFixed(2),
    `${Math.min(...ratios).toFixed(2)}–${Math.max(...ratios).toFixed(2)}`,
    floor === undefined ? '–' : `≥ ${floor}`,
    ...runs.flatMap((of) => [
      middle(of, ({ rate }) => rate).toFixed(0),
      ms(middle(of, ({ times }) => quantile(times, 0.5))),
      ms(middle(of, ({ times }) => quantile(times, 0.99))),
      `${middle(of, ({ processor }) => processor).toFixed(0)} µs`,
      count(middle(of, ({ statements }) => statements)),
    ]),
  ];
}

async function measure(
  database: Database,
  one: Case,
  boards: Board[],
  service: Service,
  connections: number,
  seconds: number,
): Promise<Run> {
  let requests = one.requests(boards);
  if (one.conditional) requests = await tagged(service, requests);
  const change = (): void => {
    database.query('UPDATE boards SET revision = revision + 1 WHERE id <= ?', [READ]).catch(stop);
  };
  const processor = service.processor();
  const statements = await statementsOf(database);
  const result = await load(service.url, requests, {
    connections,
    seconds,
    // Twice for each read of all boards.
    ...(one.changing && { every: { answers: requests.length / 2, run: change } }),
  });
  const count = result.times.length;
  if (result.failed + result.rejected.length > 0) {
    throw new Error(`${one.name}: ${result.failed} failed, ${result.rejected.length} rejected`);
  }
  return {
    ...result,
    rate: count / result.seconds,
    processor: (service.processor() - processor) / count,
    statements: ((await statementsOf(database)) - statements) / count,
  };
}

const stop = (error: unknown): never => {
  console.error(error);
  process.exit(1);
};

/** The number of statements that the database server has received; SQLite does not count them. */
async function statementsOf(database: Database): Promise<number> {
  if (database.engine === 'sqlite') return NaN;
  const [row] = await database.query<{ Value: string }>(`SHOW GLOBAL STATUS LIKE 'Questions'`);
  return Number(row?.Value);
}

/** Returns the requests with `If-None-Match`, after reading the entity tags. */
async function tagged({ url }: Service, requests: Repeated[]): Promise<Repeated[]> {
  const client = new Client(url);
  const result: Repeated[] = [];
  for (const { path, headers } of requests) {
    const etag = (await client.send({ path })).headers.etag ?? '';
    result.push({ path, headers: { ...headers, 'If-None-Match': etag } });
  }
  client.close();
  return result;
}

/** Checks that both servers send the same bytes for a case and append the same event. @throws AssertionError */
async function requireSame(
  database: Database,
  one: Case,
  boards: Board[],
  ...servers: [Service, Service]
): Promise<void> {
  const answers: string[][] = [];
  for (const { url } of servers) {
    const client = new Client(url);
    const seen: string[] = [];
    for (const { method, path, body } of one.requests(boards).slice(0, 10)) {
      // So that both servers compare with the same title in the next request.
      if (body) await client.call({ method, path, body: body(1) });
      const { status, text } = await client.send({ method, path, ...(body && { body: body(2) }) });
      if (status >= 300) throw new Error(`${method} ${path}: ${status} ${text}`);
      seen.push(
        `${path} ${status} ${body ? settled(text) + (await lastEvent(database, text)) : text}`,
      );
    }
    client.close();
    answers.push(seen);
  }
  deepStrictEqual(answers[0], answers[1], `${one.name}: the servers do not answer the same`);
}

/** The response to a write, with fixed values in place of times and numbers that differ between two writes. */
const settled = (text: string): string =>
  text
    .replace(/"(created_at|updated_at)":"[^"]*"/g, '"$1":"…"')
    .replace(/"(id|seq|version)":\d+/g, '"$1":"…"');

async function lastEvent(database: Database, story: string): Promise<string> {
  const { id } = JSON.parse(story) as { id: number };
  const [row] = await database.query<Record<string, string>>(
    `SELECT e.type, e.actor, e.sprint_id, e.\`before\`, e.\`after\`, b.revision = e.revision AS is_last,
       s.version = e.entity_version AS is_present
     FROM events e JOIN boards b ON b.id = e.board_id JOIN stories s ON s.id = e.entity_id
     WHERE e.entity = 'story' AND e.entity_id = ? ORDER BY e.entity_version DESC LIMIT 1`,
    [id],
  );
  return settled(Object.values(row ?? {}).join('\n'));
}

const count = (statements: number): string =>
  Number.isNaN(statements) ? '–' : statements.toFixed(1);
