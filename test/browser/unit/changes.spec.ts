import * as fc from 'fast-check';
import { schemasOf } from '../../../src/http/validation/property';
import { CreateStory } from '../../../src/stories/story.dto';
import type { Position } from '../../../web/src/api/types';
import type { Change } from '../../../web/src/state/changes/change';
import { FORM_FIELDS } from '../../../web/src/state/changes/change';
import { applyAll, kindOf } from '../../../web/src/state/changes/kinds';
import { afterConfirmed, pendingOf, withSameRow } from '../../../web/src/state/changes/pending';
import { withId, withOrigin, withVersions } from '../../../web/src/state/changes/rows';
import { createStoryAgain } from '../../../web/src/state/changes/story-kinds';
import type { BoardState, ListId } from '../../../web/src/state/model';
import { afterwards } from '../../support/faults';
import { boardWith, idsOf, story } from './state';

const apply = (state: BoardState, changes: readonly Change[]): BoardState =>
  changes.reduce((present, change) => kindOf(change).apply(present, change), state);

const LISTS: ListId[] = [null, 1, 2];
const contents = (state: BoardState) => LISTS.map((list) => idsOf(state, list));

const move = (ids: number[], list: ListId, position: Position): Change => ({
  kind: 'story.move',
  ids,
  list,
  position,
});

/** Stories 1 to n in random lists, and a move of some of them to a place in a list. */
const moves = fc
  .array(fc.constantFrom(...LISTS), { minLength: 2, maxLength: 12 })
  .chain((places) => {
    const state = boardWith(places.map((list, i) => story(i + 1, { sprint_id: list })));
    const all = places.map((_list, i) => i + 1);
    return fc
      .tuple(fc.shuffledSubarray(all, { minLength: 1 }), fc.constantFrom(...LISTS))
      .chain(([ids, list]) => {
        const others = idsOf(state, list).filter((id) => !ids.includes(id));
        return fc.record({
          state: fc.constant(state),
          ids: fc.constant(ids),
          list: fc.constant(list),
          position: fc.constantFrom<Position>(
            'first',
            'last',
            ...others.flatMap((id) => [{ before: id }, { after: id }]),
          ),
        });
      });
  });

test('the form of a story has every field that a client may set, except its position and its id elsewhere', () => {
  const fields = [...FORM_FIELDS, 'seq', 'external_id'];
  expect(fields.sort()).toEqual(Object.keys(schemasOf(CreateStory)).sort());
});

test('changes of several kinds have the same result together as one after another', () => {
  jest.useFakeTimers();
  afterwards(() => jest.useRealTimers());
  const id = fc.integer({ min: 1, max: 4 });
  const set = fc.record(
    {
      points: fc.nat(8),
      status: fc.constantFrom('todo', 'done'),
      sprint_id: fc.constantFrom(null, 1),
    },
    { requiredKeys: [] },
  );
  const change: fc.Arbitrary<Change> = fc.oneof(
    { weight: 4, arbitrary: fc.record({ kind: fc.constant('story.update'), id, set }) },
    fc.record({ kind: fc.constant('story.delete'), id }),
    fc.tuple(id, fc.constantFrom(...LISTS)).map(([each, list]) => move([each], list, 'first')),
  );
  const state = boardWith([1, 2, 3].map((each) => story(each)));
  const before = structuredClone(state);
  fc.assert(
    fc.property(fc.array(change), (changes) => {
      expect(applyAll(state, changes)).toEqual(apply(state, changes));
      expect(state).toEqual(before);
    }),
  );
});

test('a move puts the stories at its position, in its order, and moves no other', () => {
  fc.assert(
    fc.property(moves, ({ state, ids, list, position }) => {
      const after = apply(state, [move(ids, list, position)]);
      const others = idsOf(state, list).filter((id) => !ids.includes(id));
      let at = position === 'first' ? 0 : others.length;
      if (typeof position === 'object') {
        at =
          'before' in position
            ? others.indexOf(position.before)
            : others.indexOf(position.after) + 1;
      }
      expect(idsOf(after, list)).toEqual([...others.slice(0, at), ...ids, ...others.slice(at)]);
      for (const other of LISTS) {
        if (other === list) continue;
        expect(idsOf(after, other)).toEqual(idsOf(state, other).filter((id) => !ids.includes(id)));
      }
    }),
  );
});

