import type {
  Connection as Raw,
  ConnectionOptions,
  FieldPacket,
  QueryError,
  ResultSetHeader,
} from 'mysql2';
import { loadMysql2 } from './drivers';
import type { Engine, Failure, Load, Parameter, Reader, Row, Writer, Written } from './engine';
import { Unavailable } from './engine';
import { Gate } from './gate';
import { NOT_PREPARED, Recurring, restoreFractions } from './prepared';

/**
 * Errors after which the same transaction may succeed, for it was rolled back: deadlock and, on
 * Galera, certification (1213), lock wait timeout (1205), record changed (1020), certification in
 * group replication (3101); and those of a server that has just ceased to be the one to write to:
 * Galera without a quorum (1047), read-only (1290, 1836).
 */
const RETRY = new Set([1213, 1205, 1020, 3101, 1047, 1290, 1836]);

/**
 * Errors of a server that cannot serve now, or that does not say whether it committed: no disk, too
 * many connections, access, unknown database, shutdown, network, killed, commit failed, too slow, no
 * group.
 */
const AWAY = new Set([
  1021, 1040, 1041, 1044, 1045, 1049, 1053, 1077, 1114, 1129, 1152, 1158, 1159, 1160, 1161, 1180,
  1203, 1226, 1317, 1927, 1969, 3024, 3032, 3100, 3572,
]);

/** Errors of what is more than the server takes in one piece: a packet, a result, a column. */
const TOO_LARGE = new Set([1153, 1301, 1406]);

/**
 * Errors that are the server's, or after which it hangs up, so that another connection, maybe to
 * another server, is better.
 */
const LEAVE = new Set([1047, 1053, 1153, 1180, 1290, 1836, 1927, 3100]);

/** `ER_UNKNOWN_SYSTEM_VARIABLE`: the server is not of the kind that has it. */
const UNKNOWN_VARIABLE = 1193;

/** Milliseconds in which a server that is well answers a ping. */
const PING_MS = 1000;

/** What each connection is set to before its first statement. */
const SESSION = [
  'SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED',
  `SET SESSION sql_mode = 'STRICT_ALL_TABLES,NO_ENGINE_SUBSTITUTION,ERROR_FOR_DIVISION_BY_ZERO', time_zone = '+00:00', innodb_lock_wait_timeout = 2`,
];

/**
 * What makes a client read what it wrote, whichever node of a cluster each request meets; a server
 * that is in none has no such variable, or takes no notice. Galera: a read, or the first statement of
 * a transaction, waits until the node has applied what the cluster had committed before. Group
 * replication: the same where every member takes writes; where one does, it need only be waited for
 * when it has just become the primary.
 */
const CLUSTER_SESSION = [
  'SET SESSION wsrep_sync_wait = 1',
  `SET SESSION group_replication_consistency =
     IF(@@group_replication_single_primary_mode, 'BEFORE_ON_PRIMARY_FAILOVER', 'BEFORE')`,
];

/** A statement or a connection did not answer in time, so nothing is known of its state. */
class TimedOut extends Unavailable {}

/** The connection was lost before the COMMIT was sent, so the transaction is undone. */
class Interrupted extends Error {}

/** A connection while it is lent to somebody. */
class Connection implements Writer {
  /** Whether somebody else may have it next. */
  usable = true;
  /** Whether nothing was heard of the server when something should have been. */
  lost = false;
  /** What refuses the statements that are not answered yet. */
  private readonly waiting: ((error: Error) => void)[] = [];
  /** The deadline of the last one. */
  private until = 0;
  /** One for all the statements of a loan, for most loans send several. */
  private timer: NodeJS.Timeout | undefined;

  constructor(
    readonly raw: Raw,
    private readonly recurring: Recurring,
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
    return new Promise((resolve, reject) => {
      if (!this.wait(reject)) {
        // What went before on it may have left a transaction open.
        this.usable = false;
        reject(new TimedOut('no time left'));
        return;
      }
      const seen = this.recurring.of(sql, values);
      let prepare = seen?.isWorthPreparing === true;
      const answered = (
        error: QueryError | null,
        result: unknown,
        fields?: FieldPacket[],
      ): void => {
        if (prepare && NOT_PREPARED.has(error?.errno ?? 0)) {
          prepare = false;
          this.raw.query(sql, values as Parameter[], answered);
          return;
        }
        this.waiting.splice(this.waiting.indexOf(reject), 1);
        if (error) {
          if (isLost(error)) this.lost = true;
          if (this.lost || LEAVE.has(error.errno ?? 0)) this.usable = false;
          reject(error);
          return;
        }
        seen?.answered(result);
        if (prepare && fields) restoreFractions(result as Row[], fields);
        resolve(result as T);
      };
      if (prepare) this.raw.execute(sql, values as Parameter[], answered);
      else this.raw.query(sql, values as Parameter[], answered);
    });
  }

