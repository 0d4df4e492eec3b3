import { Overloaded, Unavailable } from './engine';

interface Waiter {
  since: number;
  enter: () => void;
  timer: NodeJS.Timeout;
}

/** A line whose first has waited so long, in milliseconds, is moving too slowly to be joined. */
const PATIENCE_MS = 1000;

/** Those who may wait: what bounds the memory that they hold, at some 20 KB each. */
const LONGEST_LINE = 1000;

/**
 * Lets a limited number in at once; the others wait in line, first come first served, but no longer
 * than to their deadline. How long the first has waited says how long a newcomer would: a line that
 * moves is joined however long it is, one that hardly does is refused at once.
 */
export class Gate {
  private inside = 0;
  private readonly line = new Set<Waiter>();

  constructor(readonly limit: number) {}

  get busy(): number {
    return this.inside;
  }

  get waiting(): number {
    return this.line.size;
  }

  /**
   * Takes a place; whoever is let in must `leave`.
   * @throws Overloaded when the line is not worth joining
   * @throws Unavailable when the deadline (epoch milliseconds) passes in it
   */
  enter(deadline: number): Promise<void> | void {
    if (this.inside < this.limit) {
      this.inside += 1;
      return;
    }
    const now = Date.now();
    for (const first of this.line) {
      if (now - first.since >= PATIENCE_MS || this.line.size >= LONGEST_LINE) {
        throw new Overloaded('too many wait for the database');
      }
      break;
    }
    return new Promise((resolve, reject) => {
      const waiter: Waiter = {
        since: now,
        enter: resolve,
        timer: setTimeout(
          () => {
            this.line.delete(waiter);
            reject(new Unavailable('waited too long for the database'));
          },
          Math.max(0, deadline - now),
        ),
      };
      this.line.add(waiter);
    });
  }

  leave(): void {
    for (const waiter of this.line) {
      this.line.delete(waiter);
      clearTimeout(waiter.timer);
      waiter.enter();
      return;
    }
    this.inside -= 1;
  }
}
