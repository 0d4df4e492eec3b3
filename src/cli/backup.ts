import type { Command } from 'commander';
import { existsSync } from 'node:fs';
import { Config } from '../config/config';
import { copySqlite } from '../database/sqlite-copy';
import { requireSqliteFile } from '../database/sqlite-file';
import { ExpectedError } from '../logging/expected-error';

/** `backup`: copies a consistent state of an SQLite database, even while the service runs. */
export function defineBackup(command: Command): void {
  command.argument('<file>', 'the copy, which must not exist yet').action((file: string) => {
    const { database } = Config.from(process.env);
    if (database.kind !== 'sqlite') {
      throw new ExpectedError(
        'Back up a server with mariadb-dump or mysqldump and --single-transaction; ' +
          'docs/operations.md has the command.',
      );
    }
    requireSqliteFile(database);
    if (file === '-')
      throw new ExpectedError('A copy needs a file; it cannot be written to standard output.');
    if (existsSync(file)) throw new ExpectedError(`${file} already exists.`);
    try {
      copySqlite(database.file, file);
    } catch (error) {
      throw new ExpectedError(`The copy failed: ${(error as Error).message}`, { cause: error });
    }
    console.log(`Copied ${database.file} to ${file}.`);
  });
}
