import { accessSync, constants, existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { DatabaseTarget } from '../config/database-url';
import { ConfigError } from '../config/config-error';
import { ExpectedError } from '../logging/expected-error';

const REASONS: Record<string, string> = {
  EACCES: 'this user lacks the permission',
  EPERM: 'this user lacks the permission',
  EROFS: 'the file system is read-only',
  ENOTDIR: 'a part of the path is a file',
  EEXIST: 'a file has this name',
};

/**
 * Creates the folder of an SQLite database, and requires that this user can write the file.
 * @throws ConfigError that says what is missing
 */
export function prepareSqliteFile(target: DatabaseTarget): void {
  if (target.kind !== 'sqlite') return;
  const { file } = target;
  const folder = dirname(file);
  const { R_OK, W_OK, X_OK } = constants;
  // Only this user can read the folder, because SQLite creates files that all users can read.
  attempt(`the folder ${folder} cannot be created`, () =>
    mkdirSync(folder, { recursive: true, mode: 0o700 }),
  );
  // SQLite creates a log beside the database.
  attempt(`the folder ${folder} cannot be written`, () => accessSync(folder, W_OK | X_OK));
  if (!existsSync(file)) return;
  if (statSync(file).isDirectory()) throw unusable(`${file} is a folder`);
  attempt(`the file ${file} cannot be written`, () => accessSync(file, R_OK | W_OK));
}

function attempt(failure: string, work: () => unknown): void {
  try {
    work();
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    throw unusable(`${failure}: ${REASONS[code] ?? code}`);
  }
}

/** @throws ExpectedError if there is no SQLite database */
export function requireSqliteFile(target: DatabaseTarget): void {
  if (target.kind !== 'sqlite' || existsSync(target.file)) return;
  throw new ExpectedError(`There is no database ${target.file}.`);
}

const unusable = (reason: string): ConfigError => new ConfigError([`DATABASE_URL: ${reason}`]);
