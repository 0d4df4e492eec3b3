import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { ApiError, isTemporary, isUnauthorized } from '../api/problem';
import type { BoardStore } from '../state/board/board-store';
import { RepeatedRequests } from './repeated-requests';

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
    const requests = new RepeatedRequests();
    const show = (next: Answer<T>): void => {
      answered.current = subject;
      answer.value = next;
    };
    const fail = (failure: unknown): void => {
      // Until the user has signed in again, the former answer stays.
      if (isUnauthorized(failure)) return;
      const data = answered.current === subject ? answer.value.data : null;
      const error = failure instanceof ApiError ? failure : null;
      show({ data, error, isUnreachable: isTemporary(failure) });
    };
    void requests
      .untilAnswered(load, fail)
      .then((data) => show({ data, error: null, isUnreachable: false }), fail);
    return () => requests.stop();
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
