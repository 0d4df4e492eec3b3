import type { Client } from '../http/client';
import type { Snapshot } from './reader';
import { Slots, SlotsOfClients } from './slots';

/** Concurrent snapshots. */
const SNAPSHOTS = 20;
/** Those of one client, by purpose: a long list keeps one open until it is sent, a report until it is computed. */
const OF_ONE_CLIENT = { list: 4, report: 10 };
/** Milliseconds that a request waits for one of them, and requests that may wait. */
const WAIT_MS = 500;
const MAX_WAITING = 64;

/** Limits the number of open snapshots, in total and for one client. */
export class LimitedSnapshots {
  private readonly slots = new Slots(SNAPSHOTS, MAX_WAITING, WAIT_MS);
  private readonly slotsOfClients = {
    list: new SlotsOfClients(() => new Slots(OF_ONE_CLIENT.list, MAX_WAITING, WAIT_MS)),
    report: new SlotsOfClients(() => new Slots(OF_ONE_CLIENT.report, MAX_WAITING, WAIT_MS)),
  };

  constructor(private readonly openUnlimited: () => Promise<Snapshot>) {}

  /** Number of open snapshots. */
  get count(): number {
    return this.slots.used;
  }

  /**
   * Opens one of the snapshots of a client, which the caller closes.
   * @throws Problem `overloaded`; an `AbortError` if the client disconnects while it waits
   */
  async open({ key, signal }: Client, purpose: keyof typeof OF_ONE_CLIENT): Promise<Snapshot> {
    const releases = [await this.slotsOfClients[purpose].acquire(key, signal)];
    const release = (): void => releases.forEach((each) => each());
    try {
      releases.push(await this.slots.acquire(signal));
      const snapshot = await this.openUnlimited();
      return { ...snapshot, close: () => snapshot.close().finally(release) };
    } catch (error) {
      release();
      throw error;
    }
  }
}
