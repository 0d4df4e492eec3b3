import { Line } from '../common/line';
import { Overloaded } from './engine';

interface Waiter {
  enter: () => void;
  timer?: NodeJS.Timeout;
}

/** Lets a limited number in at once; the others wait in line. */
export class Gate {
  private inside = 0;
  private readonly line: Line<Waiter>;

  constructor(
    readonly limit: number,
    patienceMs?: number,
  ) {
    this.line = new Line(patienceMs);
  }

  get busy(): number {
    return this.inside;
  }

  get waiting(): number {
    return this.line.length;
  }

  /**
   * Takes a place; whoever is let in must `leave`.
   * @throws Overloaded when the line is too slow, or the deadline (epoch milliseconds) passes in it
   */
  enter(deadline: number): Promise<void> | void {
    if (this.inside < this.limit) {
      this.inside += 1;
      return;
    }
    return new Promise((resolve, reject) => {
      const waiter: Waiter = { enter: resolve };
      if (!this.line.join(waiter)) {
        reject(new Overloaded('too many wait already'));
        return;
      }
      waiter.timer = setTimeout(
        () => {
          this.line.leave(waiter);
          reject(new Overloaded('waited too long'));
        },
        Math.max(0, Math.min(this.line.patienceMs, deadline - Date.now())),
      );
    });
  }

  leave(): void {
    const waiter = this.line.next();
    if (waiter) {
      clearTimeout(waiter.timer);
      waiter.enter();
    } else {
      this.inside -= 1;
    }
  }
}
