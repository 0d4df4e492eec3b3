import { computed, signal } from '@preact/signals';
import type { Event } from '../../api/types';
import { whenTrue } from '../../util/retry';
import type { ConfirmedBoard } from './confirmed-board';

/** What the live events need of the store of the board. */
interface EventsHost {
  apply(event: Event): void;
  /** Reads the whole board. */
  read(): Promise<void>;
  fail(error: unknown): void;
}

/**
 * Why events are held: until the response to a creation has arrived, which says which event is that creation; until the
 * board was read again; or until a read has answered whose responses were older than the applied events.
 */
type Reason = 'creation' | 'reset' | (() => unknown);

/** The time after which a change is no longer expected in the stream. */
const REACHED_MS = 1000;

/** After more missed events, the board is read again, which is faster: each event copies the map of its rows. */
const MAX_MISSED = 500;

/** Applies the events of the live stream in order, and holds them while the state cannot apply them. */
export class LiveEvents {
  /** Whether the stream is open. */
  readonly isLive = signal(false);
  /** Events that arrived during a request and must be applied after its response. */
  private held: Event[] = [];
  /** The reasons to hold events. */
  private readonly holds = new Set<Reason>();
  /** Whether the stream was reset since the board was read. */
  private isOutdated = false;

  constructor(
    private readonly confirmed: ConfirmedBoard,
    private readonly host: EventsHost,
  ) {}

  /** Takes an event of the stream. */
  receive(type: string, data: unknown): void {
    const missed = Number((data as { revision?: number }).revision) - this.confirmed.revision.value;
    if (type === 'reset' || (type === 'ready' && missed > MAX_MISSED)) {
      this.held = [];
      this.isOutdated = true;
      if (!this.holds.has('reset')) void this.readAgain();
      return;
    }
    if (type === 'ready') return;
    // After a reset, the revision belongs to the former state until the board is read.
    if (this.holds.size > 0) this.held.push(data as Event);
    else this.host.apply(data as Event);
  }

  hold(reason: Reason): void {
    this.holds.add(reason);
  }

  release(reason: Reason): void {
    this.holds.delete(reason);
    if (this.holds.size > 0) return;
    for (const event of this.held.splice(0)) this.host.apply(event);
  }

  /** Waits for the stream to reach a revision, at most 1 s. */
  async reached(revision: number): Promise<void> {
    if (!this.isLive.value) return;
    await Promise.race([
      whenTrue(computed(() => this.confirmed.revision.value >= revision)),
      new Promise((resolve) => setTimeout(resolve, REACHED_MS)),
    ]);
  }

  /** Reads the board after a reset of the stream, and once more if there was another one meanwhile. */
  private async readAgain(): Promise<void> {
    this.hold('reset');
    try {
      while (this.isOutdated) {
        this.isOutdated = false;
        await this.host.read();
      }
    } catch (error) {
      this.host.fail(error);
    }
    this.release('reset');
  }
}
