import { setTimeout as sleep } from 'node:timers/promises';
import { afterwards } from './faults';
import { Agent, request } from 'node:http';

/** An answer to a test that asks much and looks at little. */
export interface Sent<T = any> {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: T;
  /** Milliseconds from the request to the end of its answer. */
  ms: number;
}

/** Sends requests as fast as it is asked to, on connections that it keeps. */
export class Sender {
  private readonly agent: Agent;

  constructor(
    readonly url: string,
    connections = 256,
    /** Whether the bodies of what succeeded are thrown away. */
    private readonly deaf = false,
  ) {
    this.agent = new Agent({ keepAlive: true, maxSockets: connections });
    afterwards(() => this.close());
  }

  /** @throws where there is no whole answer within `timeout` milliseconds */
  send<T = any>(method: string, path: string, body?: unknown, timeout = 30_000): Promise<Sent<T>> {
    const start = performance.now();
    return new Promise((resolve, reject) => {
      const content = body === undefined ? undefined : JSON.stringify(body);
      const outgoing = request(
        this.url + path,
        {
          method,
          agent: this.agent,
          headers: content === undefined ? {} : { 'content-type': 'application/json' },
        },
        (incoming) => {
          const chunks: Buffer[] = [];
          const { statusCode: status = 0 } = incoming;
          const deaf = this.deaf && status < 400;
          incoming.on('data', (chunk: Buffer) => deaf || chunks.push(chunk));
          incoming.once('aborted', () => reject(new Error('the answer broke off')));
          incoming.once('end', () => {
            clearTimeout(timer);
            const text = Buffer.concat(chunks).toString();
            resolve({
              status,
              headers: incoming.headers,
              body: (/json/.test(incoming.headers['content-type'] ?? '') && !deaf
                ? JSON.parse(text)
                : text) as T,
              ms: performance.now() - start,
            });
          });
        },
      );
      const timer = setTimeout(
        () => outgoing.destroy(new Error(`no answer within ${timeout} ms`)),
        timeout,
      );
      outgoing.once('error', (error: Error & { code?: string }) => {
        clearTimeout(timer);
        // The system refuses, or resets, a connection that the program has never seen.
        const unseen = !outgoing.reusedSocket && /^ECONN(REFUSED|RESET)$/.test(error.code ?? '');
        reject(unseen ? new Error('not let in') : error);
      });
      outgoing.end(content);
    });
  }

  close(): void {
    this.agent.destroy();
  }
}

/** A request that clients repeat: method, path and body. */
export type Repeated = [method: string, path: string, body?: unknown];

/** What became of a request: its answer, or why there was none. */
export type Outcome = Sent | Error;

/**
 * Asks from many clients at once until it is stopped, each again as soon as it has its answer, or
 * `pause` milliseconds later where it was refused.
 */
export function askFrom(
  url: string,
  clients: number,
  requests: Repeated[],
  pause = 100,
): { stop(): Promise<Outcome[]> } {
  const sender = new Sender(url, clients, true);
  const outcomes: Outcome[] = [];
  let stopping = false;
  const asking = Array.from({ length: clients }, async (_, i) => {
    for (let n = i; !stopping; n += 1) {
      const outcome = await sender
        .send(...(requests[n % requests.length] as Repeated))
        // The system's errors are of another realm than the tests'.
        .catch((error: Error) => new Error(error.message));
      outcomes.push(outcome);
      if (outcome instanceof Error || outcome.status === 503) await sleep(pause);
    }
  });
  const stop = async (): Promise<Outcome[]> => {
    stopping = true;
    await Promise.all(asking);
    return outcomes;
  };
  afterwards(stop);
  return { stop };
}

/** The statuses that there are among them, or the errors, in their order. */
export function statuses(outcomes: Outcome[]): string[] {
  const all = outcomes.map((one) => (one instanceof Error ? one.message : String(one.status)));
  return [...new Set(all)].sort();
}

/** Milliseconds of the slowest answer; where one is missing, there is no end to them. */
export function slowest(outcomes: Outcome[]): number {
  return Math.max(0, ...outcomes.map((one) => (one instanceof Error ? Infinity : one.ms)));
}
