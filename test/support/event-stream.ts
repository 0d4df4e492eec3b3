import type { ClientRequest, IncomingMessage } from 'node:http';
import { request } from 'node:http';

/** An event as the stream sent it. */
export interface StreamedEvent {
  id: number;
  event: string;
  data: any;
  /** Milliseconds since the start of the process. */
  at: number;
}

export interface StreamOptions {
  headers?: Record<string, string>;
  localAddress?: string;
  onEvent?: (event: StreamedEvent) => void;
}

/** An open stream of events, read as `EventSource` reads it. */
export class Stream {
  readonly events: StreamedEvent[] = [];
  comments = 0;
  retry: number | undefined;
  /** Resolves when the response has ended: `clean` at its regular end, `cut` if it broke off. */
  readonly ended: Promise<'clean' | 'cut'>;
  hasEnded = false;
  private rest = '';
  private readonly waiting = new Set<() => void>();

  private constructor(
    private readonly outgoing: ClientRequest,
    readonly response: IncomingMessage,
    private readonly onEvent?: (event: StreamedEvent) => void,
  ) {
    response.setEncoding('utf8').on('data', (text: string) => this.read(text));
    this.ended = new Promise((resolve) => {
      const end = (how: 'clean' | 'cut') => () => {
        this.hasEnded = true;
        for (const check of this.waiting) check();
        resolve(how);
      };
      response.once('end', end('clean'));
      response.once('error', end('cut'));
      response.once('close', end('cut'));
    });
  }

  /** Opens a stream; any status is a result. */
  static open(
    url: string,
    { headers = {}, localAddress, onEvent }: StreamOptions = {},
  ): Promise<Stream> {
    return new Promise((resolve, reject) => {
      const outgoing = request(url, {
        agent: false,
        localAddress,
        headers: { accept: 'text/event-stream', ...headers },
      });
      outgoing.on('error', reject);
      outgoing.once('response', (response) => resolve(new Stream(outgoing, response, onEvent)));
      outgoing.end();
    });
  }

  get status(): number {
    return this.response.statusCode ?? 0;
  }

  /** The events of the log, without the stream's own `ready` and `reset`. */
  get logged(): StreamedEvent[] {
    return this.events.filter(({ event }) => event !== 'ready' && event !== 'reset');
  }

  get revisions(): number[] {
    return this.logged.map(({ id }) => id);
  }

  /** The cursor that `EventSource` would send. */
  get lastId(): number | undefined {
    return this.events.at(-1)?.id;
  }

  /** Waits for a condition, which is checked after each event. */
  until(condition: (stream: this) => boolean, withinMs = 10_000): Promise<void> {
    return new Promise((resolve, reject) => {
      const check = (): void => {
        if (!condition(this) && !this.hasEnded) return;
        this.waiting.delete(check);
        clearTimeout(timer);
        if (condition(this)) resolve();
        else reject(new Error(`the stream ended after ${JSON.stringify(this.events.at(-1))}`));
      };
      const timer = setTimeout(() => {
        this.waiting.delete(check);
        reject(new Error(`not within ${withinMs} ms: ${JSON.stringify(this.events.slice(-3))}`));
      }, withinMs);
      this.waiting.add(check);
      check();
    });
  }

  /** Waits for the event with this revision, or a later one. */
  reaches(revision: number, withinMs?: number): Promise<void> {
    return this.until(({ lastId = -1 }) => lastId >= revision, withinMs);
  }

  /** Reads nothing until `resume`. */
  pause(): void {
    this.response.pause();
  }

  resume(): void {
    this.response.resume();
  }

  close(): void {
    this.outgoing.destroy();
  }

  private read(text: string): void {
    const blocks = (this.rest + text).split('\n\n');
    this.rest = blocks.pop() ?? '';
    for (const block of blocks) this.readBlock(block);
    for (const check of [...this.waiting]) check();
  }

  private readBlock(block: string): void {
    const fields: Record<string, string> = {};
    for (const line of block.split('\n')) {
      const [, name = '', value = ''] = /^([^:]*):? ?(.*)$/.exec(line) ?? [];
      if (name === '') this.comments += 1;
      else if (name in fields) throw new Error(`${name} twice in ${block}`);
      else fields[name] = value;
    }
    const { id, event, data, retry } = fields;
    if (retry !== undefined) this.retry = Number(retry);
    if (data === undefined) return;
    const streamed: StreamedEvent = {
      id: Number(id),
      event: event ?? '',
      data: JSON.parse(data),
      at: performance.now(),
    };
    this.events.push(streamed);
    this.onEvent?.(streamed);
  }
}
