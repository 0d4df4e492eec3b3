import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { ApiError, isTemporary, isUnauthorized } from '../api/problem';
import type { BoardStore } from '../state/board/board-store';
import { signedIn } from '../state/session';
import { backoff, delayAfter, Pause } from './retry';

/** The last answer to a request. */
export interface Answer<T> {
  data: T | null;
  /** Why the service rejected the request. */
  error: ApiError | null;
  /** Whether the service cannot be reached. The former answer stays, and the request is repeated. */
  isUnreachable: boolean;
}

/** The text in place of data that could not be loaded because the connection is lost. */
export const UNREACHABLE = 'The service cannot be reached. Trying again…';

/**
 * Makes a request, again when an input changes, and returns its last answer. The former answer stays until the
 * next one arrives, so that nothing flashes.
 * @param subject what the request is about; if it fails, an answer about another subject is removed
 */
export function useAnswer<T>(
  load: () => Promise<T>,
  inputs: readonly unknown[],
  subject?: unknown,
): Answer<T> {
  const answered = useRef(subject);
  const answer = useSignal<Answer<T>>({ data: null, error: null, isUnreachable: false });
  useEffect(() => {
    let isLatest = true;
    const pause = new Pause();
    const ask = async (): Promise<void> => {
      for (let attempt = 0; isLatest; attempt++) {
        const next = await load().then(
          (data) => ({ data, error: null, isUnreachable: false }),
          (error: unknown) => ({
            data: answered.current === subject ? answer.value.data : null,
            error,
            isUnreachable: isTemporary(error),
          }),
        );
        if (!isLatest) return;
        const { data, error, isUnreachable } = next;
        answered.current = subject;
        if (isUnauthorized(error)) {
          await signedIn();
          await pause.wait(backoff(attempt));
          continue;
        }
        answer.value = { data, error: error instanceof ApiError ? error : null, isUnreachable };
        if (!isUnreachable) return;
        await pause.wait(delayAfter(error, attempt));
      }
    };
    void ask();
    window.addEventListener('online', pause.end);
    return () => {
      isLatest = false;
      pause.end();
      window.removeEventListener('online', pause.end);
    };
  }, inputs);
  return answer.value;
}

/** Returns a value once it has not changed for a time; the first value at once. */
export function useSettled<T>(value: T, ms: number): T {
  const settled = useSignal(value);
  useEffect(() => {
    if (settled.value === value) return;
    const timer = setTimeout(() => (settled.value = value), ms);
    return () => clearTimeout(timer);
  }, [value]);
  return settled.value;
}

/** Milliseconds without a change after which reports are requested again, and searches, too. */
export const BURST_MS = 1500;

/**
 * What the reports of a board depend on, as an input of their requests: its revision, once a burst of changes has
 * ended, and the day.
 */
export const useReportInput = ({ confirmed, today }: BoardStore): string =>
  useSettled(`${confirmed.revision.value}/${today.reports.value}`, BURST_MS);
