import { storiesOfChange } from './changes/rows';
import { cardElement } from './focus';
import type { Card } from './model';
import { store } from './stores';

export const REMOVED = 'Someone else has moved or deleted the story that had the focus';

/** Milliseconds without a key after which the user has noticed that another card has the focus. */
const NOTICED_MS = 1000;

let removedAt = -NOTICED_MS;

/**
 * Notes that another card gets the focus if this one was removed, unless the user has removed it.
 * @param before the story of the card before; if it is the same now, a filter of the user hides it
 */
export function noteRemoval(id: number, before?: Card): void {
  // Nobody else can remove a story that is not saved yet.
  if (id < 0 || cardElement(id)) return;
  if (before && store.value?.view.value?.stories.get(id) === before) return;
  const pending = store.value?.queue.pending.value ?? [];
  const isOwn = pending.some(({ change }) => storiesOfChange(change).includes(id));
  if (!isOwn) removedAt = performance.now();
}

/** Whether a key may be meant for a card that someone else has just removed. */
export function isForRemoved(): boolean {
  const now = performance.now();
  if (now > removedAt + NOTICED_MS) return false;
  removedAt = now;
  return true;
}
