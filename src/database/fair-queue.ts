import { Semaphore, withTimeout } from 'async-mutex';
import { Problem } from '../http/problem';

/**
 * A semaphore that serves clients round-robin (start-time fair queueing): a change waits for one change of each
 * other client, even if one of them has sent 300 at once. The changes of one client keep their order.
 */
export class FairQueue {
  private readonly semaphore: Semaphore;
  /** The round of the change that began last; each client has one change in a round. */
  private round = 0;
  /** By client, the last round in which it has a change that is not finished. */
  private readonly lastRounds = new Map<string, number>();

  /** @param waitMs milliseconds after which work that has not begun is rejected */
  constructor(size: number, waitMs: number) {
    const overloaded = new Problem('overloaded');
    this.semaphore = withTimeout(new Semaphore(size), waitMs, overloaded) as Semaphore;
  }

  /** Runs work of a client when it is its turn. @throws Problem `overloaded` */
  async run<T>(client: string, work: () => Promise<T>): Promise<T> {
    const round = 1 + Math.max(this.round, this.lastRounds.get(client) ?? 0);
    this.lastRounds.set(client, round);
    const begin = (): Promise<T> => {
      this.round = Math.max(this.round, round);
      return work();
    };
    try {
      return await this.semaphore.runExclusive(begin, 1, -round);
    } finally {
      if (this.lastRounds.get(client) === round) this.lastRounds.delete(client);
    }
  }
}
