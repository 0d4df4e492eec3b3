import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { MysqlServer, serverBinary } from './mysql-server';

/**
 * Provides a MySQL server for the tests: the one that TEST_MYSQL_URL names (its user must be allowed to
 * create databases), else a throwaway one if the machine has a server.
 */
export default async function globalSetup(): Promise<void> {
  // The tests of faults kill the built program.
  execFileSync(process.execPath, ['scripts/build-if-needed.mjs'], {
    cwd: join(__dirname, '../..'),
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  if (process.env.TEST_MYSQL_URL) return;
  const binary = serverBinary();
  if (binary === undefined) {
    const message =
      'There is no mariadbd or mysqld on this machine, so nothing is tested on MySQL. ' +
      'Install mariadb-server, or set TEST_MYSQL_URL.';
    if (process.env.REQUIRE_MYSQL) throw new Error(message);
    const line = '!'.repeat(message.length + 8);
    console.warn(`\n${line}\n!!  ${message}  !!\n${line}\n`);
    return;
  }
  const server = await MysqlServer.create(binary);
  process.env.TEST_MYSQL_URL = server.url;
  (globalThis as { mysqlServer?: MysqlServer }).mysqlServer = server;
}
