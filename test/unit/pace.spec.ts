import type { Pace } from '../../src/time/pace';
import { paceOfQueue } from '../../src/time/pace';

/** Keeps the process busy: only the clock goes on. */
function work(ms: number): void {
  jest.advanceTimersByTime(ms);
}

/** Milliseconds of work until the next pause is due. */
function untilDue(pace: Pace): number {
  const start = performance.now();
  while (!pace.isDue) work(1);
  return performance.now() - start;
}

describe('a queue of changes', () => {
  beforeEach(() => jest.useFakeTimers({ doNotFake: ['setImmediate'] }));
  afterEach(() => jest.useRealTimers());

  it('continues for a quarter of the time that other requests needed in its pause', async () => {
    const pace = paceOfQueue();
    untilDue(pace);
    setImmediate(() => work(40));
    await pace.pause();
    expect(untilDue(pace)).toBe(10);
  });

  it('pauses after a bounded time, however long the others needed', async () => {
    const pace = paceOfQueue();
    untilDue(pace);
    setImmediate(() => work(200));
    await pace.pause();
    expect(untilDue(pace)).toBe(25);
  });
});
