import type { TimeSlice } from '../../src/time/time-slice';
import { timeSliceOfQueue } from '../../src/time/time-slice';

/** Keeps the process busy: only the clock goes on. */
function work(ms: number): void {
  jest.advanceTimersByTime(ms);
}

/** Milliseconds of work until the next pause is due. */
function untilDue(timeSlice: TimeSlice): number {
  const start = performance.now();
  while (!timeSlice.isOver) work(1);
  return performance.now() - start;
}

describe('a queue of changes', () => {
  beforeEach(() => jest.useFakeTimers({ doNotFake: ['setImmediate'] }));
  afterEach(() => jest.useRealTimers());

  it.each([
    ['a quarter of the time that other requests needed in its pause', 40, 10],
    ['a bounded time, however long the others needed', 200, 25],
  ])('continues for %s', async (_, others, own) => {
    const timeSlice = timeSliceOfQueue();
    untilDue(timeSlice);
    setImmediate(() => work(others));
    await timeSlice.pause();
    expect(untilDue(timeSlice)).toBe(own);
  });
});
