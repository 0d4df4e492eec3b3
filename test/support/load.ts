import { setTimeout as sleep } from 'node:timers/promises';
import type { Answer } from './client';
import { Client } from './client';
import { afterwards } from './faults';

/** Returns a client for tests that make many calls and check few of the responses. */
export function loadClient(url: string, connections = 256): Client {
  const client = new Client(url, { connections, undocumented: true });
  afterwards(() => client.close());
  return client;
}

/** A request that clients repeat. */
export type Repeated = [method: string, path: string, body?: unknown];

/** The response to a request, or the error if there was none. */
export type Outcome = Answer | Error;

/**
 * Sends requests from many clients at once until it is stopped. Each client sends the next request as soon as
 * it has a response, or `pause` milliseconds after an error or a 503.
 */
export function sendFrom(
  url: string,
  clients: number,
  requests: Repeated[],
  pause = 100,
): { answered(status: number): Promise<void>; stop(): Promise<Outcome[]> } {
  const client = new Client(url, { connections: clients, undocumented: true, discard: true });
  const outcomes: Outcome[] = [];
  let stopping = false;
  const running = Array.from({ length: clients }, async (_, i) => {
    for (let n = i; !stopping; n += 1) {
      const [method, path, body] = requests[n % requests.length] as Repeated;
      const outcome = await client.call(method, path, body).catch((error: Error) => error);
      outcomes.push(outcome);
      if (outcome instanceof Error || outcome.status === 503) await sleep(pause);
    }
  });
  /** Waits until a response has this status. */
  const answered = async (status: number): Promise<void> => {
    while (!outcomes.some((one) => !(one instanceof Error) && one.status === status))
      await sleep(10);
  };
  const stop = async (): Promise<Outcome[]> => {
    stopping = true;
    await Promise.all(running);
    client.close();
    return outcomes;
  };
  afterwards(stop);
  return { answered, stop };
}

/** Returns the distinct statuses and error messages, sorted. */
export function statuses(outcomes: Outcome[]): string[] {
  const all = outcomes.map((one) => (one instanceof Error ? one.message : String(one.status)));
  return [...new Set(all)].sort();
}

/** Returns the milliseconds of the slowest response; infinite if one is missing. */
export function slowest(outcomes: Outcome[]): number {
  return Math.max(0, ...outcomes.map((one) => (one instanceof Error ? Infinity : one.ms)));
}

/** Runs `work` for each number below `count`, at most `lanes` at a time. */
export async function inLanes(
  count: number,
  lanes: number,
  work: (i: number) => Promise<unknown>,
): Promise<void> {
  let next = 0;
  const lane = async (): Promise<void> => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: lanes }, lane));
}
