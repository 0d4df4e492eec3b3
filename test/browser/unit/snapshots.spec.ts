import { signal } from '@preact/signals';
import { ConfirmedBoard } from '../../../web/src/state/board/confirmed-board';
import type { Lists } from '../../../web/src/state/board/lists';
import { Snapshots } from '../../../web/src/state/board/snapshots';
import { writeSnapshot } from '../../../web/src/state/changes/outbox';
import { isExpired } from '../../../web/src/state/session';
import { afterwards } from '../../support/faults';
import { boardWith } from './state';

jest.mock('../../../web/src/state/changes/outbox', () => ({ writeSnapshot: jest.fn() }));
jest.mock('../../../web/src/state/session', () => ({
  isExpired: jest.requireActual('@preact/signals').signal(false),
}));

test('a page that may be behind others stores nothing until it has caught up', () => {
  jest.useFakeTimers();
  const confirmed = new ConfirmedBoard();
  const lists = { loaded: signal(new Set<number>()) } as unknown as Lists;
  const isCurrent = signal(false);
  confirmed.restart(boardWith([]).board, [], 1);
  const stop = new Snapshots('Ada', confirmed, lists).keep(() => isCurrent.value);
  afterwards(() => {
    stop();
    jest.useRealTimers();
  });
  // As after signing in again in another tab.
  isExpired.value = true;
  isExpired.value = false;
  jest.advanceTimersByTime(1000);
  expect(writeSnapshot).not.toHaveBeenCalled();
  isCurrent.value = true;
  jest.advanceTimersByTime(1000);
  expect(writeSnapshot).toHaveBeenCalledTimes(1);
});
