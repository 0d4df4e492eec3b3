import { BoardFeed } from '../../src/events/board-feed';

it('a feed that has ended ends the streams that subscribe to it later', () => {
  const feed = new BoardFeed(1, 'Team', 7, () => Promise.resolve([]));
  feed.end();
  const subscriber = { deliver: jest.fn(), end: jest.fn() };
  feed.subscribe(subscriber);
  expect(subscriber.end).toHaveBeenCalledTimes(1);
});
