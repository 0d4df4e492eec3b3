import { ConfirmedBoard } from '../../../web/src/state/board/confirmed-board';
import { Today } from '../../../web/src/state/board/today';
import { afterwards } from '../../support/faults';
import { boardWith } from './state';

test('a new day is reported when it begins, and again when it has begun on a service whose clock is behind', () => {
  jest.useFakeTimers({ now: new Date('2026-11-24T14:59:50Z') });
  const confirmed = new ConfirmedBoard();
  const { board } = boardWith([]);
  confirmed.restart({ ...board, time_zone: 'Asia/Tokyo' }, [], 1);
  const onNextDay = jest.fn();
  const today = new Today(confirmed, onNextDay);
  afterwards(() => {
    today.stop();
    jest.useRealTimers();
  });
  today.watch();
  expect(today.date.value).toBe('2026-11-24');
  jest.advanceTimersByTime(15_000);
  expect(today.date.value).toBe('2026-11-25');
  expect(onNextDay).toHaveBeenCalledTimes(1);
  jest.advanceTimersByTime(60_000);
  expect(onNextDay).toHaveBeenCalledTimes(2);
  // Eight minutes behind.
  jest.advanceTimersByTime(7 * 60_000 - 1);
  const { length } = onNextDay.mock.calls;
  jest.advanceTimersByTime(1);
  expect(onNextDay).toHaveBeenCalledTimes(length + 1);
  // Until the next day.
  jest.advanceTimersByTime(12 * 3_600_000);
  expect(onNextDay).toHaveBeenCalledTimes(5);
});
