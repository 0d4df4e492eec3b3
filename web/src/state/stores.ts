import { effect, signal, untracked } from '@preact/signals';
import { navigate, pathOf, query, route, url } from '../router';
import { isolated } from '../util/names';
import { announce } from './announce';
import { BoardStore } from './board/board-store';
import { closeDialog } from './dialogs';
import { session } from './session';

/** The store of the board that is shown. */
export const store = signal<BoardStore | null>(null);

/** Opens the store of the board in the URL, and closes the former one, whenever the URL changes. */
export function followRoute(): void {
  effect(() => {
    const { board, view } = route.value;
    const name = session.value && board ? board : null;
    untracked(() => {
      if ((store.value?.name ?? null) === name) return;
      // A dialog belongs to the board over which it was opened.
      closeDialog();
      store.value?.close();
      const actor = session.value?.actor ?? '';
      const sprint = view === 'board' ? query.value.get('sprint') || 'current' : undefined;
      store.value = name === null ? null : new BoardStore(name, actor, sprint, followRename);
      void store.value?.open().then(() => followOldName(name));
    });
  });
}

/** Maps old to new names of the boards that were renamed while this page was open. */
const renamed = new Map<string, string>();

/** Opens a renamed board under its new name if Back or Forward has led to its old name. */
function followOldName(name: string | null): void {
  const { board, view, story } = route.value;
  const to = renamed.get(name ?? '');
  const isGone = store.value?.reader.failure.value?.status === 404;
  if (to === undefined || board !== name || store.value?.name !== name || !isGone) return;
  navigate(pathOf(to, view, story) + url.value.search, { replace: true });
}

/** Changes the URL after a board was renamed. */
function followRename(from: string, to: string): void {
  // Otherwise a board that was renamed back, and then deleted, would cause an endless loop.
  renamed.delete(to);
  renamed.set(from, to);
  const { board, view, story } = route.value;
  if (board !== from) return;
  announce(`The board is now called ${isolated(to)}`);
  navigate(pathOf(to, view, story) + url.value.search, { replace: true });
}
