import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { chromiumBinary } from './chromium';
import { MysqlServer, serverBinary } from './mysql-server';

/** Says loudly what is not tested, or fails where it must be. */
function lacks(message: string, isRequired: boolean): void {
  if (isRequired) throw new Error(message);
  const line = '!'.repeat(message.length + 8);
  console.warn(`\n${line}\n!!  ${message}  !!\n${line}\n`);
}

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
  if (chromiumBinary() === undefined) {
    lacks(
      'There is no Chromium on this machine, so the board in the browser is not tested. ' +
        'Install chromium.',
      process.env.REQUIRE_CHROMIUM !== undefined,
    );
  }
  if (process.env.TEST_MYSQL_URL) return;
  const binary = serverBinary();
  if (binary === undefined) {
    lacks(
      'There is no mariadbd or mysqld on this machine, so nothing is tested on MySQL. ' +
        'Install mariadb-server, or set TEST_MYSQL_URL.',
      process.env.REQUIRE_MYSQL !== undefined,
    );
    return;
  }
  const server = await MysqlServer.create(binary);
  process.env.TEST_MYSQL_URL = server.url;
  (globalThis as { mysqlServer?: MysqlServer }).mysqlServer = server;
}
