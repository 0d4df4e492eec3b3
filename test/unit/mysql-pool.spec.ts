import mysql2 from 'mysql2';
import type { PoolConnection } from 'mysql2';
import { DatabaseTimeout } from '../../src/database/errors';
import { createPool } from '../../src/database/mysql-pool';
import { afterwards } from '../support/faults';

type Callback = (error: Error | null, connection: PoolConnection) => void;

it('a connection that becomes free after the request has stopped waiting returns to the pool', () => {
  jest.useFakeTimers();
  afterwards(() => jest.useRealTimers());
  let grant: Callback = () => undefined;
  const pool = { on: () => undefined, getConnection: (callback: Callback) => (grant = callback) };
  const creating = jest.spyOn(mysql2, 'createPool').mockReturnValue(pool as never);
  afterwards(() => creating.mockRestore());
  const callback = jest.fn();
  createPool(undefined)({}).getConnection(callback);
  jest.advanceTimersByTime(1500);
  const release = jest.fn();
  grant(null, { release } as unknown as PoolConnection);
  expect(release).toHaveBeenCalledTimes(1);
  expect(callback.mock.calls).toEqual([[expect.any(DatabaseTimeout), undefined]]);
});
