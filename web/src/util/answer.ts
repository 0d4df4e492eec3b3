import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { ApiError } from '../api/problem';
import type { BoardStore } from '../state/board-store';

/** What a request has answered last. */
export interface Answer<T> {
  data: T | null;
  /** Why the service rejected the request. While it cannot be reached, the former answer stays. */
  error: ApiError | null;
}

/**
 * The answer of a request, which is made again when an input changes. The former answer stays until the
 * next one arrives, so that nothing flashes.
 */
export function useAnswer<T>(load: () => Promise<T>, inputs: readonly unknown[]): Answer<T> {
  const answer = useSignal<Answer<T>>({ data: null, error: null });
  useEffect(() => {
    let isLatest = true;
    load().then(
      (data) => {
        if (isLatest) answer.value = { data, error: null };
      },
      (error: unknown) => {
        if (isLatest && error instanceof ApiError && error.status !== 401) {
          answer.value = { data: answer.value.data, error };
        }
      },
    );
    return () => {
      isLatest = false;
    };
  }, inputs);
  return answer.value;
}

/** A value once it has not changed for a time; the first one at once. */
export function useSettled<T>(value: T, ms: number): T {
  const settled = useSignal(value);
  useEffect(() => {
    if (settled.value === value) return;
    const timer = setTimeout(() => (settled.value = value), ms);
    return () => clearTimeout(timer);
  }, [value]);
  return settled.value;
}

/** A burst of changes requests a report once. */
const BURST_MS = 1500;

/** The revision of the board after a burst of changes: an input of what is computed from its log. */
export const useSettledRevision = (store: BoardStore): number =>
  useSettled(store.revision.value, BURST_MS);
