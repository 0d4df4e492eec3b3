import { setImmediate } from 'node:timers/promises';

/** The part of the time of a pause for which work continues after it, and its maximum in milliseconds. */
const SHARE = 0.25;
const MAX_WORK_MS = 25;

/**
 * Lets other requests run between the steps of long work, which would otherwise block the process. If they need long,
 * the work continues for longer, too: with 3 ms after each turn of the event loop, changes on SQLite waited for up to
 * 6.8 s beside 480 clients that read without a pause.
 */
export class Pace {
  private resumedAt = performance.now();
  private budgetMs: number;

  /**
   * @param workMs minimum milliseconds of work between two pauses
   * @param rest resolves when the work may go on
   */
  constructor(
    private readonly workMs = 3,
    private readonly rest: () => Promise<unknown> = setImmediate,
  ) {
    this.budgetMs = workMs;
  }

  /** Whether it is time for a pause. */
  get isDue(): boolean {
    return performance.now() - this.resumedAt >= this.budgetMs;
  }

  async pause(): Promise<void> {
    if (!this.isDue) return;
    const pausedAt = performance.now();
    await this.rest();
    this.resumedAt = performance.now();
    const share = SHARE * (this.resumedAt - pausedAt);
    this.budgetMs = Math.max(this.workMs, Math.min(share, MAX_WORK_MS));
  }
}
