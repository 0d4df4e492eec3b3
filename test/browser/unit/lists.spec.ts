import type { Event } from '../../../web/src/api/types';
import { ConfirmedBoard } from '../../../web/src/state/board/confirmed-board';
import type { Connection } from '../../../web/src/state/board/connection';
import { Lists } from '../../../web/src/state/board/lists';
import { RowReader } from '../../../web/src/state/board/row-reader';
import { toasts } from '../../../web/src/state/announce';
import { afterwards } from '../../support/faults';
import { boardWith, idsOf, story } from './state';

jest.mock('openapi-fetch', () => jest.requireActual('./hosted-client'));
beforeAll(() => {
  const requestAnimationFrame = (draw: () => void): void => queueMicrotask(draw);
  Object.assign(globalThis, { location: { href: 'http://localhost' }, requestAnimationFrame });
});
afterEach(() => (toasts.value = []));

/** Returns the texts of the messages, once they are shown. */
async function messages(): Promise<string[]> {
  await new Promise((resolve) => setImmediate(resolve));
  return toasts.value.map(({ text }) => text);
}

/** Lists of a board at revision 5, whose requests `answer` answers. */
function openLists(answer: (url: URL) => Response) {
  const confirmed = new ConfirmedBoard();
  confirmed.restart(boardWith([]).board, [], 5);
  const untilAnswered = async (read: () => Promise<unknown>) => read();
  const connection = { name: 'rocket', untilAnswered } as Connection;
  const rows = new RowReader(confirmed, connection, { hold: jest.fn(), release: jest.fn() });
  const fetched = jest
    .spyOn(globalThis, 'fetch')
    .mockImplementation(async (request) => answer(new URL((request as Request).url)));
  afterwards(() => fetched.mockRestore());
  return { confirmed, lists: new Lists(confirmed, connection, rows), fetched };
}

const answerWith = (body: unknown, headers: Record<string, string> = {}, status = 200): Response =>
  new Response(JSON.stringify(body), { status, headers: { 'X-Board-Revision': '5', ...headers } });

/** A page of a backlog of 1,200 stories. */
function pageOf({ href, searchParams }: URL, headers?: Record<string, string>): Response {
  const from = Number(searchParams.get('cursor'));
  const to = Math.min(1200, from + Number(searchParams.get('limit')));
  const stories = Array.from({ length: to - from }, (_, i) => story(from + i + 1));
  const next = new URL(href);
  next.searchParams.set('cursor', `${to}`);
  return answerWith(stories, {
    'X-Total-Count': '1200',
    ...(to < 1200 && { Link: `<${next.href}>; rel="next"` }),
    ...headers,
  });
}

describe('the pages of the backlog', () => {
  test('are loaded one after the other, whatever happens to other lists', async () => {
    const { confirmed, lists, fetched } = openLists(pageOf);
    for (const [count, rest] of [
      [500, 700],
      [1000, 200],
      [1200, undefined],
    ] as const) {
      await Promise.all([lists.loadPage(), lists.loadPage()]);
      lists.put(1, [story(5000, { sprint_id: 1 })], 5);
      const ids = Array.from({ length: count }, (_, i) => i + 1);
      expect(idsOf(confirmed.require(), null)).toEqual(ids);
      expect(lists.part.value?.rest).toBe(rest);
      expect(lists.loaded.value.has(null)).toBe(rest === undefined);
    }
    expect(confirmed.require().edge).toBeUndefined();
    await lists.loadPage();
    expect(fetched).toHaveBeenCalledTimes(3);
  });

  test('are read again if one of them is older than the applied events, but not for ever', async () => {
    const revisions = ['5', '5'];
    const { lists, fetched } = openLists((url) =>
      pageOf(url, { 'X-Board-Revision': revisions.shift() ?? '4' }),
    );
    await lists.loadPage();
    await lists.loadPage();
    fetched.mockClear();
    revisions.push('4', '5', '5', '5');
    await lists.readAgain([]);
    expect(fetched).toHaveBeenCalledTimes(4);
    fetched.mockClear();
    await lists.readAgain([]);
    expect(fetched).toHaveBeenCalledTimes(2 * 6);
  });

  test('are not changed by an event that a later page has already', async () => {
    const revisions = ['5', '5', '5'];
    const { confirmed, lists } = openLists((url) =>
      pageOf(url, { 'X-Board-Revision': revisions.shift() ?? '7' }),
    );
    await lists.loadPage();
    await lists.loadPage();
    await lists.readAgain([]);
    confirmed.apply({
      revision: 6,
      type: 'stories.shifted',
      entity: 'board',
      id: 1,
      before: { first: { seq: 400, id: 400 }, last: { seq: 600, id: 600 } },
      after: { by: 1000 },
    } as unknown as Event);
    const seqOf = (id: number): number | undefined => confirmed.require().stories.get(id)?.seq;
    expect([500, 501].map(seqOf)).toEqual([1500, 501]);
  });

  test('are loaded after an attempt that was rejected', async () => {
    const answers = [answerWith({ code: 'forbidden', detail: 'No.' }, {}, 403)];
    const { lists } = openLists((url) => answers.shift() ?? pageOf(url));
    await lists.loadPage();
    expect(await messages()).toEqual(['No.']);
    await lists.loadPage();
    expect(lists.part.value?.rest).toBe(700);
  });
});

test('a list is requested once, however often it is shown', async () => {
  const { lists, fetched } = openLists(() => answerWith([]));
  await Promise.all([lists.load(1), lists.load(1)]);
  await lists.load(1);
  expect(fetched).toHaveBeenCalledTimes(1);
});

test('a list that cannot be read is reported, unless its sprint was deleted meanwhile', async () => {
  const statuses = [404, 403];
  const problem = { code: 'forbidden', detail: 'No.' };
  const { lists } = openLists(() => answerWith(problem, {}, statuses.shift()));
  await lists.load(1);
  expect(await messages()).toEqual([]);
  await lists.load(1);
  expect(await messages()).toEqual(['No.']);
});

test('an event from before the response with a story does not change the story', () => {
  const { confirmed, lists } = openLists(() => answerWith([]));
  lists.put(1, [story(1, { sprint_id: 1, title: 'New' })], 9);
  const titleAfter = (revision: number, title: string): string | undefined => {
    const event = { revision, type: 'story.updated', entity: 'story', id: 1, after: { title } };
    confirmed.apply(event as unknown as Event);
    return confirmed.require().stories.get(1)?.title;
  };
  expect(titleAfter(9, 'Old')).toBe('New');
  expect(titleAfter(10, 'Newer')).toBe('Newer');
});

test('a response replaces a later version that was read before the board was read again', () => {
  const { confirmed, lists } = openLists(() => answerWith([]));
  lists.put(null, [story(1, { version: 9, title: 'Before the backup was restored' })], 5);
  lists.expire();
  confirmed.restart(confirmed.require().board, [], 2);
  lists.put(null, [story(1, { version: 3 })], 2);
  expect(confirmed.require().stories.get(1)?.title).toBe('Story 1');
});

test('a story keeps its description when its list is read again', () => {
  const { confirmed, lists } = openLists(() => answerWith([]));
  confirmed.putStory(story(1, { description: 'Long' }), 5);
  lists.put(null, [story(1, { version: 2, title: 'New' })], 6);
  expect(confirmed.require().stories.get(1)).toMatchObject({ title: 'New', description: 'Long' });
});

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
    const event = moved(9, { seq: 1 });
    lists.readMissing(event, state, state);
    expect(await reads(event)).toBe(1);
  });
});
