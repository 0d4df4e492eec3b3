import { signal } from '@preact/signals';
import { BoardStore } from './board-store';

/** The store of the board that is shown. */
export const store = signal<BoardStore | null>(null);

/** Makes the store of a board the present one; null closes it. */
export function showBoard(name: string | null): void {
  if (store.value?.name === name) return;
  store.value?.close();
  store.value = name === null ? null : new BoardStore(name);
  void store.value?.open();
}
