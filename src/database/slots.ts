import { Semaphore, withTimeout } from 'async-mutex';
import { Problem } from '../http/problem';

/**
 * A number of slots and a bounded queue for them: what would wait too long is rejected, at once where
 * the queue is full.
 */
export class Slots {
  private readonly semaphore: Semaphore;
  private waiting = 0;

  constructor(
    private readonly size: number,
    private readonly maxWaiting: number,
    waitMs: number,
  ) {
    this.semaphore = withTimeout(
      new Semaphore(size),
      waitMs,
      new Problem('overloaded'),
    ) as Semaphore;
  }

  get taken(): number {
    return this.size - this.semaphore.getValue();
  }

  /** Returns the function that frees the slot. @throws Problem `overloaded` */
  async take(): Promise<() => void> {
    if (this.semaphore.isLocked() && this.waiting >= this.maxWaiting) {
      throw new Problem('overloaded');
    }
    this.waiting += 1;
    try {
      const [, free] = await this.semaphore.acquire();
      return free;
    } finally {
      this.waiting -= 1;
    }
  }
}
