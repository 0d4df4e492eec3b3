import type { Event, Task } from '../../../web/src/api/types';
import { applyEvent, describeEvent } from '../../../web/src/state/board/events';
import { boardWith, story } from './state';

const NEVER = (): number => 0;

/** Shifts the stories from 2 to 4 of sprint 1, except story 3. */
const shifted = {
  board_name: 'rocket',
  revision: 9,
  type: 'stories.shifted',
  at: '2026-03-03T09:00:00.000Z',
  actor: 'Mei',
  entity: 'sprint',
  id: 1,
  before: { first: { id: 2, seq: 2 }, last: { id: 4, seq: 4 } },
  after: { first: { id: 2, seq: 12 }, last: { id: 4, seq: 14 }, by: 10, count: 2, except: [3] },
} as unknown as Event;

const before = boardWith([
  ...[1, 2, 3, 4, 5].map((id) => story(id, { sprint_id: 1 })),
  story(6, { seq: 3 }),
]);
const rows = (state: typeof before) =>
  [...state.stories.values()].map(({ id, seq, version }) => [id, seq, version]);

describe('a shift', () => {
  test('changes the stories of its list between its ends, both included, without its exceptions', () => {
    expect(rows(applyEvent(before, shifted, NEVER))).toEqual([
      [1, 1, 1],
      [2, 12, 2],
      [3, 3, 1],
      [4, 14, 2],
      [5, 5, 1],
      [6, 3, 1],
    ]);
  });

  test('changes no story that was read after it', () => {
    const readAt = (entity: string, id: number): number => (entity === 'story' && id === 2 ? 9 : 8);
    const after = applyEvent(before, shifted, readAt);
    expect(rows(after)).toContainEqual([2, 2, 1]);
    expect(rows(after)).toContainEqual([4, 14, 2]);
  });

  test('is not announced, because it is a part of a move', () => {
    const after = applyEvent(before, shifted, NEVER);
    expect(describeEvent(shifted, before, after)).toBeUndefined();
  });
});

describe('an event of a task', () => {
  const task = { id: 7, story_id: 1, title: 'Dig', seq: 1, status: 'todo', version: 2 };
  const state = { ...before, tasks: new Map([[1, [task as unknown as Task]]]) };
  const event = (type: Event['type'], after: object): Event =>
    ({ ...shifted, type, entity: 'task', id: 7, before: null, after }) as Event;

  test('does not add a task that is known already', () => {
    const after = applyEvent(state, event('task.created', { ...task, version: 1 }), NEVER);
    expect(after.tasks.get(1)).toEqual([task]);
  });

  test('does not replace a later version of the task', () => {
    const old = { title: 'Old', version: 2 };
    expect(applyEvent(state, event('task.updated', old), NEVER).tasks.get(1)).toEqual([task]);
    const later = { title: 'New', version: 3 };
    expect(applyEvent(state, event('task.updated', later), NEVER).tasks.get(1)).toEqual([
      { ...task, ...later },
    ]);
  });
});
