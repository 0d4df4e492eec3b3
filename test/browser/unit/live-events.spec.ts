import type { Event } from '../../../web/src/api/types';
import { ConfirmedBoard } from '../../../web/src/state/board/confirmed-board';
import { LiveEvents } from '../../../web/src/state/board/live-events';
import { afterwards } from '../../support/faults';
import { boardWith, story } from './state';

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const created = (revision: number): Event =>
  ({
    revision,
    type: 'story.created',
    entity: 'story',
    id: revision,
    before: null,
    after: story(revision),
  }) as unknown as Event;

/** A board that was read at revision 1; reading it again gives revision 10,000, or that of the argument. */
function openBoard(revision = 10_000) {
  const confirmed = new ConfirmedBoard();
  const { board } = boardWith([]);
  confirmed.restart(board, [], 1);
  const read = jest.fn(async () => confirmed.restart(board, [], revision));
  const fail = jest.fn((error: unknown): void => {
    throw error;
  });
  const events = new LiveEvents(confirmed, {
    apply: (event) => confirmed.apply(event),
    read,
    fail,
  });
  return { confirmed, events, read, fail };
}

test('reads the board again instead of applying thousands of missed events, and applies later ones', async () => {
  const { confirmed, events, read } = openBoard();
  events.receive('ready', { revision: 10_000 });
  for (let revision = 2; revision <= 10_001; revision++)
    events.receive('story.created', created(revision));
  await settle();
  expect(read).toHaveBeenCalledTimes(1);
  expect(confirmed.revision.value).toBe(10_001);
  expect([...confirmed.require().stories.keys()]).toEqual([10_001]);
});

test('applies some missed events', async () => {
  const { confirmed, events, read } = openBoard();
  events.receive('ready', { revision: 3 });
  for (const revision of [2, 3]) events.receive('story.created', created(revision));
  await settle();
  expect(read).not.toHaveBeenCalled();
  expect([...confirmed.require().stories.keys()]).toEqual([2, 3]);
});

test('reads the board once more after a reset during a read, and then applies the events that came meanwhile', async () => {
  const { confirmed, events, read } = openBoard(7);
  const answers: (() => void)[] = [];
  const readNow = read.getMockImplementation()!;
  read.mockImplementation(async () => {
    await new Promise<void>((answer) => answers.push(answer));
    return readNow();
  });
  events.receive('reset', { revision: 7 });
  events.receive('reset', { revision: 7 });
  events.receive('story.created', created(8));
  expect(answers).toHaveLength(1);
  answers[0]!();
  await settle();
  expect(answers).toHaveLength(2);
  expect(confirmed.revision.value).toBe(7);
  answers[1]!();
  await settle();
  expect(answers).toHaveLength(2);
  expect([...confirmed.require().stories.keys()]).toEqual([8]);
});

test('drops the events before a reset, which may have been undone by a restored backup', async () => {
  const { confirmed, events } = openBoard(1);
  events.hold('creation');
  events.receive('story.created', created(2));
  events.receive('reset', { revision: 1 });
  await settle();
  events.receive('story.created', created(3));
  expect(confirmed.revision.value).toBe(1);
  events.release('creation');
  expect([...confirmed.require().stories.keys()]).toEqual([3]);
});

test('holds the events until the board is read after a reset, even if a creation is confirmed before', async () => {
  const { confirmed, events } = openBoard(1);
  events.hold('creation');
  events.receive('reset', { revision: 1 });
  events.receive('story.created', created(2));
  events.release('creation');
  expect(confirmed.revision.value).toBe(1);
  await settle();
  expect(confirmed.revision.value).toBe(2);
});

test('reports that the board cannot be read after a reset, and applies later events', async () => {
  const { confirmed, events, read, fail } = openBoard();
  const error = new Error('gone');
  read.mockRejectedValueOnce(error);
  fail.mockImplementation(() => undefined);
  events.receive('reset', { revision: 1 });
  await settle();
  expect(fail.mock.calls).toEqual([[error]]);
  events.receive('story.created', created(2));
  expect(confirmed.revision.value).toBe(2);
});

test('waits for the revision of a change only while the stream is open', async () => {
  jest.useFakeTimers();
  afterwards(() => jest.useRealTimers());
  const { events } = openBoard();
  const [closed, reached, late] = [jest.fn(), jest.fn(), jest.fn()];
  void events.reached(3).then(closed);
  await jest.advanceTimersByTimeAsync(0);
  expect(closed).toHaveBeenCalled();
  events.isLive.value = true;
  void events.reached(3).then(reached);
  events.receive('story.created', created(2));
  await jest.advanceTimersByTimeAsync(0);
  expect(reached).not.toHaveBeenCalled();
  events.receive('story.created', created(3));
  await jest.advanceTimersByTimeAsync(0);
  expect(reached).toHaveBeenCalled();
  void events.reached(4).then(late);
  await jest.advanceTimersByTimeAsync(1000);
  expect(late).toHaveBeenCalled();
});
