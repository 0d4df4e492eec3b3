import type { Event } from '../../../web/src/api/types';
import { ConfirmedBoard } from '../../../web/src/state/board/confirmed-board';
import type { Connection } from '../../../web/src/state/board/connection';
import { Lists } from '../../../web/src/state/board/lists';
import type { RowReader } from '../../../web/src/state/board/row-reader';
import { afterwards } from '../../support/faults';
import { boardWith, story } from './state';

test('an older response does not replace a story that the user has changed since the board was read again', () => {
  const confirmed = new ConfirmedBoard();
  const lists = new Lists(confirmed, {} as Connection, {} as RowReader);
  const { board } = boardWith([]);
  confirmed.restart(board, [], 5);
  lists.put(null, [story(1, { version: 1 })], 5);
  lists.expire();
  confirmed.restart(board, [], 7);
  lists.put(null, [story(1, { version: 2 })], 7);
  confirmed.putStory(story(1, { version: 3, title: 'New' }), 8);
  lists.put(null, [story(1, { version: 2 })], 7);
  expect(confirmed.require().stories.get(1)?.title).toBe('New');
});

describe('a story that someone else moves', () => {
  const moved = (id: number, after: object, type = 'story.moved'): Event =>
    ({ type, entity: 'story', id, before: {}, after }) as Event;

  test('from a list that is not loaded to one that is loaded is read', () => {
    const confirmed = new ConfirmedBoard();
    const readStory = jest.fn();
    const untilAnswered = async (read: () => Promise<unknown>) => read();
    const lists = new Lists(
      confirmed,
      { untilAnswered } as Connection,
      { readStory } as unknown as RowReader,
    );
    const state = boardWith([story(1, { sprint_id: 1 })]);
    confirmed.restart(state.board, [], 5);
    lists.put(1, [...state.stories.values()], 5);
    lists.readMissing(moved(7, { sprint_id: 2 }), state, state);
    lists.readMissing(moved(1, { sprint_id: 1 }), state, state);
    expect(readStory.mock.calls).toEqual([]);
    lists.readMissing(moved(8, { sprint_id: 1 }), state, state);
    expect(readStory.mock.calls).toEqual([[8]]);
  });

  test('makes the loaded part of the backlog be read again if it may come into that part', async () => {
    jest.useFakeTimers();
    afterwards(() => jest.useRealTimers());
    const untilAnswered = jest.fn(() => Promise.resolve());
    const connection = { untilAnswered } as unknown as Connection;
    const lists = new Lists(new ConfirmedBoard(), connection, {} as RowReader);
    lists.part.value = { pages: 1, cursor: 'c', rest: 3 };
    const state = boardWith([story(1), story(2)]);
    const reads = async (event: Event): Promise<number> => {
      untilAnswered.mockClear();
      lists.readMissing(event, state, state);
      await jest.advanceTimersByTimeAsync(300);
      return untilAnswered.mock.calls.length;
    };
    expect(await reads(moved(9, { seq: 1 }))).toBe(1);
    expect(await reads(moved(9, { sprint_id: null }))).toBe(1);
    expect(await reads({ ...moved(1, {}, 'stories.shifted'), entity: 'board' })).toBe(1);
    expect(await reads({ ...moved(1, {}, 'stories.shifted'), entity: 'sprint' })).toBe(0);
    expect(await reads(moved(1, { seq: 3 }))).toBe(0);
    expect(await reads(moved(9, { title: 'New' }, 'story.updated'))).toBe(0);
  });
});
