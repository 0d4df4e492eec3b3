import { useSignal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { useLayoutEffect } from 'preact/hooks';
import { Skeleton } from '../components/controls';

/** A component whose script is loaded when it is first shown. */
export function lazy<P extends object>(load: () => Promise<ComponentType<P>>): ComponentType<P> {
  let loaded: ComponentType<P> | undefined;
  let loading: Promise<ComponentType<P>> | undefined;
  return function Lazy(props: P) {
    const isFailed = useSignal(false);
    const isLoaded = useSignal(loaded !== undefined);
    // An effect would wait for the next frame.
    useLayoutEffect(() => {
      if (loaded) return;
      loading ??= load();
      loading.then(
        (component) => {
          loaded = component;
          isLoaded.value = true;
        },
        () => {
          loading = undefined;
          isFailed.value = true;
        },
      );
    }, []);
    if (isFailed.value) return <p role="alert">This part could not be loaded. Reload the page.</p>;
    const Component = isLoaded.value ? loaded : undefined;
    return Component ? <Component {...props} /> : <Skeleton lines={4} />;
  };
}
