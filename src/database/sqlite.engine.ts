import type Database from 'libsql';
import { LRUCache } from 'lru-cache';
import type { DataSource } from 'typeorm';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { loadLibsql } from './drivers';
import type { Engine, Failure, Load, Parameter, Reader, Row, Writer, Written } from './engine';
import { Unavailable } from './engine';
import { Gate } from './gate';

type Statement = Database.Statement<unknown[]>;

/** Streams that may be open at once; each snapshot has a connection of its own. */
const STREAMS = 16;
const IDLE_SNAPSHOTS = 4;

/** Requests at a time that read; what they read they read one after the other. */
const READERS = 6;

/**
 * Milliseconds that a writer waits for its turn: one that has it is as good as done, and on a slow disk,
 * which syncs for each alone, a crowd takes a while.
 */
const WRITER_PATIENCE_MS = 1500;

/** Milliseconds of writing after which others, who want nothing of the writer, have their turn. */
const LONGEST_TURN = 20;

/** Memory for pages that are written: a thousand stories that move are all over a large file. */
const WRITER_CACHE_KIB = 16_384;

/** Changes that are made durable together, at most. */
const MOST_TOGETHER = 64;

/** A connection with its prepared statements. */
class Connection implements Writer {
  private readonly statements = new LRUCache<string, Statement>({ max: 200 });

  constructor(readonly database: Database.Database) {}

  async query<R = Row>(sql: string, parameters: readonly Parameter[] = []): Promise<R[]> {
    return this.prepare(sql).all(...(parameters as unknown[])) as R[];
  }

  async run(sql: string, parameters: readonly Parameter[] = []): Promise<Written> {
    const { changes, lastInsertRowid } = this.prepare(sql).run(...(parameters as unknown[]));
    return { rows: changes, id: Number(lastInsertRowid) };
  }

  private prepare(sql: string): Statement {
    let statement = this.statements.get(sql);
    if (statement === undefined) {
      statement = this.database.prepare<unknown[]>(sql);
      this.statements.set(sql, statement);
    }
    return statement;
  }
}

/**
 * SQLite in WAL mode. TypeORM's driver has one connection for everybody, so that one transaction
 * would take part in another's; here it belongs to one writer at a time, and readers, which see what
 * is committed, have others. The driver is synchronous: a statement blocks the process while it runs,
 * so nothing may wait inside it, and a lock held by another process is answered at once (SQLITE_BUSY,
 * a reason to try again) instead of with the busy handler, which would stop the process.
 */
export class SqliteEngine implements Engine {
  readonly dialect = 'sqlite';
  private readonly writer: Connection;
  private readonly reader: Connection;
  private readonly idle: Connection[] = [];
  private readonly writing = new Gate(1, WRITER_PATIENCE_MS);
  private readonly streams = new Gate(STREAMS);
  /** What has been written and is not durable yet. */
  private together: Together | undefined;

  constructor(
    dataSource: DataSource,
    private readonly file: string,
    private readonly deadlineMs: number,
  ) {
    const { databaseConnection } = dataSource.driver as unknown as {
      databaseConnection: Database.Database;
    };
    databaseConnection.pragma('busy_timeout = 0');
    databaseConnection.pragma(`cache_size = -${WRITER_CACHE_KIB}`);
    this.writer = new Connection(databaseConnection);
    this.reader = this.open();
  }

  read<R = Row>(sql: string, parameters: readonly Parameter[] = []): Promise<R[]> {
    return this.reader.query<R>(sql, parameters);
  }

  async snapshot<T>(work: (reader: Reader) => Promise<T>): Promise<T> {
    const connection = this.idle.pop() ?? this.open();
    let usable = false;
    try {
      connection.database.exec('BEGIN');
      const result = await work(connection);
      connection.database.exec('COMMIT');
      usable = true;
      return result;
    } finally {
      if (!usable) usable = rolledBack(connection);
      if (usable && this.idle.length < IDLE_SNAPSHOTS) this.idle.push(connection);
      else connection.database.close();
    }
  }

  async stream<T>(work: (reader: Reader) => Promise<T>): Promise<T> {
    await this.streams.enter(Date.now() + this.deadlineMs);
    try {
      return await this.snapshot(work);
    } finally {
      this.streams.leave();
    }
  }

  /**
   * One in line goes on in the transaction of the one before, in a savepoint of its own, and all of them
   * are committed, and answered, when nobody is in line any more: what takes time is to sync the
   * disk, which is done once for all of them.
   */
  async transaction<T>(work: (writer: Writer) => Promise<T>, deadline: number): Promise<T> {
    await this.writing.enter(deadline);
    let result: T;
    let durable: Promise<void>;
    try {
      this.together ??= await this.begin(deadline);
      result = await this.within(this.together, work);
      durable = this.together.join();
    } finally {
      if (this.together?.isOver || this.writing.waiting === 0) this.commit();
      this.writing.leave();
    }
    await durable;
    return result;
  }

