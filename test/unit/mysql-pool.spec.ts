import mysql2 from 'mysql2';
import type { Pool, PoolConnection } from 'mysql2';
import { EventEmitter } from 'node:events';
import { DatabaseTimeout } from '../../src/database/errors';
import { createPool } from '../../src/database/mysql-pool';
import { afterwards } from '../support/faults';

type Callback = (error: Error | null, connection: PoolConnection) => void;

let grant: Callback;
const getConnection = jest.fn((callback: Callback) => void (grant = callback));
let driver: EventEmitter;
let pool: Pool;
const callback = jest.fn();

beforeEach(() => {
  jest.useFakeTimers();
  afterwards(() => jest.useRealTimers());
  jest.clearAllMocks();
  driver = Object.assign(new EventEmitter(), { getConnection });
  const creating = jest.spyOn(mysql2, 'createPool').mockReturnValue(driver as never);
  afterwards(() => creating.mockRestore());
  pool = createPool(undefined)({});
  pool.getConnection(callback);
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

describe('requests to a server that accepts no further connection', () => {
  const failure = (values: object): Error => Object.assign(new Error('not connected'), values);
  const full = (): void => grant(failure({ errno: 1040 }), undefined as never);
  const others = [jest.fn(), jest.fn()];

  beforeEach(() => {
    full();
    for (const other of others) pool.getConnection(other);
    expect(getConnection).toHaveBeenCalledTimes(1);
  });

  it('get the connections that are released, in their order', () => {
    for (const [i, waiting] of [callback, ...others].entries()) {
      driver.emit('release');
      expect(getConnection).toHaveBeenCalledTimes(2 + i);
      const connection = {} as PoolConnection;
      grant(null, connection);
      expect(waiting.mock.calls).toEqual([[null, connection]]);
    }
  });

  it('try again one at a time while no connection is released', () => {
    for (let attempt = 2; attempt < 5; attempt += 1) {
      jest.advanceTimersByTime(50);
      expect(getConnection).toHaveBeenCalledTimes(attempt);
      full();
    }
    jest.advanceTimersByTime(50);
    grant(null, {} as PoolConnection);
    expect([callback, ...others].map(({ mock }) => mock.calls.length)).toEqual([1, 0, 0]);
  });

  it('all fail at once when the server stops', () => {
    const stopped = failure({ code: 'ECONNREFUSED' });
    jest.advanceTimersByTime(50);
    for (const waiting of [callback, ...others]) {
      grant(stopped, undefined as never);
      expect(waiting.mock.calls).toEqual([[stopped, undefined]]);
    }
  });
});