test('the inverse of a move restores every list', () => {
  fc.assert(
    fc.property(moves, ({ state, ids, list, position }) => {
      const change = move(ids, list, position);
      const after = apply(state, [change]);
      const back = apply(after, kindOf(change).inverse(change, state, 0));
      expect(contents(back)).toEqual(contents(state));
    }),
  );
});

test('an undone move puts the story at the end of its list if its neighbour is no longer there', () => {
  const state = boardWith([story(1, { sprint_id: 1 }), story(2, { sprint_id: 1 }), story(3)]);
  const undone = (change: Change, isUndo = true) =>
    pendingOf([change], state, state, { label: '', revision: 1, isUndo })[0]?.change;
  expect(undone(move([3], 1, { after: 2 }))).toEqual(move([3], 1, { after: 2 }));
  expect(undone(move([2], null, { after: 1 }))).toEqual(move([2], null, 'last'));
  expect(undone(move([2], null, { after: 9 }))).toEqual(move([2], null, 'last'));
  expect(undone(move([2], null, 'first'))).toEqual(move([2], null, 'first'));
  // The user sees at once where another move puts the story, and learns that it was not possible.
  expect(undone(move([2], null, { after: 1 }), false)).toEqual(move([2], null, { after: 1 }));
});

test('the inverse of a move puts a story that is behind a gap in the loaded backlog behind that gap', () => {
  const stories = [1, 2, 8, 9].map((id) => story(id));
  const state: BoardState = { ...boardWith(stories), edge: { seq: 2, id: 2 } };
  const inverse = (...ids: number[]) => {
    const change = move(ids, 1, 'last');
    return kindOf(change).inverse(change, state, 0);
  };
  expect(inverse(2)).toEqual([move([2], null, { after: 1 })]);
  expect(inverse(8)).toEqual([move([8], null, { before: 9 })]);
  expect(inverse(9)).toEqual([move([9], null, { after: 8 })]);
  expect(inverse(8, 9)).toEqual([move([8, 9], null, 'last')]);
  expect(inverse(2, 8)).toEqual([move([2], null, { after: 1 }), move([8], null, { before: 9 })]);
});

test('a move has no inverse if the place of one of its stories is unknown', () => {
  const state = boardWith([story(1), story(2)]);
  const change = move([1, 3], 1, 'first');
  expect(kindOf(change).inverse(change, state, 0)).toEqual([]);
});

test('the inverse of an update restores the fields, null if they had no value', () => {
  const state = boardWith([story(1, { title: 'Ant', points: 3 })]);
  const change: Change = {
    kind: 'story.update',
    id: 1,
    set: { title: 'Bee', points: 5, description: 'Flies' },
  };
  expect(kindOf(change).inverse(change, state, 0)).toEqual([
    { kind: 'story.update', id: 1, set: { title: 'Ant', points: 3, description: null } },
  ]);
});

test('the inverse of a deletion creates the story again at its place, with its tasks', () => {
  const task = { id: 7, story_id: 2, title: 'Dig', seq: 1, status: 'done' as const };
  const state = {
    ...boardWith([story(1), story(2, { labels: ['a'] }), story(3)]),
    tasks: new Map([[2, [task as any]]]),
  };
  const change: Change = { kind: 'story.delete', id: 2 };
  const gone = apply(state, [change]);
  expect(idsOf(gone, null)).toEqual([1, 3]);
  const inverse = kindOf(change).inverse(change, state, 0);
  const back = apply(gone, inverse);
  const [first, restored, last] = idsOf(back, null);
  expect([first, last]).toEqual([1, 3]);
  expect(restored).toBeLessThan(0);
  expect(back.stories.get(restored ?? 0)).toMatchObject({ title: 'Story 2', labels: ['a'] });
  expect(back.tasks.get(restored ?? 0)).toMatchObject([{ title: 'Dig', status: 'done' }]);
});

test('replaces the temporary id everywhere in a later change', () => {
  const created = (change: Change) => withId(change, 'story', -1, 9);
  expect(created(move([-1, 2], 1, { after: -1 }))).toEqual(move([9, 2], 1, { after: 9 }));
  expect(created({ kind: 'task.create', id: -2, storyId: -1, title: 'Dig' })).toMatchObject({
    id: -2,
    storyId: 9,
  });
  const other = move([2], 1, 'last');
  expect(created(other)).toBe(other);
});

