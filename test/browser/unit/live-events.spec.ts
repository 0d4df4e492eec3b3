import type { Event } from '../../../web/src/api/types';
import { ConfirmedBoard } from '../../../web/src/state/board/confirmed-board';
import { LiveEvents } from '../../../web/src/state/board/live-events';
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

/** A board that was read at revision 1; reading it again gives revision 10,000. */
function openBoard() {
  const confirmed = new ConfirmedBoard();
  const { board } = boardWith([]);
  confirmed.restart(board, [], 1);
  const read = jest.fn(async () => confirmed.restart(board, [], 10_000));
  const events = new LiveEvents(confirmed, {
    apply: (event) => confirmed.apply(event),
    read,
    fail: (error) => {
      throw error;
    },
  });
  return { confirmed, events, read };
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