  /** It is given back: nobody waits for anything any more. */
  release(): void {
    clearTimeout(this.timer);
  }

  /** Sees to it that a statement is refused at its deadline; false where that is over. */
  private wait(refuse: (error: Error) => void): boolean {
    const deadline = this.deadline();
    const left = deadline - Date.now();
    if (left <= 0) return false;
    this.waiting.push(refuse);
    this.until = deadline;
    // The driver's own limit would not begin before a statement is prepared.
    this.timer ??= setTimeout(this.look, left);
    return true;
  }

  private readonly look = (): void => {
    const left = this.until - Date.now();
    this.timer = undefined;
    if (this.waiting.length === 0) return;
    if (left > 0) {
      this.timer = setTimeout(this.look, left);
      return;
    }
    this.lost = true;
    this.usable = false;
    for (const refuse of this.waiting) refuse(new TimedOut('no answer in time'));
  };
}

/**
 * A server that speaks MySQL's protocol. mysql2 and its pool wait without limit, for a connection as
 * for an answer, and a waiter of the pool is forgotten when the connection that it waits for cannot
 * be made; so the connections are kept here. Whatever is asked for ends at its deadline, and a
 * connection that did not answer by then is never used again.
 */
export class MysqlEngine implements Engine {
  readonly dialect = 'mysql';
  readonly worthwhile: number;
  /** Connections that nobody uses, the one that was used last at the end. */
  private readonly idle: Raw[] = [];
  private readonly gate: Gate;
  private readonly streams: Gate;
  private closed = false;
  private readonly recurring = new Recurring();

  constructor(
    private readonly options: ConnectionOptions,
    connections: number,
    private readonly deadlineMs: number,
  ) {
    this.gate = new Gate(connections);
    // Whoever gives its connection back finds another that can take it at once.
    this.worthwhile = 2 * connections;
    this.streams = new Gate(Math.max(1, Math.floor(connections / 2)));
  }

  async read<R = Row>(sql: string, parameters?: readonly Parameter[]): Promise<R[]> {
    const deadline = Date.now() + this.deadlineMs;
    const send = (): Promise<R[]> =>
      this.lease(
        deadline,
        () => deadline,
        (connection) => connection.send<R[]>(sql, parameters),
      );
    try {
      return await send();
    } catch (error) {
      // A connection that was lost while it lay idle says so at its next use.
      if (!isLost(error)) throw error;
      return send();
    }
  }

  snapshot<T>(work: (reader: Reader) => Promise<T>): Promise<T> {
    const deadline = Date.now() + this.deadlineMs;
    return this.readOnly(deadline, () => deadline, work);
  }

  async stream<T>(work: (reader: Reader) => Promise<T>): Promise<T> {
    const deadline = (): number => Date.now() + this.deadlineMs;
    const first = deadline();
    await this.streams.enter(first);
    try {
      return await this.readOnly(first, deadline, work);
    } finally {
      this.streams.leave();
    }
  }

  transaction<T>(work: (writer: Writer) => Promise<T>, deadline: number): Promise<T> {
    return this.lease(
      deadline,
      () => deadline,
      async (connection) => {
        let result: T;
        try {
          await connection.send('START TRANSACTION');
          result = await work(connection);
        } catch (error) {
          if (isLost(error)) throw new Interrupted('connection lost', { cause: error });
          // Where this fails, the connection is given up, and the server undoes the transaction.
          if (connection.usable) await connection.send('ROLLBACK').catch(() => undefined);
          throw error;
        }
        await connection.send('COMMIT');
        return result;
      },
    );
  }

  async ping(): Promise<void> {
    const deadline = Date.now() + PING_MS;
    await this.lend(
      deadline,
      () => deadline,
      (connection) => connection.send('SELECT 1'),
    );
  }

  failure(error: unknown): Failure {
    if (error instanceof Unavailable) return 'unavailable';
    if (error instanceof Interrupted) return 'retry';
    const { errno, code } = error as Partial<QueryError>;
    if (errno !== undefined && RETRY.has(errno)) return 'retry';
    if (errno === 1062) return 'duplicate';
    if (errno !== undefined && TOO_LARGE.has(errno)) return 'too_large';
    if (isLost(error) || (errno !== undefined && AWAY.has(errno))) return 'unavailable';
    // The system's own errors: no such host, no route, connection refused.
    if (/^E[A-Z]+(_[A-Z]+)?$/.test(code ?? '') && (errno ?? -1) < 0) return 'unavailable';
    return 'other';
  }

