import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { isStale, isUnauthorized } from '../api/problem';
import { closeReports } from '../state/announce';
import { signedIn } from '../state/session';
import { randomKey } from './random';

/**
 * Runs one request at a time, and keeps its error until the next one, so that a corrected field is not focused.
 * @param onStale called before the error of a 412 is shown
 */
export function useSubmit<E>(errorOf: (failure: unknown) => E, onStale?: () => Promise<unknown>) {
  const isBusy = useSignal(false);
  const error = useSignal<E | undefined>(undefined);
  const submit = (run: () => Promise<void>): void => {
    if (isBusy.value) return;
    isBusy.value = true;
    error.value = undefined;
    // Otherwise the message about the former request would seem to be about this one.
    closeReports();
    run()
      .catch(async (failure: unknown) => {
        if (isStale(failure)) await onStale?.().catch(() => undefined);
        const shown = errorOf(failure);
        error.value = shown;
        if (!isUnauthorized(failure)) return;
        // The error asks the user to sign in.
        void signedIn().then(() => {
          if (error.value === shown) error.value = undefined;
        });
      })
      .finally(() => (isBusy.value = false));
  };
  return { isBusy, error, submit };
}

/** Returns a function that tells whether the component is still shown. */
export function useIsShown(): () => boolean {
  const isShown = useRef(true);
  useEffect(
    () => () => {
      isShown.current = false;
    },
    [],
  );
  return () => isShown.current;
}

/**
 * Returns one idempotency key for each body, so that an attempt whose response was lost can be repeated.
 * @param kept the keys of a form that can be opened again, if it needs them then
 */
export function useKeys(kept?: Map<string, string>): (body: unknown) => string {
  const own = useRef(new Map<string, string>());
  const keys = kept ?? own.current;
  return (body) => {
    const text = JSON.stringify(body);
    const key = keys.get(text) ?? randomKey();
    keys.set(text, key);
    return key;
  };
}
