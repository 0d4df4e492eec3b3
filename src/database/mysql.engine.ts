import type { Pool, PoolConnection, QueryError, ResultSetHeader } from 'mysql2';
import type { DataSource } from 'typeorm';
import type { Engine, Failure, Load, Parameter, Reader, Row, Writer, Written } from './engine';
import { Unavailable } from './engine';
import { Gate } from './gate';

/**
 * Errors after which the same transaction may succeed: deadlock and certification failure (1213),
 * lock wait timeout (1205), record changed (1020), rolled back in a commit (1180, 3101), a Galera
 * node that is joining (1047).
 */
const RETRY = new Set([1213, 1205, 1020, 1047, 1180, 3101]);

/**
 * Errors of a server that cannot serve now: too many connections, access, unknown database, no disk,
 * shutdown, network, read-only, killed, no primary.
 */
const AWAY = new Set([
  1021, 1040, 1041, 1044, 1045, 1049, 1053, 1077, 1114, 1129, 1152, 1158, 1159, 1160, 1161, 1203,
  1226, 1290, 1317, 1836, 1927, 3024, 3032, 3100, 3572,
]);

/** What each connection is set to before its first statement. */
const SESSION = [
  'SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED',
  `SET SESSION sql_mode = 'STRICT_ALL_TABLES,NO_ENGINE_SUBSTITUTION,ERROR_FOR_DIVISION_BY_ZERO', time_zone = '+00:00', innodb_lock_wait_timeout = 2`,
];

/** A statement or a connection did not answer in time, so nothing is known of its state. */
class TimedOut extends Unavailable {}

class Connection implements Writer {
  constructor(
    readonly raw: PoolConnection,
    private readonly deadline: () => number,
  ) {}

  query<R = Row>(sql: string, parameters?: readonly Parameter[]): Promise<R[]> {
    return this.send<R[]>(sql, parameters);
  }

  async run(sql: string, parameters?: readonly Parameter[]): Promise<Written> {
    const { affectedRows, insertId } = await this.send<ResultSetHeader>(sql, parameters);
    return { rows: affectedRows, id: insertId };
  }

  send<T>(sql: string, values: readonly Parameter[] = []): Promise<T> {
    const timeout = this.deadline() - Date.now();
    if (timeout <= 0) return Promise.reject(new TimedOut('no time left'));
    return new Promise((resolve, reject) => {
      this.raw.query(
        { sql, values: values as Parameter[], timeout },
        (error: QueryError | null, result) => {
          if (error) reject(error);
          else resolve(result as T);
        },
      );
    });
  }
}

/**
 * A server that speaks MySQL's protocol, through the pool that TypeORM opened. mysql2 by itself waits
 * without limit, for a connection as for an answer; here both end at the deadline, and a connection
 * that did not answer in time is not used again.
 */
export class MysqlEngine implements Engine {
  readonly dialect = 'mysql';
  private readonly pool: Pool;
  private readonly gate: Gate;

  constructor(
    dataSource: DataSource,
    connections: number,
    private readonly deadlineMs: number,
  ) {
    this.pool = (dataSource.driver as unknown as { pool: Pool }).pool;
    this.gate = new Gate(connections, 1000);
  }

  read<R = Row>(sql: string, parameters?: readonly Parameter[]): Promise<R[]> {
    const deadline = Date.now() + this.deadlineMs;
    return this.lease(
      deadline,
      () => deadline,
      (connection) => connection.send<R[]>(sql, parameters),
    );
  }

  snapshot<T>(work: (reader: Reader) => Promise<T>): Promise<T> {
    // Between its statements a snapshot may wait for a slow client, so each has a time of its own.
    const deadline = (): number => Date.now() + this.deadlineMs;
    return this.lease(deadline(), deadline, async (connection) => {
      await connection.send('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ');
      await connection.send('START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY');
      try {
        return await work(connection);
      } finally {
        await connection.send('COMMIT');
      }
    });
  }

  transaction<T>(work: (writer: Writer) => Promise<T>, deadline: number): Promise<T> {
    return this.lease(
      deadline,
      () => deadline,
      async (connection) => {
        await connection.send('START TRANSACTION');
        let result: T;
        try {
          result = await work(connection);
        } catch (error) {
          if (!isBroken(error)) await connection.send('ROLLBACK');
          throw error;
        }
        await connection.send('COMMIT');
        return result;
      },
    );
  }

  failure(error: unknown): Failure {
    if (error instanceof Unavailable) return 'unavailable';
    const { errno, code, fatal } = error as Partial<QueryError>;
    if (errno !== undefined && RETRY.has(errno)) return 'retry';
    if (errno === 1062) return 'duplicate';
    if (fatal || (errno !== undefined && AWAY.has(errno)) || isBroken(error)) return 'unavailable';
    if (/^(E[A-Z]+|POOL_CLOSED)$/.test(code ?? '') && (errno ?? -1) < 0) return 'unavailable';
    return 'other';
  }

  load(): Load {
    return { limit: this.gate.limit, busy: this.gate.busy, waiting: this.gate.waiting };
  }

  async close(): Promise<void> {}

  private async lease<T>(
    deadline: number,
    statementDeadline: () => number,
    work: (connection: Connection) => Promise<T>,
  ): Promise<T> {
    const wait = this.gate.enter(deadline);
    if (wait) await wait;
    try {
      const raw = await this.acquire(deadline);
      try {
        const result = await work(new Connection(raw, statementDeadline));
        raw.release();
        return result;
      } catch (error) {
        if (isBroken(error)) raw.destroy();
        else raw.release();
        throw error;
      }
    } finally {
      this.gate.leave();
    }
  }

  private acquire(deadline: number): Promise<PoolConnection> {
    return new Promise((resolve, reject) => {
      let late = false;
      const timer = setTimeout(
        () => {
          late = true;
          reject(new TimedOut('no connection in time'));
        },
        Math.max(0, deadline - Date.now()),
      );
      this.pool.getConnection((error, connection) => {
        clearTimeout(timer);
        if (late) connection?.release();
        else if (error) reject(error);
        else resolve(connection);
      });
    });
  }
}

/** Whether a connection can no longer be trusted after this error. */
function isBroken(error: unknown): boolean {
  if (error instanceof TimedOut) return true;
  const { fatal, code, errno } = error as Partial<QueryError>;
  return (
    fatal === true ||
    (code?.startsWith('PROTOCOL_') ?? false) ||
    errno === 1053 ||
    errno === 1927 ||
    code === 'ECONNRESET' ||
    code === 'EPIPE' ||
    code === 'ETIMEDOUT'
  );
}

/** Sets up a new connection; its statements run in order, so these come first. */
export function prepareConnection(connection: PoolConnection): void {
  for (const statement of SESSION) {
    connection.query(statement, (error: QueryError | null) => {
      if (error) connection.destroy();
    });
  }
}
