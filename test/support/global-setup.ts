import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, statfsSync } from 'node:fs';
import { join } from 'node:path';
import { chromiumBinary } from './chromium';
import { MysqlServer, serverBinary } from './mysql-server';

/** What the teardown removes. */
export interface Provided {
  mysqlServer?: MysqlServer;
  folder?: string;
}

/** Says loudly what is not tested, or fails where it must be. */
function lacks(message: string, isRequired: boolean): void {
  if (isRequired) throw new Error(message);
  const line = '!'.repeat(message.length + 8);
  console.warn(`\n${line}\n!!  ${message}  !!\n${line}\n`);
}

const MEMORY = '/dev/shm';
const ENOUGH = 2 ** 30;

/** Keeps databases and other files in memory where there is enough: the disk is not under test. */
function useMemory(): void {
  if (!existsSync(MEMORY)) return;
  const { bavail, bsize } = statfsSync(MEMORY);
  if (bavail * bsize < ENOUGH) return;
  const folder = mkdtempSync(join(MEMORY, 'sprintline-tests-'));
  // A server that was started by root runs as another user.
  chmodSync(folder, 0o777);
  (globalThis as Provided).folder = process.env.TMPDIR = folder;
}

/**
 * Provides a MySQL server for the tests: the one that TEST_MYSQL_URL names (its user must be allowed to
 * create databases), else a throwaway one if the machine has a server.
 */
export default async function globalSetup(): Promise<void> {
  // The long suites measure.
  if (process.env.TESTS !== 'long') useMemory();
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
  (globalThis as Provided).mysqlServer = server;
}