  async ping(): Promise<void> {
    await this.reader.query('SELECT 1');
  }

  failure(error: unknown): Failure {
    if (error instanceof Unavailable) return 'unavailable';
    const { code = '', message = '' } = error as { code?: string; message?: string };
    if (/^SQLITE_(BUSY|LOCKED)/.test(code)) return 'retry';
    if (/^SQLITE_CONSTRAINT_(UNIQUE|PRIMARYKEY)/.test(code)) return 'duplicate';
    if (/^SQLITE_(FULL|IOERR|CANTOPEN|READONLY|NOTADB|CORRUPT|PROTOCOL)/.test(code)) {
      return 'unavailable';
    }
    if (code.startsWith('SQLITE_TOOBIG')) return 'too_large';
    // Where a file cannot be opened, the driver gives no code.
    return message.startsWith('ConnectionFailed') ? 'unavailable' : 'other';
  }

  /** Begins a transaction of the writer, once no other process is in one. */
  private async begin(deadline: number): Promise<Together> {
    // Whoever has come at the same time joins the line meanwhile.
    await nextTurn();
    for (;;) {
      try {
        this.writer.database.exec('BEGIN IMMEDIATE');
        return new Together();
      } catch (error) {
        if (this.failure(error) !== 'retry' || Date.now() >= deadline) throw error;
      }
      await sleep(Math.random() * 5);
    }
  }

  /** Does the work of one change; where it fails, nothing of it is left, but all that others did. */
  private async within<T>(together: Together, work: (writer: Writer) => Promise<T>): Promise<T> {
    const { database } = this.writer;
    const alone = together.size === 0;
    try {
      if (!alone) database.exec('SAVEPOINT one');
      const result = await work(this.writer);
      if (!alone) database.exec('RELEASE one');
      return result;
    } catch (error) {
      if (alone || !undone(database)) {
        // SQLite has undone all, for a full disk, or cannot be trusted to undo a part.
        rolledBack(this.writer);
        this.together = undefined;
        together.fail(error);
      }
      throw error;
    }
  }

  /** Makes durable what has been written. */
  private commit(): void {
    const { together } = this;
    if (!together) return;
    this.together = undefined;
    try {
      this.writer.database.exec('COMMIT');
      together.succeed();
    } catch (error) {
      rolledBack(this.writer);
      together.fail(error);
    }
  }

  /** Those who wait for the writer do nothing meanwhile, and keep nobody from reading. */
  get worthwhile(): number {
    return READERS + this.writing.waiting;
  }

  load(): Load {
    return { limit: 1, busy: this.writing.busy, waiting: this.writing.waiting };
  }

  async close(): Promise<void> {
    for (const connection of [this.reader, ...this.idle]) connection.database.close();
  }

  private open(): Connection {
    const database = new (loadLibsql())(this.file);
    // The driver's `readonly` does not hold; this does.
    database.pragma('query_only = ON');
    database.pragma('busy_timeout = 0');
    return new Connection(database);
  }
}

/** Changes in one transaction, each of which waits for its end. */
class Together {
  private readonly began = performance.now();
  private readonly waiting: { resolve: () => void; reject: (error: unknown) => void }[] = [];

  get size(): number {
    return this.waiting.length;
  }

  /** Whether it is time to commit, whoever else would join. */
  get isOver(): boolean {
    return this.size >= MOST_TOGETHER || performance.now() - this.began > LONGEST_TURN;
  }

  /** Fulfilled when all is durable. */
  join(): Promise<void> {
    return new Promise((resolve, reject) => this.waiting.push({ resolve, reject }));
  }

  succeed(): void {
    for (const { resolve } of this.waiting) resolve();
  }

  fail(error: unknown): void {
    for (const { reject } of this.waiting) reject(error);
  }
}

/** Undoes what was done since the savepoint; false where that fails. */
function undone(database: Database.Database): boolean {
  try {
    if (!database.inTransaction) return false;
    database.exec('ROLLBACK TO one');
    database.exec('RELEASE one');
    return true;
  } catch {
    return false;
  }
}

/** Ends the transaction of a connection, where there is one; false where even that fails. */
function rolledBack({ database }: Connection): boolean {
  try {
    // A failed write may have ended it already.
    if (database.inTransaction) database.exec('ROLLBACK');
    return true;
  } catch {
    return false;
  }
}
