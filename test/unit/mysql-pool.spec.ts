import mysql2 from 'mysql2';
import type { PoolConnection } from 'mysql2';
import { DatabaseTimeout } from '../../src/database/errors';
import { createPool } from '../../src/database/mysql-pool';
import { afterwards } from '../support/faults';

type Callback = (error: Error | null, connection: PoolConnection) => void;

let grant: Callback;
const getConnection = jest.fn((callback: Callback) => void (grant = callback));
const callback = jest.fn();

beforeEach(() => {
  jest.useFakeTimers();
  afterwards(() => jest.useRealTimers());
  jest.clearAllMocks();
  const pool = { on: () => undefined, getConnection };
  const creating = jest.spyOn(mysql2, 'createPool').mockReturnValue(pool as never);
  afterwards(() => creating.mockRestore());
  createPool(undefined)({}).getConnection(callback);
});

it('a connection that becomes free after the request has stopped waiting returns to the pool', () => {
  jest.advanceTimersByTime(1500);
  const release = jest.fn();
  grant(null, { release } as unknown as PoolConnection);
  expect(release).toHaveBeenCalledTimes(1);
  expect(callback.mock.calls).toEqual([[expect.any(DatabaseTimeout), undefined]]);
});

it('a connection that was not opened in time is opened again, as long as the request waits', () => {
  const timedOut = Object.assign(new Error('connect ETIMEDOUT'), { code: 'ETIMEDOUT' });
  grant(timedOut, undefined as never);
  expect(getConnection).toHaveBeenCalledTimes(2);
  jest.advanceTimersByTime(1500);
  grant(timedOut, undefined as never);
  expect(getConnection).toHaveBeenCalledTimes(2);
  expect(callback.mock.calls).toEqual([[expect.any(DatabaseTimeout), undefined]]);
});
