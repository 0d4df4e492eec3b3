import type { Position, Status } from '../../api/types';
import type { MenuItem } from '../../components/menu';
import { report } from '../../state/announce';
import type { BoardStore } from '../../state/board/board-store';
import type { Change } from '../../state/changes/change';
import { kindOf } from '../../state/changes/kinds';
import { focusCard } from '../../state/focus';
import type { Card, ListId } from '../../state/model';
import { listName, openLists, STATUSES, statusName, storiesOf } from '../../state/model';
import { plural } from '../../util/format';
import { selected } from './selection';

/** The maximum number of stories that the service moves in one request. */
const MAX_TOGETHER = 1000;

/** The stories that a gesture on one story affects: all selected ones if it is selected, else that one. */
export function storiesFor(store: BoardStore, id: number): Card[] {
  const state = store.view.value;
  if (!state) return [];
  const ids = selected.value.has(id) ? selected.value : new Set([id]);
  const chosen = (story: Card): boolean => ids.has(story.id);
  if (ids.size === 1) return [...state.stories.values()].filter(chosen);
  return openLists(state).flatMap((list) => storiesOf(state, list).filter(chosen));
}

/** Moves stories to a place in a list, in their order. */
export function moveTo(
  store: BoardStore,
  stories: readonly Card[],
  list: ListId,
  position: Position,
): void {
  const state = store.view.value;
  if (!state) return;
  const ids = stories.map(({ id }) => id);
  const move: Change = { kind: 'story.move', ids, list, position };
  const parts: Change[] = [];
  let place = position;
  for (let i = 0; i < ids.length; i += MAX_TOGETHER) {
    const part = ids.slice(i, i + MAX_TOGETHER);
    parts.push({ ...move, ids: part, position: place });
    place = { after: part.at(-1) ?? 0 };
  }
  store.change(parts, { label: kindOf(move).label(move, state) });
}

/** Moves stories before the card at `index` of the shown cards of a list. */
export function dropIntoList(
  store: BoardStore,
  id: number,
  list: ListId,
  shown: readonly Card[],
  index: number,
): void {
  const stories = storiesFor(store, id);
  if (stories.length === 0) report('Someone else has deleted this story.');
  const ids = new Set(stories.map((each) => each.id));
  const next = shown.slice(index).find((each) => !ids.has(each.id));
  const previous = shown.slice(0, index).findLast((each) => !ids.has(each.id));
  const isInPlace = stories.length === 1 && [shown[index - 1]?.id, shown[index]?.id].includes(id);
  if (stories.length === 0 || isInPlace) return;
  moveTo(
    store,
    stories,
    list,
    next ? { before: next.id } : previous ? { after: previous.id } : 'last',
  );
  focusCard(id);
}

/** Moves stories up or down by one place, and at the end of a list into the next one. */
export function shift(
  store: BoardStore,
  id: number,
  by: -1 | 1,
  shown: (list: ListId) => readonly Card[],
): void {
  const stories = storiesFor(store, id);
  const edge = by < 0 ? stories[0] : stories.at(-1);
  if (!edge) return;
  const ids = new Set(stories.map((each) => each.id));
  const list = shown(edge.sprint_id);
  const at = list.findIndex((each) => each.id === edge.id);
  const rest = by < 0 ? list.slice(0, at).reverse() : list.slice(at + 1);
  const neighbour = rest.find((each) => !ids.has(each.id));
  if (neighbour) {
    const position = by < 0 ? { before: neighbour.id } : { after: neighbour.id };
    moveTo(store, stories, edge.sprint_id, position);
    focusCard(id);
  } else shiftToList(store, id, by, by < 0 ? 'last' : 'first');
}

/** Moves stories to the list before or after theirs. */
export function shiftToList(
  store: BoardStore,
  id: number,
  by: -1 | 1,
  position: 'first' | 'last',
): void {
  const state = store.view.value;
  const stories = storiesFor(store, id);
  const edge = by < 0 ? stories[0] : stories.at(-1);
  if (!state || !edge) return;
  const lists = openLists(state);
  const list = lists[lists.indexOf(edge.sprint_id) + by];
  if (list === undefined) return;
  moveTo(store, stories, list, position);
  focusCard(id);
}

export function setStatuses(store: BoardStore, stories: readonly Card[], status: Status): void {
  const others = stories.filter((story) => story.status !== status);
  if (others.length === 0) return;
  const label =
    others.length === 1
      ? undefined
      : `Move ${plural(others.length, 'story', 'stories')} to ${statusName(status)}`;
  store.change(
    others.map(({ id }): Change => ({ kind: 'story.update', id, set: { status } })),
    { label },
  );
}

/** The items of the menu Move: everything that a drag can do. */
export function moveItems(
  store: BoardStore,
  id: number,
  shown: (list: ListId) => readonly Card[],
): MenuItem[] {
  const state = store.view.value;
  const stories = storiesFor(store, id);
  const [first] = stories;
  const last = stories.at(-1);
  if (!state || !first || !last) return [];
  const source = first.sprint_id;
  const isTogether = stories.every(({ sprint_id }) => sprint_id === source);
  const ids = new Set(stories.map((story) => story.id));
  const isFirstOf = (list: readonly Card[]): boolean =>
    list.slice(0, stories.length).every(({ id }) => ids.has(id));
  const isLastOf = (list: readonly Card[]): boolean =>
    list.slice(-stories.length).every(({ id }) => ids.has(id));
  const list = shown(source);
  // A filter may hide the ends of the list, and the end of the backlog may not be loaded.
  const all = storiesOf(state, source);
  const isEndKnown = store.lists.loaded.value.has(source);
  const toEnd = (position: 'first' | 'last') => (): void => {
    moveTo(store, stories, source, position);
    focusCard(id);
  };
  const step = (by: -1 | 1) => (): void => shift(store, id, by, shown);
  const lists = openLists(state).filter((each) => !isTogether || each !== source);
  return [
    ...STATUSES.filter(({ status }) => stories.some((story) => story.status !== status)).map(
      ({ status, name }) => ({ name, run: () => setStatuses(store, stories, status) }),
    ),
    ...(isTogether
      ? [
          { name: 'Up', run: step(-1), isDisabled: isFirstOf(list), isFirst: true },
          { name: 'Down', run: step(1), isDisabled: isLastOf(list) },
          { name: 'First', run: toEnd('first'), isDisabled: isFirstOf(all) },
          { name: 'Last', run: toEnd('last'), isDisabled: isEndKnown && isLastOf(all) },
        ]
      : []),
    ...lists.map((target, i) => ({
      name: listName(state, target),
      isFirst: i === 0,
      run: () => moveTo(store, stories, target, 'last'),
    })),
  ];
}
