import { Slots, SlotsOfClients } from './slots';
import type { Snapshot } from './snapshots';

/** Concurrent snapshots, in total and for one client. A long list keeps one open until it is sent. */
const SNAPSHOTS = 20;
const SNAPSHOTS_OF_ONE_CLIENT = 4;
/** Milliseconds that a request waits for one of them, and requests that may wait. */
const WAIT_MS = 500;
const MAX_WAITING = 64;

/** Limits the number of open snapshots, in total and for one client. */
export class LimitedSnapshots {
  private readonly slots = new Slots(SNAPSHOTS, MAX_WAITING, WAIT_MS);
  private readonly slotsOfClients = new SlotsOfClients(
    () => new Slots(SNAPSHOTS_OF_ONE_CLIENT, MAX_WAITING, WAIT_MS),
  );

  constructor(private readonly openUnlimited: () => Promise<Snapshot>) {}

  /** Number of open snapshots. */
  get count(): number {
    return this.slots.used;
  }

  /** Opens a snapshot, which the caller closes. @throws Problem `overloaded` */
  async open(): Promise<Snapshot> {
    const release = await this.slots.acquire();
    return releaseOnClose(this.openUnlimited(), release);
  }

  /** Opens one of the snapshots of a client, which the caller closes. @throws Problem `overloaded` */
  async openFor(client: string): Promise<Snapshot> {
    const release = await this.slotsOfClients.acquire(client);
    return releaseOnClose(this.open(), release);
  }
}

/** Releases a slot when the snapshot is closed, or if it cannot be opened. */
async function releaseOnClose(opening: Promise<Snapshot>, release: () => void): Promise<Snapshot> {
  try {
    const snapshot = await opening;
    return { ...snapshot, close: () => snapshot.close().finally(release) };
  } catch (error) {
    release();
    throw error;
  }
}
