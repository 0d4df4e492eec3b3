const maps: ReadonlyMap<unknown, unknown>[] = [];

/** Whether there is text that was typed and not saved. */
export const hasUnsavedText = (): boolean => maps.some(({ size }) => size > 0);

/** The requests that leaving the page would interrupt. */
const requests = new Set<Promise<unknown>>();

/** The keys of unsaved changes that could not be stored, so that only this page has them. */
export const unstored = new Set<string>();

/** Whether something would be lost with this page. */
const isNeeded = (): boolean => hasUnsavedText() || requests.size > 0 || unstored.size > 0;

const ask = (event: Event): void => {
  if (isNeeded()) event.preventDefault();
};
addEventListener('beforeunload', ask);

// Safari keeps a page that the user leaves, and Back shows it as it was. But it has lost its lock, so another page may
// have sent its changes, which it would send again.
addEventListener('pageshow', ({ persisted }) => {
  if (persisted && !isNeeded()) location.reload();
});

/** A map of text that was typed and not saved. While it has entries, the browser asks before it closes the page. */
export function unsavedTexts<Key, Text>(): Map<Key, Text> {
  const map = new Map<Key, Text>();
  maps.push(map);
  return map;
}

/** Waits for a request; until then, the browser asks before it closes the page. */
export async function untilAnswered<T>(request: Promise<T>): Promise<T> {
  requests.add(request);
  try {
    return await request;
  } finally {
    requests.delete(request);
  }
}

/** Leaves the page without that question, because the user of the session has changed. */
export function leavePage(go: () => void): void {
  removeEventListener('beforeunload', ask);
  go();
}
