import { computed } from '@preact/signals';
import { lastWrite } from '../api/client';
import { pathOf, query, route } from '../router';
import { storiesOfChange } from './changes/rows';
import { cardElement } from './focus';
import type { Card } from './model';
import { store } from './stores';

export const REMOVED = 'Someone else has moved or deleted the story that had the focus';

/** Milliseconds without a key after which the user has noticed that another card has the focus. */
const NOTICED_MS = 1000;
/** Milliseconds in which a request of the user, such as the completion of a sprint, may remove cards. */
const WRITE_MS = 3000;

let removedAt = -Infinity;

/** What the page shows: the view, and the sprint that the URL names. */
const place = computed(() => {
  const { board, view } = route.value;
  return `${pathOf(board, view)}?${query.value.get('sprint') ?? ''}`;
});
let former = place.peek();
let wentAt = -Infinity;
place.subscribe((present) => {
  if (present !== former) wentAt = performance.now();
  former = present;
});

document.addEventListener('pointerdown', () => (removedAt = -Infinity));

/**
 * Notes that another card gets the focus if this one was removed, unless the user has removed it or gone elsewhere.
 * @param before the story of the card before; if it is the same now, a filter of the user hides it
 */
export function noteRemoval(id: number, before?: Card): void {
  // Other users cannot see a story that is not saved yet.
  if (id < 0 || cardElement(id)) return;
  const now = performance.now();
  if (now < wentAt + NOTICED_MS || now < lastWrite.at + WRITE_MS) return;
  if (before && store.value?.view.value?.stories.get(id) === before) return;
  const pending = store.value?.queue.pending.value ?? [];
  const isOwn = pending.some(({ change }) => storiesOfChange(change).includes(id));
  if (!isOwn) removedAt = now;
}

/** Whether a key may be meant for a card that someone else has just removed. */
export function isKeyForRemovedCard(): boolean {
  const now = performance.now();
  if (now > removedAt + NOTICED_MS) return false;
  removedAt = now;
  return true;
}
