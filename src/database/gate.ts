import { Unavailable } from './engine';

interface Waiter {
  enter: () => void;
  timer: NodeJS.Timeout;
}

/**
 * Lets a limited number in at once; the others wait in line, first come first served, but neither
 * longer than to their deadline nor in a longer line than is worth it.
 */
export class Gate {
  private inside = 0;
  private readonly line = new Set<Waiter>();

  constructor(
    readonly limit: number,
    private readonly longestLine: number,
  ) {}

  get busy(): number {
    return this.inside;
  }

  get waiting(): number {
    return this.line.size;
  }

  /** @throws Unavailable when the line is full, or the deadline (epoch milliseconds) passes. */
  enter(deadline: number): Promise<void> | void {
    if (this.inside < this.limit) {
      this.inside += 1;
      return;
    }
    if (this.line.size >= this.longestLine) throw new Unavailable('too many wait');
    return new Promise((resolve, reject) => {
      const waiter: Waiter = {
        enter: resolve,
        timer: setTimeout(
          () => {
            this.line.delete(waiter);
            reject(new Unavailable('waited too long'));
          },
          Math.max(0, deadline - Date.now()),
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
