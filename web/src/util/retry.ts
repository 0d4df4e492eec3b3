import type { ReadonlySignal } from '@preact/signals';
import { effect } from '@preact/signals';
import { ApiError } from '../api/problem';

/** Milliseconds before the next attempt: 0.25 s, 0.5 s, … 4 s, with jitter so that clients do not return together. */
export const backoff = (attempt: number): number =>
  Math.min(4000, 250 * 2 ** attempt) * (0.5 + Math.random() / 2);

/** Maximum milliseconds for which an error delays the next attempt: a proxy may say a day, and be back in a minute. */
const MAX_DELAY_MS = 300_000;

/** Milliseconds before the next attempt after an error, which may say how long to wait. */
export const delayAfter = (error: unknown, attempt: number): number =>
  error instanceof ApiError && error.retryAfter
    ? Math.min(error.retryAfter * 1000, MAX_DELAY_MS)
    : backoff(attempt);

/** A wait that can be cut short. */
export class Pause {
  private readonly waiting = new Set<() => void>();

  /** Resolves after `ms`, or when `end` is called. */
  wait(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const end = (): void => {
        clearTimeout(timer);
        this.waiting.delete(end);
        resolve();
      };
      const timer = setTimeout(end, ms);
      this.waiting.add(end);
    });
  }

  readonly end = (): void => {
    for (const end of [...this.waiting]) end();
  };
}

/** Calls back when the browser has nothing else to do. */
export function whenIdle(run: () => void): void {
  // Safari has no idle callbacks.
  if ('requestIdleCallback' in window) requestIdleCallback(run);
  else setTimeout(run, 500);
}

/** Resolves when the next frame has been shown, that is, when the one after it begins; after 100 ms at the latest. */
export const afterFrame = (): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, 100);
    requestAnimationFrame(() => requestAnimationFrame(() => resolve()));
  });

/** Resolves when a signal is true. */
export const whenTrue = (flag: ReadonlySignal<boolean>): Promise<void> =>
  new Promise((resolve) => {
    effect(function () {
      if (!flag.value) return;
      this.dispose();
      resolve();
    });
  });
