import { signal } from '@preact/signals';

/** The card that has the focus or would get it by Tab. */
export const focused = signal<number | null>(null);

export const cardElement = (id: number): HTMLElement | null =>
  document.querySelector<HTMLElement>(`[data-story="${id}"]`);

/** Gives a card the focus, now or as soon as it is drawn. */
export function focusCard(id: number): void {
  focused.value = id;
  queueMicrotask(() => {
    requestAnimationFrame(() => {
      // The user may have gone to another card meanwhile.
      if (focused.value === id) cardElement(id)?.focus();
    });
  });
}
