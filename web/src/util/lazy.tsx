import { useSignal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { useLayoutEffect } from 'preact/hooks';
import { Skeleton } from '../components/controls';
import { Dialog } from '../components/dialog';
import { backoff, Pause } from './retry';

type PropsOf<Component> =
  Component extends ComponentType<infer Props extends object> ? Props : never;

/** Matches the URL of the script in the error of a failed import; Chromium and Firefox include it. */
const SCRIPT_URL = /https?:\/\/[^\s?]+/;

/**
 * Returns a function that imports a module, and may be called again after a failure. Some versions of browsers never
 * request a URL again whose import has failed, so the URL then gets a query.
 */
function repeatable<Module>(load: () => Promise<Module>): () => Promise<Module> {
  let attempts = 0;
  let url: string | undefined;
  return async () => {
    attempts += 1;
    try {
      if (url === undefined) return await load();
      return (await import(`${url}?${attempts}`)) as Module;
    } catch (error) {
      url ??= SCRIPT_URL.exec(String(error))?.[0];
      throw error;
    }
  };
}

/**
 * A component whose script is loaded when it is first shown, and requested again until it is loaded.
 * @param load imports the module
 * @param name the name of the component in the module
 * @param close closes the component if it is a dialog
 */
export function lazy<Module, Name extends keyof Module>(
  load: () => Promise<Module>,
  name: Name,
  close?: () => void,
): ComponentType<PropsOf<Module[Name]>> {
  const next = repeatable(load);
  let loaded: ComponentType<PropsOf<Module[Name]>> | undefined;
  return function Lazy(props: PropsOf<Module[Name]>) {
    const isFailed = useSignal(false);
    const isLoaded = useSignal(loaded !== undefined);
    // An effect would wait for the next frame.
    useLayoutEffect(() => {
      let isShown = true;
      const pause = new Pause();
      const request = async (): Promise<void> => {
        for (let attempt = 0; isShown && !isLoaded.value; attempt++) {
          try {
            loaded = (await next())[name] as typeof loaded;
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
