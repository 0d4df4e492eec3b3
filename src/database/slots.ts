import { Semaphore, withTimeout } from 'async-mutex';
import { once } from 'node:events';
import { Problem } from '../http/problem';

/** The weight of the latest time in the average time for which a slot is used. */
const LATEST = 0.1;

const OVERLOADED = new Problem('overloaded');

/**
 * A semaphore with a bounded queue. It rejects a request that has waited too long; if the queue is full or
 * too slow, it rejects the request at once.
 */
export class Slots {
  private readonly semaphore: Semaphore;
  private waiting = 0;
  /** Average milliseconds for which a slot is used. */
  private usedMs = 0;

  constructor(
    private readonly size: number,
    private readonly maxWaiting: number,
    private readonly waitMs: number,
  ) {
    this.semaphore = withTimeout(new Semaphore(size), waitMs, OVERLOADED) as Semaphore;
  }

  /** Number of slots that are acquired and not released. */
  get used(): number {
    return this.size - this.semaphore.getValue();
  }

  /**
   * Acquires a slot and returns the function that releases it, which may be called again.
   * @throws Problem `overloaded`; the reason of the signal, as soon as that is aborted
   */
  async acquire(signal?: AbortSignal): Promise<() => void> {
    signal?.throwIfAborted();
    const expectedMs = ((this.waiting + 1) * this.usedMs) / this.size;
    const mayWait = this.waiting < this.maxWaiting && expectedMs < this.waitMs;
    if (this.semaphore.isLocked() && !mayWait) throw OVERLOADED;
    this.waiting += 1;
    const acquiring = this.semaphore.acquire();
    try {
      const [, release] = await (signal ? Promise.race([acquiring, abortion(signal)]) : acquiring);
      const start = performance.now();
      let isReleased = false;
      return () => {
        if (isReleased) return;
        isReleased = true;
        this.usedMs += LATEST * (performance.now() - start - this.usedMs);
        release();
      };
    } catch (error) {
      // A semaphore cannot remove a request from its queue.
      acquiring.then(([, release]) => release()).catch(() => undefined);
      throw error;
    } finally {
      this.waiting -= 1;
    }
  }
}

/** Rejects with the reason of a signal when that is aborted. */
async function abortion(signal: AbortSignal): Promise<never> {
  await once(signal, 'abort');
  throw signal.reason;
}

/** Separate slots for each client. */
export class SlotsOfClients {
  private readonly slots = new Map<string, Slots>();

  constructor(private readonly create: () => Slots) {}

  /** Acquires a slot of a client and returns the function that releases it. @throws as `Slots.acquire` does */
  async acquire(client: string, signal?: AbortSignal): Promise<() => void> {
    const own = this.slots.get(client) ?? this.create();
    this.slots.set(client, own);
    try {
      const release = await own.acquire(signal);
      return () => {
        release();
        this.forgetIdle(client);
      };
    } catch (error) {
      this.forgetIdle(client);
      throw error;
    }
  }

  private forgetIdle(client: string): void {
    if (this.slots.get(client)?.used === 0) this.slots.delete(client);
  }
}
