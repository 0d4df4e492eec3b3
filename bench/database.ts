import Libsql from 'libsql';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RowDataPacket } from 'mysql2/promise';
import { createPool } from 'mysql2/promise';
import { MysqlServer, serverBinary } from '../test/support/mysql-server';

export type Engine = 'sqlite' | 'mysql';
export type Value = string | number | null;

/** A database under measurement, with direct access for test data and checks. */
export interface Database {
  readonly engine: Engine;
  /** The value of DATABASE_URL. */
  readonly url: string;
  query<R = Record<string, unknown>>(sql: string, values?: Value[]): Promise<R[]>;
  /** Inserts rows in chunks; each row lists its values in the order of the columns. */
  insert(table: string, columns: string[], rows: Iterable<Value[]>, chunk?: number): Promise<void>;
  version(): Promise<string>;
  drop(): Promise<void>;
}

/** Creates databases of one engine. `close` stops and removes everything that was created for them. */
export interface Server {
  create(name: string): Promise<Database>;
  close(): Promise<void>;
}

/** Opens a temporary folder for SQLite; for MySQL, the server of BENCH_MYSQL_URL or a temporary MariaDB. */
export async function openServer(engine: Engine): Promise<Server> {
  if (engine === 'sqlite') {
    const folder = mkdtempSync(join(process.env.BENCH_FOLDER ?? tmpdir(), 'sprintline-bench-'));
    return {
      create: async (name) => openSqlite(join(folder, `${name}.db`)),
      close: async () => rmSync(folder, { recursive: true, force: true }),
    };
  }
  const given = process.env.BENCH_MYSQL_URL;
  if (given) return { create: (name) => openMysql(given, name), close: async () => {} };
  const binary = serverBinary();
  if (binary === undefined) throw new Error('there is no mariadbd or mysqld; set BENCH_MYSQL_URL');
  const server = await MysqlServer.create(binary);
  const admin = createPool(server.url);
  // The server is configured for tests: not durable, and with little memory.
  await admin.query('SET GLOBAL innodb_flush_log_at_trx_commit = 1');
  await admin.query('SET GLOBAL innodb_buffer_pool_size = 2147483648');
  if (binary.endsWith('mariadbd'))
    await admin.query('SET GLOBAL innodb_log_file_size = 1073741824');
  await admin.end();
  return { create: (name) => openMysql(server.url, name), close: () => server.destroy() };
}

function* chunks<T>(items: Iterable<T>, size: number): Generator<T[]> {
  let chunk: T[] = [];
  for (const item of items) {
    chunk.push(item);
    if (chunk.length === size) {
      yield chunk;
      chunk = [];
    }
  }
  if (chunk.length > 0) yield chunk;
}

function openSqlite(file: string): Database {
  const connection = new Libsql(file);
  connection.pragma('journal_mode = WAL');
  connection.pragma('busy_timeout = 10000');
  const query = async <R>(sql: string, values: Value[] = []): Promise<R[]> =>
    connection.prepare<unknown[]>(sql).all(...values) as R[];
  return {
    engine: 'sqlite',
    url: `sqlite:${file}`,
    query,
    insert: async (table, columns, rows, chunk = 20_000) => {
      const statement = connection.prepare<unknown[]>(
        `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`,
      );
      for (const some of chunks(rows, chunk)) {
        connection.exec('BEGIN IMMEDIATE');
        for (const row of some) statement.run(...row);
        connection.exec('COMMIT');
      }
      connection.pragma('wal_checkpoint(TRUNCATE)');
    },
    version: async () => {
      const [row] = await query<{ version: string }>('SELECT sqlite_version() AS version');
      return `SQLite ${row?.version} (synchronous=FULL)`;
    },
    drop: async () => {
      connection.close();
      for (const end of ['', '-wal', '-shm']) rmSync(file + end, { force: true });
    },
  };
}

async function openMysql(server: string, name: string): Promise<Database> {
  const url = new URL(server);
  const admin = createPool({ uri: server, connectionLimit: 1 });
  await admin.query(`DROP DATABASE IF EXISTS ${name}`);
  await admin.query(`CREATE DATABASE ${name}`);
  await admin.end();
  url.pathname = `/${name}`;
  const pool = createPool({ uri: url.href, connectionLimit: 1, dateStrings: true });
  const query = async <R>(sql: string, values: Value[] = []): Promise<R[]> =>
    (await pool.query<RowDataPacket[]>(sql, values))[0] as R[];
  return {
    engine: 'mysql',
    url: url.href,
    query,
    insert: async (table, columns, rows, chunk = 1000) => {
      for (const some of chunks(rows, chunk)) {
        await pool.query(`INSERT INTO ${table} (${columns.join(', ')}) VALUES ?`, [some]);
      }
      await pool.query(`ANALYZE TABLE ${table}`);
    },
    version: async () => {
      const [row] = await query<{ version: string; flush: number }>(
        'SELECT VERSION() AS version, @@innodb_flush_log_at_trx_commit AS flush',
      );
      return `${row?.version} (innodb_flush_log_at_trx_commit=${row?.flush})`;
    },
    drop: async () => {
      await pool.query(`DROP DATABASE IF EXISTS ${name}`);
      await pool.end();
    },
  };
}
