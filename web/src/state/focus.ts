import { signal } from '@preact/signals';

/** The card that has the focus or gets it by Tab (roving tabindex). */
export const focused = signal<number | null>(null);

export const cardElement = (id: number): HTMLElement | null =>
  document.getElementById(`story-${id}`);

/** Opens the menu of a card that moves it. */
export const openMoveMenu = (id: number): void =>
  cardElement(id)?.querySelector<HTMLElement>('.card-move')?.click();

/** Focuses a card and scrolls to it. By itself, Firefox would not scroll if a part of the card is in view. */
export function focusInView(card: HTMLElement | null): void {
  card?.focus();
  card?.scrollIntoView({ block: 'nearest' });
}

/** Focuses a card once it is drawn in its new place, or its neighbour if only Show more draws it there. */
export function focusCard(id: number): void {
  focused.value = id;
  const card = cardElement(id);
  const neighbour = card?.nextElementSibling ?? card?.previousElementSibling;
  // A focused element that is removed makes the browser lay out the page at once, and again for the frame.
  const { activeElement } = document;
  if (activeElement instanceof HTMLElement && card?.contains(activeElement)) activeElement.blur();
  queueMicrotask(() => {
    requestAnimationFrame(() => {
      // The user may have gone to another card meanwhile.
      if (focused.value !== id) return;
      const drawn = cardElement(id);
      if (drawn) focusInView(drawn);
      else recoverFocus(neighbour);
    });
  });
}

/**
 * Focuses the card of a new story once it is drawn, if the view shows it.
 * @param idOf returns the id of the story, which the service may have changed meanwhile
 */
export function focusNewCard(idOf: () => number): void {
  queueMicrotask(() => requestAnimationFrame(() => focusInView(cardElement(idOf()))));
}

/** The card that had the focus last, or else its neighbour, or else the first one that Tab reaches. */
const entryCard = (neighbour?: Element | null): HTMLElement | null =>
  cardElement(focused.value ?? 0) ??
  (neighbour?.isConnected
    ? (neighbour as HTMLElement)
    : document.querySelector('[data-story][tabindex="0"]'));

/**
 * If the focused element was removed, focuses the topmost dialog, or else a card, or else the view.
 * @param neighbour the card to focus if the last focused one was removed, too
 */
export function recoverFocus(neighbour?: Element | null): void {
  requestAnimationFrame(() => {
    if (document.activeElement !== document.body) return;
    const dialog = [...document.querySelectorAll('dialog[open]')].at(-1);
    const next = dialog
      ? dialog.querySelector<HTMLElement>('h2')
      : (entryCard(neighbour) ?? document.querySelector('main'));
    next?.focus({ preventScroll: true });
  });
}

/** Focuses the first invalid field of a form once its error is drawn. */
export function focusInvalid(form: HTMLFormElement): void {
  requestAnimationFrame(() => form.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus());
}
