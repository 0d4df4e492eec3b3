import autocannon from 'autocannon';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { Agent, request as send } from 'node:http';
import { text } from 'node:stream/consumers';

export interface Request {
  method?: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'DELETE';
  path: string;
  headers?: Record<string, string>;
  body?: object;
}

/** A request of a load; `body` gets another number for each request. */
export type Repeated = Omit<Request, 'body'> & { body?: (n: number) => object };

export interface Load {
  connections: number;
  seconds?: number;
  amount?: number;
  /** Calls `run` after each `answers` responses. */
  every?: { answers: number; run: () => void };
}

/** The result of a load. Times are in milliseconds, in ascending order. */
export interface Measured {
  seconds: number;
  times: number[];
  /** Times of responses with 429 and 503. */
  rejected: number[];
  /** The number of other errors: error statuses, timeouts and broken connections. */
  failed: number;
}

let counter = Date.now() % 1e9;

/**
 * Sends requests repeatedly through a number of connections, each with its share of the requests, for `seconds` or,
 * with `amount`, until that many were sent.
 */
export async function load(
  url: string,
  requests: Repeated[],
  { connections, seconds = 1, amount, every }: Load,
): Promise<Measured> {
  const all = requests.map(({ method = 'GET', path, headers = {}, body }) => ({
    method,
    path,
    headers: { ...headers, ...(body && { 'Content-Type': 'application/json' }) },
    ...(body && {
      setupRequest: (one: object) => ({ ...one, body: JSON.stringify(body((counter += 1))) }),
    }),
  }));
  let client = 0;
  const run = autocannon({
    url,
    connections,
    ...(amount === undefined ? { duration: seconds } : { amount }),
    sampleInt: 50,
    timeout: 60,
    setupClient: (one) => {
      const own = all.filter((_, i) => i % connections === client % all.length);
      one.setRequests(own.length > 0 ? own : all);
      client += 1;
    },
  });
  const [times, rejected]: [number[], number[]] = [[], []];
  let failed = 0;
  run.on('response', (_client, status, _bytes, ms) => {
    if (status < 400) times.push(ms);
    else if (status === 429 || status === 503) rejected.push(ms);
    else failed += 1;
    if (every && times.length % every.answers === 0) every.run();
  });
  const { duration, errors, timeouts } = await run;
  for (const one of [times, rejected]) one.sort((a, b) => a - b);
  return { seconds: duration, times, rejected, failed: failed + errors + timeouts };
}

export interface Answer {
  status: number;
  headers: IncomingMessage['headers'];
  text: string;
  /** Milliseconds. */
  ms: number;
}

/** A client with one connection that sends one request at a time. */
export class Client {
  private readonly agent = new Agent({ keepAlive: true, maxSockets: 1 });

  constructor(private readonly url: string) {}

  async send({ method = 'GET', path, headers, body }: Request): Promise<Answer> {
    const begin = performance.now();
    const type = body && { 'Content-Type': 'application/json' };
    const sent = send(this.url + path, {
      method,
      agent: this.agent,
      headers: { ...headers, ...type },
    });
    sent.end(body && JSON.stringify(body));
    const [answer] = (await once(sent, 'response')) as [IncomingMessage];
    const content = await text(answer);
    const ms = performance.now() - begin;
    return { status: answer.statusCode ?? 0, headers: answer.headers, text: content, ms };
  }

  /** Sends a request and parses the response. @throws if the response is an error */
  async call<T = { id: number }>(request: Request): Promise<T> {
    const { status, text: content } = await this.send(request);
    if (status >= 300) throw new Error(`${request.method} ${request.path}: ${status} ${content}`);
    return JSON.parse(content) as T;
  }

  close(): void {
    this.agent.destroy();
  }
}
