type Kind = 'localStorage' | 'sessionStorage';

/** Returns null if the function throws, because the browser blocks the storage or the storage is full. */
function attempt<T>(run: () => T): T | null {
  try {
    return run();
  } catch {
    return null;
  }
}

/** Reads a text that this browser or this tab has stored; null without one. */
export const storedText = (kind: Kind, key: string): string | null =>
  attempt(() => globalThis[kind].getItem(key));

/** Stores a text if the browser can, or deletes it if it is null. */
export const storeText = (kind: Kind, key: string, text: string | null): void =>
  void attempt(() => {
    if (text === null) globalThis[kind].removeItem(key);
    else globalThis[kind].setItem(key, text);
  });