test('does not confuse a task with a story that has the same id', () => {
  const replaced = (change: Change) => withId(change, 'task', 7, 9);
  const other = move([7, 8], 1, { after: 7 });
  expect(replaced(other)).toBe(other);
  const edit: Change = { kind: 'task.update', id: 7, storyId: 7, set: { status: 'done' } };
  expect(replaced(edit)).toEqual({ ...edit, id: 9 });
  const state = boardWith([story(7, { version: 5 })]);
  const gesture = { label: '', seen: 3, revision: 1, isUndo: false };
  const [pending] = pendingOf([edit], state, state, gesture);
  const confirmed: Change = { kind: 'story.update', id: 7, set: { title: 'Ant' } };
  expect(afterConfirmed(pending!, confirmed, state, 7).seen).toBe(3);
  const [other7] = pendingOf([confirmed], state, state, gesture);
  expect(withSameRow(pending!, [pending!, other7!])).toEqual([pending]);
});

test('a move of several stories has the versions that the user saw, or that own changes have made since', () => {
  const seen = withOrigin(
    move([1, 2], null, 'last'),
    boardWith([story(1, { sprint_id: 1, version: 4 }), story(2, { version: 6 })]),
  );
  expect(seen).toMatchObject({
    seen: [
      { list: 1, version: 4 },
      { list: null, version: 6 },
    ],
  });
  const later = boardWith([story(1, { version: 5 }), story(2, { version: 9 })]);
  expect(withVersions(seen, [1], later)).toMatchObject({
    seen: [
      { list: 1, version: 5 },
      { list: null, version: 6 },
    ],
  });
});

test('each change of a gesture has the version that the user saw, or the confirmed one', () => {
  const state = boardWith([story(1, { version: 5 }), story(2, { version: 6 })]);
  const changes = [1, 2].map((id): Change => ({ kind: 'story.delete', id }));
  const gesture = { label: '', seen: [3, undefined], revision: 1, isUndo: false };
  expect(pendingOf(changes, state, state, gesture).map(({ seen }) => seen)).toEqual([3, 6]);
});

test('each change of a gesture begins where the changes before it have moved the stories', () => {
  const state = boardWith([story(1), story(2)]);
  const changes = [move([1, 2], 1, 'last'), move([1, 2], 2, 'last')];
  const [first, second] = pendingOf(changes, state, state, {
    label: '',
    revision: 1,
    isUndo: false,
  });
  expect(first?.change).toMatchObject({ seen: [{ list: null }, { list: null }] });
  expect(second?.change).toMatchObject({ seen: [{ list: 1 }, { list: 1 }] });
});

test('a move next to a created story keeps the version that the user saw of the moved one', () => {
  const state = boardWith([story(3, { version: 2 })]);
  const changes = [move([3], null, { after: -1 })];
  const [pending] = pendingOf(changes, state, state, { label: '', revision: 1, isUndo: false });
  const created: Change = { kind: 'story.create', id: -1, list: null, body: { title: 'New' } };
  const later = boardWith([story(3, { version: 5 }), story(9)]);
  expect(afterConfirmed(pending!, created, later, 9)).toMatchObject({
    change: move([3], null, { after: 9 }),
    seen: 2,
  });
});

test('a page numbers its changes after those of an earlier page', async () => {
  jest.useFakeTimers();
  afterwards(() => jest.useRealTimers());
  const state = boardWith([story(1)]);
  const changes = [1, 2].map((points): Change => ({
    kind: 'story.update',
    id: 1,
    set: { points },
  }));
  const orders: number[] = [];
  for (let page = 1; page <= 2; page++) {
    await jest.isolateModulesAsync(async () => {
      const loaded = await import('../../../web/src/state/changes/pending.ts');
      const gesture = { label: '', revision: 1, isUndo: false };
      orders.push(...loaded.pendingOf(changes, state, state, gesture).map(({ order }) => order));
    });
    jest.advanceTimersByTime(1);
  }
  expect(orders).toEqual([...new Set(orders)].sort((a, b) => a - b));
});

test('a deleted story is created again with every field that a client may set', () => {
  const { body } = createStoryAgain(story(1, { description: 'text' }));
  expect(Object.keys(body).sort()).toEqual(
    Object.keys(schemasOf(CreateStory))
      .filter((name) => name !== 'seq')
      .sort(),
  );
});
