import { signal } from '@preact/signals';
import { ConfirmedBoard } from '../../../web/src/state/board/confirmed-board';
import type { Lists } from '../../../web/src/state/board/lists';
import { Snapshots } from '../../../web/src/state/board/snapshots';
import { readSnapshot, writeSnapshot } from '../../../web/src/state/changes/outbox';
import type { Card } from '../../../web/src/state/model';
import { isExpired } from '../../../web/src/state/session';
import { afterwards } from '../../support/faults';
import { boardWith, story } from './state';

jest.mock('../../../web/src/state/changes/outbox', () => ({
  readSnapshot: jest.fn(),
  writeSnapshot: jest.fn(),
}));
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

test('a story of a snapshot has null for a field that an earlier version did not store', async () => {
  const { points: _, ...stored } = story(1);
  const snapshot = { ...boardWith([]), sprints: [], stories: [stored as Card], lists: [] };
  jest.mocked(readSnapshot).mockResolvedValueOnce(snapshot);
  const confirmed = new ConfirmedBoard();
  const lists = { loaded: signal(new Set<number>()) } as unknown as Lists;
  await new Snapshots('Ada', confirmed, lists).show('rocket', () => false);
  expect(confirmed.state.value?.stories.get(1)).toEqual(story(1));
});
