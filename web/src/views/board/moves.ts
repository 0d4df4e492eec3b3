import type { Status } from '../../api/types';
import type { MenuItem } from '../../components/menu';
import type { BoardStore } from '../../state/board/board-store';
import type { Change } from '../../state/changes/change';
import { focusCard } from '../../state/focus';
import type { Card } from '../../state/model';
import { bySeq, listName, openLists, STATUSES } from '../../state/model';

/**
 * Moves a story to a column of its sprint, before the card at `index` of the shown cards. The position is not
 * requested if the new status alone puts the story there.
 */
export function dropIntoColumn(
  store: BoardStore,
  story: Card,
  status: Status,
  shown: readonly Card[],
  index: number,
): void {
  const others = shown.filter(({ id }) => id !== story.id);
  const before = shown.slice(0, index).filter(({ id }) => id !== story.id).length;
  const natural = others.filter((other) => bySeq(other, story) < 0).length;
  const changes: Change[] = [];
  if (story.status !== status) {
    changes.push({ kind: 'story.update', id: story.id, set: { status } });
  }
  // Last, because it fails if the neighbour has left the sprint, and then the changes after it are not made.
  if (before !== natural) {
    const next = others[before];
    const last = others.at(-1);
    const position = next ? { before: next.id } : last ? { after: last.id } : 'last';
    changes.push({ kind: 'story.move', ids: [story.id], list: story.sprint_id, position });
  }
  if (changes.length === 0) return;
  store.change(changes);
  focusCard(story.id);
}

export function setStatus(store: BoardStore, story: Card, status: Status): void {
  if (story.status === status) return;
  store.change([{ kind: 'story.update', id: story.id, set: { status } }]);
  focusCard(story.id);
}

/** Moves a story up or down among the shown cards of its column. */
export function shiftCard(
  store: BoardStore,
  story: Card,
  shown: readonly Card[],
  to: -1 | 1 | 'first' | 'last',
): void {
  const at = shown.findIndex(({ id }) => id === story.id);
  const target = to === 'first' ? shown[0] : to === 'last' ? shown.at(-1) : shown[at + to];
  if (!target || target.id === story.id) return;
  const isUp = to === -1 || to === 'first';
  const position = isUp ? { before: target.id } : { after: target.id };
  store.change([{ kind: 'story.move', ids: [story.id], list: story.sprint_id, position }]);
  focusCard(story.id);
}

/** The items of the menu Move: everything that a drag can do. */
export function moveItems(store: BoardStore, story: Card, shown: readonly Card[]): MenuItem[] {
  const state = store.view.value;
  if (!state) return [];
  const at = shown.findIndex(({ id }) => id === story.id);
  const isFirst = at <= 0;
  const isLast = at === shown.length - 1;
  const item = (name: string, to: -1 | 1 | 'first' | 'last', isDisabled: boolean): MenuItem => ({
    name,
    isDisabled,
    run: () => shiftCard(store, story, shown, to),
  });
  const lists = openLists(state).filter((list) => list !== story.sprint_id);
  return [
    ...STATUSES.filter(({ status }) => status !== story.status).map(({ status, name }) => ({
      name,
      run: () => setStatus(store, story, status),
    })),
    { ...item('Up', -1, isFirst), isFirst: true },
    item('Down', 1, isLast),
    item('First', 'first', isFirst),
    item('Last', 'last', isLast),
    ...lists.map((list, i) => ({
      name: listName(state, list),
      isFirst: i === 0,
      run: () => store.change([{ kind: 'story.move', ids: [story.id], list, position: 'last' }]),
    })),
  ];
}
