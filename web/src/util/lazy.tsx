import { useSignal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { useLayoutEffect } from 'preact/hooks';
import { Skeleton } from '../components/controls';

/** A component whose script is loaded when it is first shown, or before by `load`. */
export function lazy<P extends object>(read: () => Promise<ComponentType<P>>) {
  let loaded: ComponentType<P> | undefined;
  let loading: Promise<ComponentType<P>> | undefined;
  const load = (): Promise<ComponentType<P>> => (loading ??= read());
  function Lazy(props: P) {
    const isFailed = useSignal(false);
    const isLoaded = useSignal(loaded !== undefined);
    useLayoutEffect(() => {
      if (loaded) return;
      load().then(
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
  }
  return Object.assign(Lazy, { load: () => void load().catch(() => (loading = undefined)) });
}
