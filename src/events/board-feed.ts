import { setImmediate } from 'node:timers/promises';
import type { EventType } from './event';
import type { EventView } from './event.dto';

/** An event as all streams of its board send it. */
export interface SentEvent {
  revision: number;
  type: EventType;
  bytes: Buffer;
}

/** Reads the next events of a board after a revision, in their order. */
type ReadEvents = (after: number) => Promise<EventView[]>;

/** A receiver of the events of a feed. */
export interface Subscriber {
  deliver(events: readonly SentEvent[]): void;
  /** The last event was delivered; the stream ends. */
  end(): void;
}

/** Events are missing from the log: the board was deleted, or the database restored from a backup. */
class MissingEventsError extends Error {}

/**
 * Reads the log of a board for all streams of this process, so that each event is read and formatted once.
 */
export class BoardFeed {
  private readonly subscribers = new Set<Subscriber>();
  private isReading = false;
  private isStale = false;
  /** Whether no event can follow. */
  hasEnded = false;

  /** @param revision the last revision that was delivered */
  constructor(
    readonly boardId: number,
    public boardName: string,
    public revision: number,
    private readonly read: ReadEvents,
  ) {}

  /** Delivers all later events; ends at once if no event can follow. */
  subscribe(subscriber: Subscriber): void {
    if (this.hasEnded) subscriber.end();
    else this.subscribers.add(subscriber);
  }

  unsubscribe(subscriber: Subscriber): void {
    this.subscribers.delete(subscriber);
  }

  /**
   * Reads and delivers new events. Concurrent calls share one run.
   * @throws the error of the database; a later call continues
   */
  async wake(): Promise<void> {
    this.isStale = true;
    if (this.isReading) return;
    this.isReading = true;
    try {
      while (this.isStale && !this.hasEnded) {
        this.isStale = false;
        await this.readOn();
      }
    } finally {
      // No await since the last check of `isStale`, so no call is lost.
      this.isReading = false;
    }
  }

  /**
   * Reads the next events after a revision.
   * @throws Error if they are no longer in the log
   */
  async page(after: number): Promise<SentEvent[]> {
    const events = await this.read(after);
    return events.map((event, i) => {
      if (event.revision !== after + i + 1) throw new MissingEventsError();
      // A deleted board has no name; its last event needs it.
      this.boardName = event.board_name ?? this.boardName;
      return format(event, this.boardName);
    });
  }

  /** Ends all streams; their clients connect again. */
  end(): void {
    this.hasEnded = true;
    for (const subscriber of [...this.subscribers]) subscriber.end();
  }

  private async readOn(): Promise<void> {
    for (;;) {
      const events = await this.page(this.revision).catch((error: unknown) => {
        if (!(error instanceof MissingEventsError)) throw error;
        this.end();
        return [];
      });
      const last = events.at(-1);
      if (!last || this.hasEnded) return;
      this.revision = last.revision;
      for (const subscriber of [...this.subscribers]) subscriber.deliver(events);
      if (last.type === 'board.deleted') return this.end();
      // The sockets send what they got: SQLite reads a page in a single turn of the event loop.
      await setImmediate();
    }
  }
}

/** One event of the HTML standard's `text/event-stream`. */
export function eventText(id: number, type: string, data: object): string {
  return `id: ${id}\nevent: ${type}\ndata: ${JSON.stringify(data)}\n\n`;
}

function format(event: EventView, boardName: string): SentEvent {
  const { revision, type } = event;
  const view = { ...event, board_name: boardName };
  return { revision, type, bytes: Buffer.from(eventText(revision, type, view)) };
}
