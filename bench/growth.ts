import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { Agent, request } from 'node:http';
import { text } from 'node:stream/consumers';
import type { Ask, GrowthCase, Made } from './growth-cases';
import { GROWTH_CASES } from './growth-cases';
import type { GrowthBoard, Size } from './growth-dataset';
import { fillBoards } from './growth-dataset';
import type { Limit } from './growth-limits';
import { measureLimits, TEAMS, TEAM } from './growth-limits';
import type { Request } from './load';
import { median } from './report';
import { Service } from './service';
import type { EngineName } from './store';
import { openServer } from './store';

/** How many times as long an operation may take on the large board. */
const MOST = 1.3;
/** Tries that warm up before those that count. */
const WARM = 5;

/** Median latencies of an operation, in milliseconds. */
export interface GrowthOutcome {
  title: string;
  small: number;
  large: number;
  ratio: number;
  apart: string | null;
}

export interface Growth {
  engine: EngineName;
  version: string;
  operations: GrowthOutcome[];
  limits: Limit[];
}

/** A client with one connection: asks, or tells how many milliseconds an answer took. */
export function client(url: string): { ask: Ask; time: (one: Request) => Promise<number> } {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const send = async ({ method, path, body }: Request): Promise<Answered> => {
    const begin = performance.now();
    const headers = body ? { 'Content-Type': 'application/json' } : {};
    const sent = request(url + path, { agent, method, headers });
    sent.end(body && JSON.stringify(body));
    const [answer] = (await once(sent, 'response')) as [IncomingMessage];
    const content = await text(answer);
    const { statusCode = 0, headers: given } = answer;
    if (statusCode >= 300) throw new Error(`${method} ${path}: ${statusCode} ${content}`);
    return {
      took: performance.now() - begin,
      content,
      next: /<([^>]*)>/.exec(String(given.link))?.[1],
    };
  };
  return {
    ask: async (one) => {
      const { content, next } = await send(one);
      return { ...(JSON.parse(content) as Made), next };
    },
    time: async (one) => (await send(one)).took,
  };
}

interface Answered {
  took: number;
  content: string;
  next: string | undefined;
}

/** Measures on one engine how latencies grow with a board, and what has a limit besides. */
export async function measureGrowth(
  engine: EngineName,
  { quick, only }: { quick: boolean; only: string[] },
  seen: (line: string) => void,
): Promise<Growth> {
  const server = await openServer(engine);
  try {
    const store = await server.create('bench_growth');
    if (engine === 'mysql' && server.pid !== undefined) {
      // A server for a million stories keeps them in memory, and need not write them back all the time.
      await store.run('SET GLOBAL innodb_buffer_pool_size = 2147483648');
      await store.run('SET GLOBAL innodb_log_file_size = 1073741824');
    }
    await (await Service.ours(store)).stop();
    const small: Size = { stories: 1000, sprints: 10 };
    const large: Size = quick
      ? { stories: 20_000, sprints: 100 }
      : { stories: 1_000_000, sprints: 1000 };
    const whole: Size = { stories: quick ? 20_000 : 100_000, sprints: 4 };
    const begin = performance.now();
    const boards = await fillBoards(store, [
      { name: 'Small', ...small },
      { name: 'Large', ...large },
      { name: 'Whole', ...whole },
      ...Array.from({ length: TEAMS }, (_, i) => ({ name: `Team ${i}`, ...TEAM })),
    ]);
    seen(`${engine}: filled in ${((performance.now() - begin) / 1000).toFixed(0)} s`);
    const [a, b] = boards as [GrowthBoard, GrowthBoard];
    const service = await Service.ours(store);
    try {
      const operations: GrowthOutcome[] = [];
      for (const one of GROWTH_CASES) {
        if (only.length > 0 && !only.includes(one.title)) continue;
        const outcome = await compare(service, one, a, b, one.apart ? 5 : quick ? 15 : 60);
        operations.push(outcome);
        seen(`${engine}: ${outcome.title} ${outcome.ratio.toFixed(2)}`);
      }
      const limits =
        only.length > 0 ? [] : await measureLimits({ server, store, service, boards, quick, seen });
      return { engine, version: await store.version(), operations, limits };
    } finally {
      await service.stop();
      await store.drop();
    }
  } finally {
    await server.close();
  }
}

/** One request on the one board, one on the other, over and over; again where the ratio is too large. */
async function compare(
  service: Service,
  one: GrowthCase,
  small: GrowthBoard,
  large: GrowthBoard,
  rounds: number,
): Promise<GrowthOutcome> {
  const { ask, time } = client(service.url);
  const times = new Map<GrowthBoard, number[]>();
  let i = 0;
  const run = async (): Promise<number> => {
    for (const board of [small, large]) times.set(board, []);
    for (let round = -WARM; round < rounds; round += 1) {
      // Neither is always the first.
      for (const board of round % 2 ? [small, large] : [large, small]) {
        const made = await one.before?.(ask, board, i);
        const took = await time(one.request(board, i, made ?? { id: 0 }));
        if (round >= 0) times.get(board)?.push(took);
      }
      i += 1;
    }
    return of(large) / of(small);
  };
  const of = (board: GrowthBoard): number => median(times.get(board) ?? []);
  if ((await run()) > MOST && !one.apart) await run();
  return {
    title: one.title,
    small: of(small),
    large: of(large),
    ratio: of(large) / of(small),
    apart: one.apart ?? null,
  };
}
