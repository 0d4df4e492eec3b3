import { ConfirmedBoard } from '../../../web/src/state/board/confirmed-board';
import type { Connection } from '../../../web/src/state/board/connection';
import { Lists } from '../../../web/src/state/board/lists';
import type { RowReader } from '../../../web/src/state/board/row-reader';
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
