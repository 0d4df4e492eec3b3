import { setImmediate } from 'node:timers/promises';

/** Lets other requests run between the steps of long work, which would otherwise block the process. */
export class Pace {
  private resumedAt = performance.now();

  /**
   * @param workMs minimum milliseconds of work between two pauses
   * @param rest resolves when the work may go on
   */
  constructor(
    private readonly workMs = 3,
    private readonly rest: () => Promise<unknown> = setImmediate,
  ) {}

  /** Whether it is time for a pause. */
  get isDue(): boolean {
    return performance.now() - this.resumedAt >= this.workMs;
  }

  async pause(): Promise<void> {
    if (!this.isDue) return;
    await this.rest();
    this.resumedAt = performance.now();
  }
}
