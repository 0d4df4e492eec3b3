import { once } from 'node:events';
import { Writable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { BoardFeed } from '../../src/events/board-feed';
import type { EventView } from '../../src/events/event.dto';
import { EventStream } from '../../src/events/event-stream';

const event = (revision: number, title = ''): EventView => ({
  board_name: 'Team',
  revision,
  type: 'story.created',
  at: '2026-11-24T09:00:00.000Z',
  actor: 'Mei',
  entity: 'story',
  id: 1,
  before: null,
  after: { title },
});

/** A feed that has read a log up to a revision. @param most events of a page */
function feedOf(log: readonly EventView[], revision: number, most = 100) {
  const read = jest.fn(async (after: number) => {
    await setImmediate();
    return log.filter((each) => each.revision > after).slice(0, most);
  });
  return { feed: new BoardFeed(1, 'Team', revision, read), read };
}

const streamOf = (feed: BoardFeed): EventStream =>
  new EventStream(feed, feed.revision, 0, undefined, (after) => feed.page(after));

/** Reads a stream; the returned function waits until it has sent a revision, and returns the ids of its events. */
function reading(stream: EventStream): (revision: number) => Promise<number[]> {
  let text = '';
  stream.on('data', (chunk: Buffer) => (text += chunk.toString()));
  const ids = (): number[] => [...text.matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id));
  return async (revision) => {
    while (!stream.destroyed && ids().at(-1) !== revision) await setImmediate();
    return ids();
  };
}

const subscriber = () => ({ deliver: jest.fn(), end: jest.fn() });

describe('the feed of a board', () => {
  it('that has ended ends the streams that subscribe to it later', () => {
    const { feed } = feedOf([], 7);
    feed.end();
    const late = subscriber();
    feed.subscribe(late);
    expect(late.end).toHaveBeenCalledTimes(1);
  });

  it('delivers many long events page by page, so that a client that reads them keeps up', async () => {
    const log = [event(1), ...Array.from({ length: 40 }, (_, i) => event(i + 2, 'x'.repeat(1e5)))];
    const { feed } = feedOf(log, 1, 2);
    const stream = streamOf(feed);
    let received = 0;
    const client = new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        received += chunk.length;
        process.nextTick(done);
      },
    });
    stream.pipe(client);
    while (received < 200) await setImmediate();
    await feed.wake();
    while (!stream.destroyed && received < 4e6) await setImmediate();
    expect(received).toBeGreaterThan(4e6);
    stream.destroy();
  });

  it('ends its streams if the log lacks events that follow', async () => {
    const { feed } = feedOf([event(1), event(3)], 1);
    const one = subscriber();
    feed.subscribe(one);
    await feed.wake();
    expect([one.deliver.mock.calls, one.end.mock.calls]).toEqual([[], [[]]]);
  });

  it('delivers all new events at once, however many they are', async () => {
    const log = Array.from({ length: 250 }, (_, i) => event(i + 1));
    const { feed } = feedOf(log, 0);
    const one = subscriber();
    feed.subscribe(one);
    await feed.wake();
    expect(one.deliver.mock.calls.flat(2)).toHaveLength(250);
  });

  it('reads again if an event is committed while it reads', async () => {
    const log: EventView[] = [];
    const { feed, read } = feedOf(log, 0);
    const one = subscriber();
    feed.subscribe(one);
    read.mockImplementationOnce(async () => {
      // The change is committed after the statement has read the log.
      log.push(event(1));
      await feed.wake();
      return [];
    });
    await feed.wake();
    expect(one.deliver).toHaveBeenCalledTimes(1);
  });

  it('continues after the database has failed', async () => {
    const { feed, read } = feedOf([event(1)], 0);
    const one = subscriber();
    feed.subscribe(one);
    read.mockRejectedValueOnce(new Error('no database'));
    await expect(feed.wake()).rejects.toThrow('no database');
    await feed.wake();
    expect(one.deliver).toHaveBeenCalledTimes(1);
  });
});

describe('a stream that catches up', () => {
  it('has an event once, even if it reads the event before the feed does', async () => {
    const log = [event(1), event(2), event(3)];
    const { feed } = feedOf(log, 1);
    const idsUpTo = reading(streamOf(feed));
    await idsUpTo(3);
    log.push(event(4));
    await feed.wake();
    expect(await idsUpTo(4)).toEqual([0, 1, 2, 3, 4]);
  });

  it('has an event that is longer than what it reads ahead', async () => {
    const { feed } = feedOf([event(1, 'x'.repeat(200_000)), event(2)], 2);
    expect(await reading(streamOf(feed))(2)).toEqual([0, 1, 2]);
  });

  it('keeps one event that is longer than a client may be behind until the client reads', async () => {
    const log = [event(1)];
    const { feed } = feedOf(log, 1);
    const stream = streamOf(feed);
    const idsUpTo = reading(stream);
    await idsUpTo(1);
    while (!stream.isLive) await setImmediate();
    stream.pause();
    log.push(event(2, 'x'.repeat(2_000_000)));
    await feed.wake();
    stream.resume();
    expect(await idsUpTo(2)).toEqual([0, 1, 2]);
  });

  it('is disconnected by the next event if its client is too far behind', async () => {
    const log = [event(1)];
    const { feed } = feedOf(log, 1);
    const stream = streamOf(feed);
    await reading(stream)(1);
    while (!stream.isLive) await setImmediate();
    stream.pause();
    for (const revision of [2, 3]) {
      expect(stream.destroyed).toBe(false);
      log.push(event(revision, 'x'.repeat(1_500_000)));
      await feed.wake();
    }
    expect(stream.destroyed).toBe(true);
  });

  it('is disconnected if the log cannot be read or is gone, so that its client connects again', async () => {
    const { feed, read } = feedOf([], 1);
    read.mockRejectedValueOnce(new Error('no database'));
    for (const stream of [streamOf(feed), streamOf(feed)]) await once(stream.resume(), 'close');
    expect(read).toHaveBeenCalledTimes(2);
  });

  it('is no longer held by its feed once it is closed', async () => {
    const { feed } = feedOf([event(1)], 0);
    const stream = streamOf(feed);
    await reading(stream)(0);
    const deliver = jest.spyOn(stream, 'deliver');
    stream.destroy();
    await once(stream, 'close');
    await feed.wake();
    expect(deliver).not.toHaveBeenCalled();
  });

  it('is removed from its feed if it is closed while it reads the log', async () => {
    const { feed, read } = feedOf([event(1), event(2)], 1);
    const stream = streamOf(feed).resume();
    while (read.mock.calls.length === 0) await setImmediate();
    const deliver = jest.spyOn(stream, 'deliver');
    stream.destroy();
    await once(stream, 'close');
    await read.mock.results[0]?.value;
    await feed.wake();
    expect(deliver).not.toHaveBeenCalled();
  });
});
