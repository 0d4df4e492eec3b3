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

  async pause(): Promise<void> {
    if (performance.now() - this.resumedAt < this.workMs) return;
    await this.rest();
    this.resumedAt = performance.now();
  }
}
