import Libsql from 'libsql';
import AsyncLibsql from 'libsql/promise';
import type { DataSourceOptions } from 'typeorm';
import { DataSource } from 'typeorm';
import type { DatabaseTarget } from '../config/database-url';
import { createPool } from './mysql-pool';
import { entities, migrations } from './registry';

/**
 * The purpose of a connection: `read` (repositories; on MySQL also the unit of work), `write` (the unit of
 * work on SQLite), `snapshot` (long reads on MySQL), `migrate`.
 */
type Purpose = 'read' | 'write' | 'snapshot' | 'migrate';

/** Injection token of the data source of the unit of work: on SQLite a connection of its own. */
export const WRITER = Symbol('WRITER');

/** Size of the page cache of an SQLite connection in KiB; the cache includes the uncommitted changes. */
const CACHE_KIB = 16_384;

/** Pages of the write-ahead log at which a commit runs a checkpoint, if the snapshot threads have not kept up. */
const CHECKPOINT_PAGES = 262_144;

/** Milliseconds after which a transaction is long. */
const LONG_MS = 15;

interface SourceOptions {
  /** Connections to a MySQL server. */
  poolSize?: number;
  /** Milliseconds that one statement may take on MySQL. */
  statementMs?: number;
}

/** Creates a data source, which opens its connection in `initialize`. */
export const createDataSource = (
  target: DatabaseTarget,
  purpose: Purpose,
  options?: SourceOptions,
): DataSource => dataSourceOf(dataSourceOptions(target, purpose, options));

/** Creates a data source from options that `dataSourceOptions` returned. */
export function dataSourceOf(options: DataSourceOptions): DataSource {
  const dataSource = new DataSource(options);
  if (options.type !== 'better-sqlite3') {
    // `text` of an entity may be longer than the 64 KiB of MySQL's type with that name.
    const { driver } = dataSource;
    const normalizeType = driver.normalizeType.bind(driver);
    driver.normalizeType = (column) =>
      column.type === 'text' ? 'mediumtext' : normalizeType(column);
  }
  return dataSource;
}

/**
 * A connection whose statements know whether they return rows. TypeORM asks before each run, and the driver's answer
 * takes a twentieth of a short request.
 */
class TypeormLibsql extends Libsql {
  override prepare(sql: string): never {
    const statement = super.prepare(sql);
    return Object.defineProperty(statement, 'reader', { value: statement.reader }) as never;
  }
}

/** The connection that writes on SQLite. */
class WriterLibsql extends TypeormLibsql {
  private begunAt = 0;

  override prepare(sql: string): never {
    if (sql === 'BEGIN TRANSACTION') return statement(() => this.begin());
    if (sql === 'COMMIT') return statement(() => this.commit());
    return super.prepare(sql);
  }

  /**
   * TypeORM begins deferred transactions; these lock the file at once. Not by a prepared statement: libsql does not
   * reset one that fails with SQLITE_BUSY, and COMMIT fails while it is in progress.
   */
  private begin(): void {
    this.exec('BEGIN IMMEDIATE');
    this.begunAt = performance.now();
  }

  /**
   * Commits a long transaction in a thread of libsql, because writing and syncing its pages would block the process
   * for up to 0.5 s. Short ones are a tenth to a quarter faster without.
   */
  private async commit(): Promise<void> {
    if (performance.now() - this.begunAt < LONG_MS) this.exec('COMMIT');
    else await (AsyncLibsql.prototype.exec.call(this, 'COMMIT') as Promise<void>);
  }
}

/** A statement without rows, as TypeORM runs it: it waits for the `lastInsertRowid`, which may be a promise. */
const statement = (run: () => unknown): never =>
  ({ reader: false, run: () => ({ changes: 0, lastInsertRowid: run() }) }) as never;

export function dataSourceOptions(
  target: DatabaseTarget,
  purpose: Purpose,
  { poolSize = 2, statementMs }: SourceOptions = {},
): DataSourceOptions {
  if (target.kind === 'sqlite') {
    const reads = purpose === 'read';
    return {
      entities,
      migrations,
      type: 'better-sqlite3',
      driver: purpose === 'write' ? WriterLibsql : TypeormLibsql,
      database: target.file,
      enableWAL: !reads,
      // With 0 a busy file is an error at once, and the unit of work retries: waiting would block the process.
      timeout: purpose === 'migrate' ? 5000 : 0,
      prepareDatabase: (database: Libsql.Database) => {
        database.pragma(`cache_size = -${CACHE_KIB}`);
        if (reads) {
          // The driver's own `readonly` option has no effect.
          database.pragma('query_only = ON');
          return;
        }
        // With NORMAL, the default of better-sqlite3 but not of libsql, a commit returns before it is synced.
        database.pragma('synchronous = FULL');
        if (purpose === 'write') database.pragma(`wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
      },
    };
  }
  return {
    entities,
    migrations,
    type: target.kind,
    driver: { createPool: createPool(statementMs) },
    host: target.host,
    port: target.port,
    username: target.user,
    password: target.password,
    database: target.database,
    charset: 'utf8mb4',
    timezone: 'Z',
    // Times stay strings in raw results. Entities get a Date, which is right because the process runs in
    // UTC (see main.ts). With Date objects a list of 50 took 1.4 times the processor time.
    dateStrings: true,
    // COUNT and SUM of integers are numbers.
    bigNumberStrings: false,
    // Otherwise each statement captures a stack trace: 330 µs for creating a story.
    trace: false,
    connectTimeout: 1500,
    poolSize,
    extra: {
      decimalNumbers: true,
      // TypeORM prepares no statements; by default each connection of mysql2 allocates 0.5 MiB for 16,000.
      maxPreparedStatements: 1,
      queueLimit: 400,
      keepAliveInitialDelay: 10_000,
      ...(purpose === 'snapshot' && { maxIdle: 2, idleTimeout: 1000 }),
      // Otherwise the driver accepts a certificate of any host.
      ...(target.tls && { ssl: { verifyIdentity: true } }),
    },
  };
}
