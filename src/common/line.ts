/** Milliseconds that are waited at most, where nothing else is said. */
const PATIENCE_MS = 1200;

/** A line in which it would take a greater share of that is not joined; the rest is for wrong guesses. */
const PROSPECT = 0.7;

/**
 * Those who may wait whatever the pace: no more than come at once from a team at work. A pace that was
 * measured on so few steps says little, and a crowd of this size is not worth turning away.
 */
const CROWD = 64;

/** Those who may wait: what bounds the memory that they hold. */
const LONGEST = 1000;

/** How much of the line's pace is that of its last step. */
const WEIGHT = 0.1;

/**
 * Those who wait, first come first served. Nobody waits long, for whoever has waited long still has
 * all of its work to come; so whoever would have to is told so at once. How long that is, the pace of
 * the line says, and how long its first has waited where it does not move at all.
 */
export class Line<T> {
  private readonly waiting = new Map<T, number>();
  /** Milliseconds from one to the next; 0 while it is not known. */
  private pace = 0;
  private moved = 0;

  constructor(readonly patienceMs = PATIENCE_MS) {}

  get length(): number {
    return this.waiting.size;
  }

  /** Puts one at the end; false where it is not worth it. */
  join(one: T): boolean {
    const now = performance.now();
    const { size } = this.waiting;
    const prospectMs = this.patienceMs * PROSPECT;
    if (size === 0) {
      this.pace = 0;
      this.moved = 0;
    } else if (
      size >= LONGEST ||
      (size >= CROWD &&
        (size * this.pace >= prospectMs ||
          now - (this.waiting.values().next().value ?? now) >= prospectMs))
    ) {
      return false;
    }
    this.waiting.set(one, now);
    return true;
  }

  /** Takes out the one whose turn it is. */
  next(): T | undefined {
    const [one, since] = this.waiting.entries().next().value ?? [undefined, 0];
    if (one === undefined) return undefined;
    this.waiting.delete(one);
    const now = performance.now();
    const step = now - (this.moved || since);
    this.pace = this.pace === 0 ? step : this.pace * (1 - WEIGHT) + step * WEIGHT;
    this.moved = now;
    return one;
  }

  /** Takes out the first, if it has waited too long. */
  late(): T | undefined {
    const [one, since] = this.waiting.entries().next().value ?? [undefined, 0];
    if (one === undefined || performance.now() - since < this.patienceMs) return undefined;
    this.waiting.delete(one);
    return one;
  }

  /** Takes out one that waits no more. */
  leave(one: T): void {
    this.waiting.delete(one);
  }
}
