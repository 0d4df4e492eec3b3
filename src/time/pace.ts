import { setImmediate } from 'node:timers/promises';

/** Lets other requests run between the steps of long work, which would otherwise block the process. */
export class Pace {
  private resumedAt = performance.now();

  /** @param workMs minimum milliseconds of work between two pauses */
  constructor(private readonly workMs = 10) {}

  async pause(): Promise<void> {
    if (performance.now() - this.resumedAt < this.workMs) return;
    await setImmediate();
    this.resumedAt = performance.now();
  }
}
