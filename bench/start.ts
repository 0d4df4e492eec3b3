import { setTimeout as sleep } from 'node:timers/promises';
import { CASES } from './cases';
import type { Board } from './dataset';
import { fill } from './dataset';
import { load } from './load';
import { median } from './report';
import { Service } from './service';
import type { EngineName } from './store';
import { openServer } from './store';

/** Starts that are measured. */
const STARTS = 9;
/** Milliseconds after which a service that nobody calls has come to rest. */
const REST_MS = 5000;

/** Times in milliseconds, memory in MiB. */
export interface StartAndSize {
  engine: EngineName;
  start: { median: number; min: number; max: number };
  idle: number;
  /** After so many requests of all kinds, as fast as they are answered. */
  loaded: { requests: number; now: number; peak: number };
}

/** How soon the image's command answers on a database that is migrated, and how much memory it takes. */
export async function measureStart(
  engine: EngineName,
  requests: number,
  node: string,
): Promise<StartAndSize> {
  const server = await openServer(engine);
  try {
    const store = await server.create('bench_start');
    await (await Service.ours(store)).stop();
    const boards = await fill(store);
    const starts: number[] = [];
    for (let i = 0; i < STARTS; i += 1) {
      const service = await Service.asInImage(store, node);
      starts.push(service.startMs);
      await service.stop();
    }
    const service = await Service.asInImage(store, node);
    await sleep(REST_MS);
    const idle = service.memory().now;
    const sent = await sendAll(service, boards, requests);
    const memory = service.memory();
    await service.stop();
    await store.drop();
    return {
      engine,
      start: { median: median(starts), min: Math.min(...starts), max: Math.max(...starts) },
      idle,
      loaded: { requests: sent, ...memory },
    };
  } finally {
    await server.close();
  }
}

/** Sends the requests of all cases in turn, until there were so many. */
async function sendAll(service: Service, boards: Board[], requests: number): Promise<number> {
  let sent = 0;
  for (let round = 1; sent < requests; round += 1) {
    for (const one of CASES) {
      const seen = await load(service.url, one.requests(boards, round), {
        connections: 16,
        seconds: 4,
      });
      sent += seen.count;
    }
  }
  return sent;
}
