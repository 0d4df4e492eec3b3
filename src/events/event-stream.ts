import { Readable } from 'node:stream';
import type { BoardFeed, SentEvent, Subscriber } from './board-feed';
import { eventText } from './board-feed';

/** Bytes from which a stream waits for its client while it catches up. */
const READ_AHEAD = 128 * 1024;
/** Bytes of live events that may wait for a slow client. */
const MAX_UNSENT = 1024 * 1024;

/** Milliseconds after which `EventSource` connects again. */
const RETRY_MS = 2000;

/**
 * The Server-Sent Events of one response. It reads pages of the log as fast as the client reads them, until
 * it has caught up with the feed of its board; from then on the feed delivers the events.
 */
export class EventStream extends Readable implements Subscriber {
  /** Whether the feed delivers its events, which all live streams of a board share in memory. */
  isLive = false;
  private isCatchingUp = false;
  private hasEnded = false;
  private after: number;

  /**
   * @param revision the present revision of the board
   * @param known the revision that the client knows; if it is a later one, the client must read the board again
   * @param types the types of events that are sent; undefined: all
   * @param page reads a page of the log
   */
  constructor(
    private readonly feed: BoardFeed,
    readonly revision: number,
    known: number,
    private readonly types: ReadonlySet<string> | undefined,
    private readonly page: BoardFeed['page'],
  ) {
    super({ highWaterMark: READ_AHEAD });
    this.after = Math.min(known, revision);
    const first = eventText(this.after, known > revision ? 'reset' : 'ready', { revision });
    this.push(`retry: ${RETRY_MS}\n${first}`);
  }

  override _read(): void {
    if (this.isLive || this.isCatchingUp) return;
    // After an error the client connects again.
    this.catchUp().catch(() => this.destroy());
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.feed.unsubscribe(this);
    done(error);
  }

  /** Sends events of the feed. Disconnects a client that is too slow; it then resumes with a new stream. */
  deliver(events: readonly SentEvent[]): void {
    for (const event of events) {
      // Checked before the event, which may itself be longer than the limit.
      if (this.readableLength > MAX_UNSENT) this.destroy();
      this.send(event);
    }
  }

  /**
   * Sends a comment, so that the connection is not closed as idle: while there are no events, and while the stream
   * searches a long log for events of the requested types.
   */
  heartbeat(): void {
    if (this.isOpen && (this.isLive || this.readableLength === 0)) this.push(':\n\n');
  }

  /** Ends the response after the events that are already queued. */
  end(): void {
    if (!this.isOpen) return;
    this.hasEnded = true;
    this.push(null);
  }

  private get isOpen(): boolean {
    return !this.destroyed && !this.hasEnded;
  }

  /** Reads until the read-ahead is full or the feed takes over. */
  private async catchUp(): Promise<void> {
    this.isCatchingUp = true;
    try {
      while (this.isOpen && this.after < this.feed.revision) {
        const events = await this.page(this.after);
        if (events.length === 0) throw new Error('the log is behind its feed');
        for (const event of events) this.send(event);
        if (this.readableLength >= READ_AHEAD) return;
      }
      if (!this.isOpen) return;
      this.isLive = true;
      this.feed.subscribe(this);
    } finally {
      this.isCatchingUp = false;
    }
  }

  private send(event: SentEvent): void {
    if (!this.isOpen || event.revision <= this.after) return;
    this.after = event.revision;
    if (!this.types || this.types.has(event.type)) this.push(event.bytes);
  }
}
