import { setImmediate } from 'node:timers/promises';

/** Milliseconds of work between two pauses. */
const WORK_MS = 3;
/** The same at most, after long pauses. */
const MAX_WORK_MS = 25;

/** Lets other requests run between the steps of long work, which would otherwise block the process. */
export class TimeSlice {
  private resumedAt = performance.now();
  private budgetMs: number;

  /**
   * @param workMs minimum milliseconds of work between two pauses
   * @param rest resolves when the work may go on
   * @param share the part of the time of a pause for which work may go on afterwards
   */
  constructor(
    private readonly workMs = WORK_MS,
    private readonly rest: () => Promise<unknown> = setImmediate,
    private readonly share = 0,
  ) {
    this.budgetMs = workMs;
  }

  /** Whether it is time for a pause. */
  get isOver(): boolean {
    return performance.now() - this.resumedAt >= this.budgetMs;
  }

  async pause(): Promise<void> {
    if (!this.isOver) return;
    const pausedAt = performance.now();
    await this.rest();
    this.resumedAt = performance.now();
    const share = this.share * (this.resumedAt - pausedAt);
    this.budgetMs = Math.max(this.workMs, Math.min(share, MAX_WORK_MS));
  }
}

/**
 * The time slices of a queue of changes, which get a quarter of the time that other requests need. With 3 ms in each
 * turn of the event loop, changes waited for up to 6.8 s beside 480 clients that read without a pause. Only work that
 * runs once at a time may use them: several would make each other's pauses longer, and so their own slices.
 */
export const timeSliceOfQueue = (): TimeSlice => new TimeSlice(WORK_MS, setImmediate, 0.25);

/** Yields items, and lets other requests run in between. */
export async function* withPauses<T>(items: Iterable<T>): AsyncGenerator<T> {
  const timeSlice = new TimeSlice();
  for (const item of items) {
    yield item;
    await timeSlice.pause();
  }
}
