import { Problem } from '../http/problem';

/** The weight of the latest time in the average time for which a slot is used. */
const LATEST = 0.1;

const OVERLOADED = new Problem('overloaded');

/**
 * A semaphore with a bounded queue. It rejects a request that has waited too long; if the queue is full or
 * too slow, it rejects the request at once. A request that gives up is removed from the queue. async-mutex
 * keeps it there until a slot is released, so clients that disconnected while they waited filled the memory.
 */
export class Slots {
  /** Number of slots that are acquired and not released. */
  used = 0;
  /** The waiting requests, first come, first served; each is a function that ends the wait with a slot. */
  private readonly queue = new Set<() => void>();
  /** Average milliseconds for which a slot is used. */
  private usedMs = 0;

  constructor(
    private readonly size: number,
    private readonly maxWaiting: number,
    private readonly waitMs: number,
  ) {}

  /**
   * Acquires a slot and returns the function that releases it, which may be called again.
   * @throws Problem `overloaded`; the reason of the signal, as soon as that is aborted
   */
  async acquire(signal?: AbortSignal): Promise<() => void> {
    signal?.throwIfAborted();
    if (this.used < this.size) this.used += 1;
    else await this.wait(signal);
    const start = performance.now();
    let isReleased = false;
    return () => {
      if (isReleased) return;
      isReleased = true;
      this.usedMs += LATEST * (performance.now() - start - this.usedMs);
      const [next] = this.queue;
      if (next) next();
      else this.used -= 1;
    };
  }

  /** Waits until another request hands its slot over. */
  private wait(signal?: AbortSignal): Promise<void> {
    const expectedMs = ((this.queue.size + 1) * this.usedMs) / this.size;
    if (this.queue.size >= this.maxWaiting || expectedMs >= this.waitMs) throw OVERLOADED;
    return new Promise((resolve, reject) => {
      const leaving = (settle: () => void) => (): void => {
        this.queue.delete(take);
        clearTimeout(timer);
        signal?.removeEventListener('abort', abort);
        settle();
      };
      const take = leaving(resolve);
      const abort = leaving(() => reject(signal?.reason as Error));
      const timer = setTimeout(
        leaving(() => reject(OVERLOADED)),
        this.waitMs,
      );
      signal?.addEventListener('abort', abort);
      this.queue.add(take);
    });
  }
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
