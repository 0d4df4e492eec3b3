import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { api, told } from '../../api/client';
import { ApiError } from '../../api/problem';
import type { Sprint } from '../../api/types';
import type { BoardStore } from '../../state/board-store';
import { randomKey } from '../../util/random';

/** What the errors of sprints mean to someone at a board. */
const WORDS: Record<string, string> = {
  no_next_sprint_to_carry_to: 'There is no next sprint. Choose another place, or make one.',
  precondition_failed: 'Someone else has changed the sprint. Look at it again, then repeat this.',
  seq_exhausted: 'That list is full. Choose another place.',
  sprint_completed: 'The sprint is already completed, or the one that you chose is.',
  sprint_full: 'That sprint would hold more stories than it may. Choose another place.',
  sprint_not_begun: 'The sprint has not begun.',
  sprint_not_completed: 'The sprint is open again already.',
  sprint_not_found: 'This sprint was deleted.',
  sprint_not_started: 'The sprint has not begun, so it cannot be completed.',
};

export const wordsOf = (error: unknown): string =>
  error instanceof ApiError
    ? (WORDS[error.code] ?? error.message)
    : 'The service cannot be reached. Try again.';

/** A sprint as the service has it, with the tag under which it may be changed. */
export function useSprint(id: number) {
  const sprint = useSignal<Sprint | null>(null);
  const etag = useSignal('');
  const error = useSignal('');
  const read = async (): Promise<Sprint> => {
    const { data, response } = await api.GET('/api/sprints/{sprint_id}', {
      params: { path: { sprint_id: id } },
    });
    etag.value = told(response).etag;
    return (sprint.value = data as Sprint);
  };
  useEffect(() => {
    read().catch((failure: unknown) => (error.value = wordsOf(failure)));
  }, [id]);
  return { sprint, etag, error, read };
}

/** Runs one request at a time. A 412 calls `onStale`, any other failure `onError`. */
export function useSubmit(onError: (error: unknown) => void, onStale?: () => Promise<unknown>) {
  const isBusy = useSignal(false);
  const submit = (run: () => Promise<void>): void => {
    if (isBusy.value) return;
    isBusy.value = true;
    run()
      .catch(async (error: unknown) => {
        const isStale = error instanceof ApiError && error.status === 412;
        if (isStale) await onStale?.().catch(() => undefined);
        onError(error);
      })
      .finally(() => (isBusy.value = false));
  };
  return { isBusy, submit };
}

/** An idempotency key for each body, so that an attempt whose response was lost can be repeated. */
export function useKeys(): (body: unknown) => string {
  const keys = useRef(new Map<string, string>());
  return (body) => {
    const text = JSON.stringify(body);
    const key = keys.current.get(text) ?? randomKey();
    keys.current.set(text, key);
    return key;
  };
}

/** Waits until the changes of the user are saved; rejects where the service cannot be reached. */
export async function saved({ queue }: BoardStore): Promise<void> {
  if (queue.state.value === 'offline') throw new TypeError('offline');
  if (queue.state.value === 'saved') return;
  await new Promise<void>((resolve, reject) => {
    const stop = queue.state.subscribe((state) => {
      if (state === 'saving') return;
      queueMicrotask(() => stop());
      if (state === 'saved') resolve();
      else reject(new TypeError('offline'));
    });
  });
}
