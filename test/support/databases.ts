import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createConnection } from 'mysql2/promise';
import type { DataSource } from 'typeorm';
import type { DatabaseTarget } from '../../src/config/database-url';
import { Config } from '../../src/config/config';
import { createDataSource } from '../../src/database/data-source';

export type EngineName = 'sqlite' | 'mysql';

declare global {
  /** The engine of the jest project that runs this file; `none` in projects without one. */

  var ENGINE: EngineName | 'none';
}

/** Returns the engine of this jest project. */
export function engineUnderTest(): EngineName {
  if (ENGINE === 'none') throw new Error('this project has no engine: the suite must name one');
  return ENGINE;
}

/** A database that no other test uses. */
export interface TestDatabase {
  engine: EngineName;
  /** The value of DATABASE_URL. */
  url: string;
  drop(): Promise<void>;
}

export async function createDatabase(engine = engineUnderTest()): Promise<TestDatabase> {
  if (engine === 'sqlite') {
    const folder = mkdtempSync(join(tmpdir(), 'sprintline-'));
    return {
      engine,
      url: `sqlite:${join(folder, 'test.db')}`,
      drop: async () => rmSync(folder, { recursive: true, force: true }),
    };
  }
  const server = process.env.TEST_MYSQL_URL;
  if (!server) throw new Error('there is no MySQL server to test against');
  const name = `test_${randomBytes(8).toString('hex')}`;
  await execute(server, `CREATE DATABASE ${name}`);
  const url = new URL(server);
  url.pathname = `/${name}`;
  return {
    engine,
    url: url.href,
    drop: () => execute(server, `DROP DATABASE IF EXISTS ${name}`),
  };
}

/** Parses the URL of a database. */
export const targetOf = ({ url }: Pick<TestDatabase, 'url'>): DatabaseTarget =>
  Config.from({ DATABASE_URL: url }).database;

/** Runs `work` on a separate connection, without migrating the database. */
export async function withDataSource<T>(
  database: Pick<TestDatabase, 'url'>,
  work: (dataSource: DataSource) => Promise<T>,
): Promise<T> {
  const dataSource = await createDataSource(targetOf(database), 'migrate').initialize();
  try {
    return await work(dataSource);
  } finally {
    await dataSource.destroy();
  }
}

async function execute(server: string, statement: string): Promise<void> {
  const connection = await createConnection(server);
  try {
    await connection.query(statement);
  } finally {
    await connection.end();
  }
}
