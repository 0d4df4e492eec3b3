import { setImmediate } from 'node:timers/promises';

/** How long a file is worked on before other requests run. */
const WORK_MS = 10;

/** Lets other requests run between the steps of a long computation. */
export class Pace {
  private resumedAt = performance.now();

  async pause(): Promise<void> {
    if (performance.now() - this.resumedAt < WORK_MS) return;
    await setImmediate();
    this.resumedAt = performance.now();
  }
}
