import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createConnection } from 'mysql2/promise';

export type EngineName = 'sqlite' | 'mysql';

declare global {
  /** The engine of the jest project that runs this file; `none` in those that need no database. */

  var ENGINE: EngineName | 'none';
}

/** The engine that this run of a file is about. */
export function engineUnderTest(): EngineName {
  if (ENGINE === 'none') throw new Error('this suite has no engine; it says which it wants');
  return ENGINE;
}

/** An empty database of a test's own. */
export interface TestDatabase {
  engine: EngineName;
  /** What DATABASE_URL is to be. */
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

async function execute(server: string, statement: string): Promise<void> {
  const connection = await createConnection(server);
  try {
    await connection.query(statement);
  } finally {
    await connection.end();
  }
}
