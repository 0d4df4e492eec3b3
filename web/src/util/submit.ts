import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { ApiError } from '../api/problem';
import { randomKey } from './random';

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

/** Returns one idempotency key for each body, so that an attempt whose response was lost can be repeated. */
export function useKeys(): (body: unknown) => string {
  const keys = useRef(new Map<string, string>());
  return (body) => {
    const text = JSON.stringify(body);
    const key = keys.current.get(text) ?? randomKey();
    keys.current.set(text, key);
    return key;
  };
}
