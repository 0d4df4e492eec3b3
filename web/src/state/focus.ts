import { signal } from '@preact/signals';

/** The card that has the focus or would get it by Tab. */
export const focused = signal<number | null>(null);

export const cardElement = (id: number): HTMLElement | null =>
  document.getElementById(`story-${id}`);

/** Gives a card the focus in its new place, as soon as it is drawn there. */
export function focusCard(id: number): void {
  focused.value = id;
  // A focused element that is removed makes the browser lay out the page at once, and again for the frame.
  const { activeElement } = document;
  if (activeElement instanceof HTMLElement && cardElement(id)?.contains(activeElement)) {
    activeElement.blur();
  }
  queueMicrotask(() => {
    requestAnimationFrame(() => {
      // The user may have gone to another card meanwhile.
      if (focused.value === id) cardElement(id)?.focus();
    });
  });
}
