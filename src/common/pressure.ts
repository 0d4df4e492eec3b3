import { performance } from 'node:perf_hooks';

/** Milliseconds of one turn of the event loop that are spent on what it brings, under pressure. */
const TURN_MS = 50;

/** Milliseconds without a rest or a short turn, after which there is pressure. */
const PATIENCE_MS = 1000;

/**
 * Says when more comes than can be served. What waits to be served waits in the system's buffers, and
 * each turn of the event loop works off what had come by its beginning; so the length of a turn is how
 * long a request waits. As long as the loop has had a rest or a short turn within the last second, a
 * long one is no more than a heavy request, and nothing is refused. After that each turn takes up
 * what it can in `TURN_MS`, and the rest of what it brings is to be refused.
 */
export class Pressure {
  /** When the present turn met its first request; 0 when it has met none. */
  private turn = 0;
  /** When the loop last had a rest, or a short turn. */
  private calm = 0;
  private idle = 0;

  /** Asked once for each request: whether there is time for it. */
  admits(): boolean {
    const now = performance.now();
    if (this.turn === 0) {
      this.turn = now;
      setImmediate(this.end);
      const { idle } = performance.eventLoopUtilization();
      if (idle - this.idle > 1) this.calm = now;
      this.idle = idle;
      return true;
    }
    return now - this.turn < TURN_MS || now - this.calm < PATIENCE_MS;
  }

  private readonly end = (): void => {
    const now = performance.now();
    if (now - this.turn < TURN_MS) this.calm = now;
    this.turn = 0;
  };
}
