import type { Pace } from '../../src/time/pace';
import { paceOfQueue } from '../../src/time/pace';

/** Keeps the process busy. */
function work(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}

/** Milliseconds of work until the next pause is due. */
function untilDue(pace: Pace): number {
  const start = performance.now();
  while (!pace.isDue);
  return performance.now() - start;
}

describe('a queue of changes', () => {
  it('continues for a quarter of the time that other requests needed in its pause', async () => {
    const pace = paceOfQueue();
    untilDue(pace);
    setImmediate(() => work(40));
    await pace.pause();
    expect(untilDue(pace)).toBeGreaterThan(9);
  });

  it('pauses after a bounded time, however long the others needed', async () => {
    const pace = paceOfQueue();
    untilDue(pace);
    setImmediate(() => work(200));
    await pace.pause();
    work(25);
    expect(pace.isDue).toBe(true);
  });
});
