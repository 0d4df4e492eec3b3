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

/** Warns that tests are skipped, or fails if they are required. */
function warnOrFail(message: string, isRequired: boolean): void {
  if (isRequired) throw new Error(message);
  const line = '!'.repeat(message.length + 8);
  console.warn(`\n${line}\n!!  ${message}  !!\n${line}\n`);
}

const MEMORY = '/dev/shm';
const ENOUGH = 2 ** 30;

/** Puts temporary files such as databases in memory if there is enough: these tests do not test the disk. */
function useMemory(): void {
  if (!existsSync(MEMORY)) return;
  const { bavail, bsize } = statfsSync(MEMORY);
  if (bavail * bsize < ENOUGH) return;
  const folder = mkdtempSync(join(MEMORY, 'sprintline-tests-'));
  // Started by root, the server runs as another user.
  chmodSync(folder, 0o777);
  (globalThis as Provided).folder = process.env.TMPDIR = folder;
}

/**
 * Provides a MySQL server for the tests: the one of TEST_MYSQL_URL, whose user must be allowed to create
 * databases, else a temporary one if MySQL or MariaDB is installed.
 */
export default async function globalSetup(): Promise<void> {
  // The long suites measure, so they use the disk.
  if (process.env.TESTS !== 'long') useMemory();
  // Some tests run the built program.
  execFileSync(process.execPath, ['scripts/build-if-needed.mjs'], {
    cwd: join(__dirname, '../..'),
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  if (chromiumBinary() === undefined) {
    warnOrFail(
      'There is no Chromium on this machine, so the board in the browser is not tested. ' +
        'Install chromium-headless-shell or chromium.',
      process.env.REQUIRE_CHROMIUM !== undefined,
    );
  }
  if (process.env.TEST_MYSQL_URL) return;
  const binary = serverBinary();
  if (binary === undefined) {
    warnOrFail(
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
