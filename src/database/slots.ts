import { Semaphore, withTimeout } from 'async-mutex';
import { Problem } from '../http/problem';

/** The weight of the latest time in the average time for which a slot is taken. */
const LATEST = 0.1;

const OVERLOADED = new Problem('overloaded');

/**
 * A semaphore with a bounded queue. It rejects a request that has waited too long; if the queue is full or
 * too slow, it rejects the request at once.
 */
export class Slots {
  private readonly semaphore: Semaphore;
  private waiting = 0;
  /** Average milliseconds for which a slot is taken. */
  private takenMs = 0;

  constructor(
    private readonly size: number,
    private readonly maxWaiting: number,
    private readonly waitMs: number,
  ) {
    this.semaphore = withTimeout(new Semaphore(size), waitMs, OVERLOADED) as Semaphore;
  }

  get taken(): number {
    return this.size - this.semaphore.getValue();
  }

  /** Takes a slot and returns the function that frees it, which may be called again. @throws Problem `overloaded` */
  async take(): Promise<() => void> {
    const expectedMs = ((this.waiting + 1) * this.takenMs) / this.size;
    const mayWait = this.waiting < this.maxWaiting && expectedMs < this.waitMs;
    if (this.semaphore.isLocked() && !mayWait) throw OVERLOADED;
    this.waiting += 1;
    try {
      const [, free] = await this.semaphore.acquire();
      const start = performance.now();
      let isFree = false;
      return () => {
        if (isFree) return;
        isFree = true;
        this.takenMs += LATEST * (performance.now() - start - this.takenMs);
        free();
      };
    } finally {
      this.waiting -= 1;
    }
  }
}

/** Separate slots for each client. */
export class SlotsOfClients {
  private readonly slots = new Map<string, Slots>();

  constructor(private readonly create: () => Slots) {}

  /** Takes a slot of a client and returns the function that frees it. @throws Problem `overloaded` */
  async take(client: string): Promise<() => void> {
    const own = this.slots.get(client) ?? this.create();
    this.slots.set(client, own);
    try {
      const free = await own.take();
      return () => {
        free();
        this.forgetIdle(client);
      };
    } catch (error) {
      this.forgetIdle(client);
      throw error;
    }
  }

  private forgetIdle(client: string): void {
    if (this.slots.get(client)?.taken === 0) this.slots.delete(client);
  }
}
