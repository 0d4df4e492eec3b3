import { setTimeout as sleep } from 'node:timers/promises';
import type { StreamedEvent } from './event-stream';
import { Stream } from './event-stream';
import { afterwards } from './faults';

/** Milliseconds between two attempts to connect. */
const RETRY_MS = 20;

/** Reads a stream from its beginning and reconnects after its last event, as browsers do. */
export class Subscription {
  readonly events: StreamedEvent[] = [];
  connections = 0;
  private isClosed = false;
  private stream: Stream | undefined;

  /** @param urlOf returns the URL of the instance for the next connection */
  constructor(
    private readonly urlOf: (connection: number) => string,
    private readonly path: string,
  ) {
    afterwards(() => this.close());
    void this.run();
  }

  /** Waits until the event with this revision, or a later one, has arrived. */
  async reaches(revision: number, withinMs = 20_000): Promise<void> {
    for (const start = performance.now(); performance.now() - start < withinMs;) {
      if ((this.events.at(-1)?.id ?? 0) >= revision) return;
      await sleep(10);
    }
    throw new Error(`${this.events.at(-1)?.id} instead of ${revision} after ${withinMs} ms`);
  }

  close(): void {
    this.isClosed = true;
    this.stream?.close();
  }

  private async run(): Promise<void> {
    while (!this.isClosed) {
      await this.read().catch(() => undefined);
      await sleep(RETRY_MS);
    }
  }

  private async read(): Promise<void> {
    const last = this.events.at(-1)?.id ?? 0;
    const url = this.urlOf(this.connections) + this.path;
    this.stream = await Stream.open(url, {
      headers: { 'last-event-id': String(last) },
      onEvent: (event) => {
        if (event.event !== 'ready') this.events.push(event);
      },
    });
    if (this.stream.status !== 200) {
      this.stream.close();
      return;
    }
    this.connections += 1;
    await this.stream.ended;
  }
}
