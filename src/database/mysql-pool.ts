import mysql2 from 'mysql2';
import type { Pool, PoolConnection, PoolOptions, QueryError } from 'mysql2';
import { DatabaseTimeout } from './errors';

/** Milliseconds to wait for a free connection; mysql2 itself would wait forever. */
const ACQUIRE_MS = 1500;

/** Milliseconds between two attempts to connect to a server that accepts no further connection. */
const RETRY_MS = 50;

/** Milliseconds of a step in which these waits are measured. */
const STEP_MS = 100;

/**
 * Errors of a node that has left its cluster, and of a server that has become read-only. A new connection may reach
 * another one; without them the pool would lend this connection again and again.
 */
const LEFT = new Set<unknown>([1047, 1290, 1836]);

/** Errors of a server that accepts no further connection, of all clients or of this user. */
const TOO_MANY = new Set<unknown>([1040, 1203, 1226]);

/** `ER_UNKNOWN_SYSTEM_VARIABLE`: another kind of server has this variable. */
const UNKNOWN_VARIABLE = 1193;

/**
 * The settings of every session, whatever the defaults of the server are. With the last two, a client reads its own
 * writes on any node of a Galera cluster or of group replication; a single server does not know them.
 */
const SESSION = [
  'SET NAMES utf8mb4 COLLATE utf8mb4_general_ci',
  'SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED, READ WRITE',
  `SET SESSION sql_mode = 'STRICT_ALL_TABLES,NO_ENGINE_SUBSTITUTION,ERROR_FOR_DIVISION_BY_ZERO',
     time_zone = '+00:00', innodb_lock_wait_timeout = 2`,
  `SET SESSION autocommit = 1, completion_type = 'NO_CHAIN', foreign_key_checks = 1,
     sql_big_selects = 1, sql_select_limit = 18446744073709551615`,
  'SET SESSION wsrep_sync_wait = 1',
  `SET SESSION group_replication_consistency =
     IF(@@group_replication_single_primary_mode, 'BEFORE_ON_PRIMARY_FAILOVER', 'BEFORE')`,
];

/**
 * Returns the `createPool` of a driver for TypeORM. In such a mysql2 pool every wait has a limit: with a
 * frozen server 100 clients were answered within 3.3 s instead of 15 s and more.
 * @param statementMs milliseconds after which the server cancels a statement; half a second later the pool
 *   closes the connection. Undefined: no limit
 */
export const createPool =
  (statementMs: number | undefined) =>
  (options: PoolOptions): Pool => {
    const pool = mysql2.createPool(options);
    pool.on('connection', (connection) => prepare(connection, statementMs));
    const getConnection = pool.getConnection.bind(pool);
    const queue = new FullServerQueue();
    pool.on('release', () => queue.next());
    pool.getConnection = (callback) => {
      let late = false;
      const cancel = afterWaiting(ACQUIRE_MS, () => {
        late = true;
        const where = `${options.host}:${options.port}`;
        const seconds = ACQUIRE_MS / 1000;
        callback(
          new DatabaseTimeout(`no connection to ${where} in ${seconds} s`),
          undefined as never,
        );
      });
      const acquire = (): void => {
        if (late) {
          queue.next();
          return;
        }
        getConnection((error: { code?: string; errno?: number } | null, connection) => {
          // The process was paused while it connected: mysql2 counts that time.
          if (error?.code === 'ETIMEDOUT' && !late) {
            acquire();
            return;
          }
          if (TOO_MANY.has(error?.errno) && !late) {
            queue.addFirst(acquire);
            return;
          }
          cancel();
          // The requests that wait would get the same error, for example because the server has stopped.
          if (error) queue.next();
          if (!late) callback(error as never, connection);
          else if (!error) connection.release();
        });
      };
      if (queue.isEmpty) acquire();
      else queue.addLast(acquire);
    };
    return pool;
  };

/**
 * The requests that wait, in their order, because the server accepts no further connection: for one of the
 * connections that there are, or until another client of the server has disconnected.
 */
class FullServerQueue {
  private readonly waiting: (() => void)[] = [];
  private timer: NodeJS.Timeout | undefined;

  get isEmpty(): boolean {
    return this.waiting.length === 0;
  }

  addFirst(acquire: () => void): void {
    this.waiting.unshift(acquire);
    this.retryLater();
  }

  addLast(acquire: () => void): void {
    this.waiting.push(acquire);
    this.retryLater();
  }

  /** Lets the first request try to get a connection. */
  next(): void {
    this.waiting.shift()?.();
  }

  private retryLater(): void {
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      this.next();
      if (!this.isEmpty) this.retryLater();
    }, RETRY_MS);
  }
}

/**
 * Calls `timeOut` after a wait, and returns a function that cancels it. A pause of the process counts as one step
 * at most: the answer of the database may have arrived in it.
 */
function afterWaiting(ms: number, timeOut: () => void): () => void {
  let left = ms;
  const timer = setInterval(() => {
    left -= STEP_MS;
    if (left > 0) return;
    clearInterval(timer);
    timeOut();
  }, STEP_MS);
  return () => clearInterval(timer);
}

function prepare(connection: PoolConnection, statementMs: number | undefined): void {
  // mysql2 removes its own listener after the first error; a second one would end the process.
  connection.on('error', () => undefined);
  const statements = [...SESSION];
  if (statementMs !== undefined) {
    // MariaDB counts in seconds, MySQL in milliseconds, each in a comment that only it executes.
    statements.push(
      `SET SESSION /*M! max_statement_time = ${statementMs / 1000} */ /*!80000 max_execution_time = ${statementMs} */`,
    );
  }
  for (const statement of statements) {
    connection.query(statement, (error: QueryError | null) => {
      if (error && error.errno !== UNKNOWN_VARIABLE) connection.destroy();
    });
  }
  if (statementMs === undefined) return;
  const query = connection.query.bind(connection) as (...args: unknown[]) => unknown;
  // With a rest parameter V8 kept each result until the next major garbage collection, which took a third of the
  // time of a list.
  connection.query = ((sql: unknown, values: unknown, callback: unknown) => {
    if (typeof values === 'function') [values, callback] = [undefined, values];
    if (typeof callback !== 'function') return query(sql, values);
    // connection.destroy() never settles the pending statements; an error of the stream rejects them.
    const cancel = afterWaiting(statementMs + 500, () => {
      const { stream } = connection as unknown as { stream: { destroy(error: Error): void } };
      stream.destroy(new DatabaseTimeout('no answer in time'));
    });
    const done = callback as (error: unknown, result: unknown, fields: unknown) => void;
    return query(
      sql,
      values,
      (error: QueryError | null, result: unknown, fields: unknown): void => {
        cancel();
        // After a failed ROLLBACK, the transaction may still be open. The next START TRANSACTION would commit it.
        if (error && (sql === 'ROLLBACK' || LEFT.has(error.errno))) connection.destroy();
        done(error, result, fields);
      },
    );
  }) as never;
}