  load(): Load {
    return { limit: this.gate.limit, busy: this.gate.busy, waiting: this.gate.waiting };
  }

  async close(): Promise<void> {
    this.closed = true;
    for (const raw of this.idle.splice(0)) raw.end();
  }

  private readOnly<T>(
    deadline: number,
    statementDeadline: () => number,
    work: (reader: Reader) => Promise<T>,
  ): Promise<T> {
    return this.lease(deadline, statementDeadline, async (connection) => {
      await connection.send('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ');
      await connection.send('START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY');
      try {
        return await work(connection);
      } finally {
        // Where this fails, the connection is given up, and the answer is none the worse.
        if (connection.usable) await connection.send('COMMIT').catch(() => undefined);
      }
    });
  }

  /** Lends a connection to one of so many at once, until its work is done. */
  private async lease<T>(
    deadline: number,
    statementDeadline: () => number,
    work: (connection: Connection) => Promise<T>,
  ): Promise<T> {
    const wait = this.gate.enter(deadline);
    if (wait) await wait;
    try {
      return await this.lend(deadline, statementDeadline, work);
    } finally {
      this.gate.leave();
    }
  }

  private async lend<T>(
    deadline: number,
    statementDeadline: () => number,
    work: (connection: Connection) => Promise<T>,
  ): Promise<T> {
    const raw = this.idle.pop() ?? (await this.connect(deadline));
    const connection = new Connection(raw, this.recurring, statementDeadline);
    try {
      return await work(connection);
    } finally {
      connection.release();
      if (connection.usable && !this.closed && this.idle.length < this.gate.limit) {
        this.idle.push(raw);
      } else {
        discard(raw);
      }
      // What happened to one has most likely happened to all.
      if (connection.lost) for (const other of this.idle.splice(0)) discard(other);
    }
  }

  private async connect(deadline: number): Promise<Raw> {
    const connectTimeout = deadline - Date.now();
    if (connectTimeout <= 0) throw new TimedOut('no time left to connect');
    const raw = loadMysql2().createConnection({ ...this.options, connectTimeout });
    // Emitted for an idle connection that the server, or something on the way, has closed.
    raw.on('error', () => {
      const index = this.idle.indexOf(raw);
      if (index >= 0) this.idle.splice(index, 1);
      discard(raw);
    });
    const connection = new Connection(raw, this.recurring, () => deadline);
    try {
      await new Promise<void>((resolve, reject) => {
        raw.connect((error) => (error ? reject(error) : resolve()));
      });
      await prepare((statement) => connection.send(statement));
      if (await isGalera(connection)) this.recurring.prepareNone();
      // A statement that nobody waits for any more is to end on the server too. (MariaDB counts in
      // seconds, MySQL in milliseconds, each in a comment that only it executes.)
      await connection.send(
        `SET SESSION /*M! max_statement_time = ${this.deadlineMs / 1000} */ /*!80000 max_execution_time = ${this.deadlineMs} */`,
      );
      return raw;
    } catch (error) {
      discard(raw);
      throw error;
    } finally {
      connection.release();
    }
  }
}

/** Whether the server is a node of a Galera cluster. */
async function isGalera(connection: Connection): Promise<boolean> {
  try {
    const [row] = await connection.query<{ wsrep_on: number }>('SELECT @@wsrep_on AS wsrep_on');
    return row?.wsrep_on === 1;
  } catch (error) {
    if ((error as QueryError).errno !== UNKNOWN_VARIABLE) throw error;
    return false;
  }
}

/** Sends what a connection is set to, all of it at once, so that nothing else comes before. */
async function prepare(send: (statement: string) => Promise<unknown>): Promise<void> {
  await Promise.all([
    ...SESSION.map(send),
    ...CLUSTER_SESSION.map((statement) =>
      send(statement).catch((error: QueryError) => {
        if (error.errno !== UNKNOWN_VARIABLE) throw error;
      }),
    ),
  ]);
}

/** Sets up a new connection of a pool that is not ours. */
export function prepareConnection(raw: Raw): void {
  const send = (statement: string): Promise<void> =>
    new Promise((resolve, reject) => {
      raw.query(statement, (error: QueryError | null) => (error ? reject(error) : resolve()));
    });
  prepare(send).catch(() => discard(raw));
}

/** Whether a connection is gone, with whatever was under way on it. */
function isLost(error: unknown): boolean {
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

/** Gives a connection up. By itself mysql2 only says good-bye, which a dead peer never answers. */
function discard(raw: Raw): void {
  raw.destroy();
  (raw as Raw & { stream?: { destroy?: () => void } }).stream?.destroy?.();
}
