import Libsql from 'libsql';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Pool, ResultSetHeader, RowDataPacket } from 'mysql2/promise';
import { createPool } from 'mysql2/promise';
import { MysqlServer, serverBinary } from '../test/support/mysql-server';

export type EngineName = 'sqlite' | 'mysql';
export type Value = string | number | null;

/** A database that services are measured on, and a direct way into it for data and for changes. */
export interface Store {
  readonly engine: EngineName;
  /** What DATABASE_URL is to be. */
  readonly url: string;
  /** What the database says it is. */
  version(): Promise<string>;
  query<R = Record<string, unknown>>(sql: string, values?: Value[]): Promise<R[]>;
  run(sql: string, values?: Value[]): Promise<void>;
  /** Inserts rows by the thousand; each is a list of values in the order of the columns. */
  insert(table: string, columns: string[], rows: Iterable<Value[]>): Promise<void>;
  drop(): Promise<void>;
}

/** Where databases come from. `close` takes away what was started for it. */
export interface Server {
  /** The process of a server that was started for it. */
  readonly pid?: number;
  create(name: string): Promise<Store>;
  close(): Promise<void>;
}

/** A place for databases of this engine: BENCH_MYSQL_URL, or a throwaway server, or a folder. */
export async function openServer(engine: EngineName): Promise<Server> {
  if (engine === 'sqlite') {
    const folder = mkdtempSync(join(process.env.BENCH_FOLDER ?? tmpdir(), 'sprintline-bench-'));
    return {
      create: async (name) => new SqliteStore(join(folder, `${name}.db`)),
      close: async () => rmSync(folder, { recursive: true, force: true }),
    };
  }
  const given = process.env.BENCH_MYSQL_URL;
  if (given) return { create: (name) => MysqlStore.create(given, name), close: async () => {} };
  const binary = serverBinary();
  if (binary === undefined) throw new Error('there is no mariadbd; set BENCH_MYSQL_URL');
  const server = await MysqlServer.create(binary);
  return {
    pid: server.pid,
    create: (name) => MysqlStore.create(server.url, name),
    close: () => server.destroy(),
  };
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

class SqliteStore implements Store {
  readonly engine = 'sqlite';
  private opened: Libsql.Database | undefined;

  constructor(private readonly file: string) {}

  get url(): string {
    return `sqlite:${this.file}`;
  }

  async version(): Promise<string> {
    const [row] = await this.query<{ version: string }>('SELECT sqlite_version() AS version');
    return `SQLite ${row?.version} (libsql)`;
  }

  async query<R>(sql: string, values: Value[] = []): Promise<R[]> {
    return this.database.prepare<unknown[]>(sql).all(...values) as R[];
  }

  async run(sql: string, values: Value[] = []): Promise<void> {
    this.database.prepare<unknown[]>(sql).run(...values);
  }

  async insert(table: string, columns: string[], rows: Iterable<Value[]>): Promise<void> {
    const places = columns.map(() => '?').join(', ');
    const statement = this.database.prepare<unknown[]>(
      `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${places})`,
    );
    for (const chunk of chunks(rows, 5000)) {
      this.database.exec('BEGIN IMMEDIATE');
      for (const row of chunk) statement.run(...row);
      this.database.exec('COMMIT');
    }
  }

  async drop(): Promise<void> {
    this.opened?.close();
    for (const end of ['', '-wal', '-shm']) rmSync(this.file + end, { force: true });
  }

  private get database(): Libsql.Database {
    if (!this.opened) {
      this.opened = new Libsql(this.file);
      this.opened.pragma('busy_timeout = 10000');
    }
    return this.opened;
  }
}

class MysqlStore implements Store {
  readonly engine = 'mysql';
  private readonly pool: Pool;

  private constructor(
    readonly url: string,
    private readonly name: string,
  ) {
    this.pool = createPool({ uri: url, connectionLimit: 1, dateStrings: true });
  }

  static async create(server: string, name: string): Promise<Store> {
    const url = new URL(server);
    const at = createPool({ uri: url.href, connectionLimit: 1 });
    await at.query(`DROP DATABASE IF EXISTS ${name}`);
    await at.query(`CREATE DATABASE ${name}`);
    await at.end();
    url.pathname = `/${name}`;
    return new MysqlStore(url.href, name);
  }

  async version(): Promise<string> {
    const [row] = await this.query<{ version: string; flush: number }>(
      'SELECT VERSION() AS version, @@innodb_flush_log_at_trx_commit AS flush',
    );
    return `${row?.version} (innodb_flush_log_at_trx_commit=${row?.flush})`;
  }

  async query<R>(sql: string, values: Value[] = []): Promise<R[]> {
    const [rows] = await this.pool.query<RowDataPacket[]>(sql, values);
    return rows as R[];
  }

  async run(sql: string, values: Value[] = []): Promise<void> {
    await this.pool.query<ResultSetHeader>(sql, values);
  }

  async insert(table: string, columns: string[], rows: Iterable<Value[]>): Promise<void> {
    for (const chunk of chunks(rows, 1000)) {
      await this.pool.query(`INSERT INTO ${table} (${columns.join(', ')}) VALUES ?`, [chunk]);
    }
  }

  async drop(): Promise<void> {
    await this.pool.query(`DROP DATABASE IF EXISTS ${this.name}`);
    await this.pool.end();
  }
}
