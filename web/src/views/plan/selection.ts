import { signal } from '@preact/signals';
import { announce } from '../../state/announce';
import { cardElement, recoverFocus } from '../../state/focus';
import { plural } from '../../util/format';

/** The ids of the selected stories. */
export const selected = signal<ReadonlySet<number>>(new Set());

/** The last picked story, at which a range begins. */
let anchor: number | null = null;

/** The drawn rows, from the first list to the last. */
export const drawnRows = (): HTMLElement[] => [
  ...document.querySelectorAll<HTMLElement>('main [data-story]'),
];

const idOf = (row: HTMLElement): number => Number(row.dataset.story);

function setSelected(ids: ReadonlySet<number>): void {
  selected.value = ids;
  announce(
    ids.size === 0 ? 'Nothing selected' : `${plural(ids.size, 'story', 'stories')} selected`,
  );
}

export function clearSelection(): void {
  if (selected.value.size === 0) return;
  setSelected(new Set());
  // The focus may be in the bar of the selection, which is removed.
  recoverFocus();
}

/** Deselects stories that can no longer be selected, for example because a filter hides them. */
export function keepSelected(isShown: (id: number) => boolean): void {
  const kept = [...selected.value].filter(isShown);
  if (kept.length === selected.value.size) return;
  selected.value = new Set(kept);
  // The focus may be in the bar of the selection, which is removed.
  if (kept.length === 0) recoverFocus();
}

/** Selects or deselects a story, or selects the range from the last picked story to it. */
export function pick(id: number, isRange: boolean): void {
  const next = new Set(selected.value);
  const rows = drawnRows().filter((row) => row.querySelector('.pick'));
  const from = rows.findIndex((row) => idOf(row) === anchor);
  const to = rows.findIndex((row) => idOf(row) === id);
  if (isRange && from >= 0 && to >= 0) {
    for (const row of rows.slice(Math.min(from, to), Math.max(from, to) + 1)) next.add(idOf(row));
  } else {
    if (!next.delete(id)) next.add(id);
    anchor = id;
  }
  setSelected(next);
  cardElement(id)?.focus();
}

export const selection = { ids: selected, pick };
