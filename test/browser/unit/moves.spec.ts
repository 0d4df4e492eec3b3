import type { Change } from '../../../web/src/state/changes/change';
import type { BoardStore } from '../../../web/src/state/board/board-store';
import type { BoardState, Card, ListId } from '../../../web/src/state/model';
import { storiesOf } from '../../../web/src/state/model';
import { dropIntoList, moveTo, setStatuses, shift } from '../../../web/src/views/plan/moves';
import { selected } from '../../../web/src/views/plan/selection';
import { boardWith, story } from './state';

// It uses the browser.
jest.mock('../../../web/src/state/focus');

/** A store that keeps the changes of each gesture. */
class Store {
  readonly gestures: (readonly Change[])[] = [];
  label: string | undefined;
  readonly view: { value: BoardState };

  constructor(stories: readonly Card[]) {
    const state = boardWith(stories);
    for (const sprint of state.sprints.values()) {
      Object.assign(sprint, { start_date: `2026-11-0${sprint.id}`, state: 'planned' });
    }
    this.view = { value: state };
  }

  change(changes: readonly Change[], { label }: { label?: string } = {}): void {
    this.gestures.push(changes);
    this.label = label;
  }

  readonly shown = (list: ListId): readonly Card[] => storiesOf(this.view.value, list);

  /** The store as the functions of the plan take it. */
  get board(): BoardStore {
    return this as unknown as BoardStore;
  }
}

beforeEach(() => (selected.value = new Set()));

const move = (ids: number[], position: unknown, list: ListId = null) => ({
  kind: 'story.move',
  ids,
  list,
  position,
});

describe('a story that is dropped in the plan', () => {
  const stories = [1, 2, 3, 4].map((id) => story(id));
  const drop = (id: number, index: number, shown: readonly Card[] = stories) => {
    const store = new Store(stories);
    dropIntoList(store.board, id, null, shown, index);
    return store.gestures;
  };

  test('is not moved if it is dropped before or after itself', () => {
    expect([drop(2, 1), drop(2, 2)]).toEqual([[], []]);
  });

  test('is moved before the next shown story', () => {
    expect(drop(1, 2)).toEqual([[move([1], { before: 3 })]]);
  });

  test('is moved after the last shown story, not behind the stories that a filter hides', () => {
    expect(drop(1, 2, stories.slice(0, 2))).toEqual([[move([1], { after: 2 })]]);
  });

  test('is moved with the other selected stories, which do not count as neighbours', () => {
    selected.value = new Set([1, 3]);
    expect(drop(3, 2)).toEqual([[move([1, 3], { before: 4 })]]);
  });
});

test('more than 1,000 stories are moved in several requests, in their order', () => {
  const stories = Array.from({ length: 1001 }, (_, i) => story(i + 1));
  const store = new Store(stories);
  moveTo(store.board, stories, 1, 'first');
  const ids = stories.map(({ id }) => id);
  expect(store.gestures).toEqual([
    [move(ids.slice(0, 1000), 'first', 1), move([1001], { after: 1000 }, 1)],
  ]);
  expect(store.label).toContain('Move 1,001 stories to ');
});

test('a story at the end of a list moves to the next open list, over completed sprints', () => {
  const store = new Store([story(1, { sprint_id: 1 }), story(2)]);
  Object.assign(store.view.value.sprints.get(2)!, { state: 'completed' });
  shift(store.board, 1, 1, store.shown);
  shift(store.board, 2, -1, store.shown);
  shift(store.board, 2, 1, store.shown);
  expect(store.gestures).toEqual([[move([1], 'first')], [move([2], 'last', 1)]]);
});

test('a status is set only for the stories that have another one', () => {
  const stories = [story(1), story(2, { status: 'done' })];
  const store = new Store(stories);
  setStatuses(store.board, stories, 'done');
  setStatuses(store.board, stories.slice(1), 'done');
  expect(store.gestures).toEqual([[{ kind: 'story.update', id: 1, set: { status: 'done' } }]]);
});
