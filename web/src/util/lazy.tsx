import { useSignal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { useLayoutEffect } from 'preact/hooks';
import { Skeleton } from '../components/controls';
import { Dialog } from '../components/dialog';
import { backoff, Pause } from './retry';

/**
 * A component whose script is loaded when it is first shown, and requested again until it is loaded.
 * @param close closes the component if it is a dialog
 */
export function lazy<P extends object>(
  load: () => Promise<ComponentType<P>>,
  close?: () => void,
): ComponentType<P> {
  let loaded: ComponentType<P> | undefined;
  return function Lazy(props: P) {
    const isFailed = useSignal(false);
    const isLoaded = useSignal(loaded !== undefined);
    // An effect would wait for the next frame.
    useLayoutEffect(() => {
      let isShown = true;
      const pause = new Pause();
      const request = async (): Promise<void> => {
        for (let attempt = 0; isShown && !isLoaded.value; attempt++) {
          try {
            loaded = await load();
            isLoaded.value = true;
          } catch {
            isFailed.value = true;
            await pause.wait(backoff(attempt));
          }
        }
      };
      void request();
      return () => {
        isShown = false;
        pause.end();
      };
    }, []);
    const Component = isLoaded.value ? loaded : undefined;
    if (Component) return <Component {...props} />;
    if (!isFailed.value) return <Skeleton lines={4} />;
    const failure = (
      <p role="alert">This part could not be loaded. Trying again… You can also reload the page.</p>
    );
    if (!close) return failure;
    return (
      <Dialog title="Not loaded" onClose={close}>
        {failure}
      </Dialog>
    );
  };
}
