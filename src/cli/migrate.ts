import type { Command } from 'commander';
import { Config } from '../config/config';
import { migrate } from '../database/migrator';
import { prepareSqliteFile } from '../database/sqlite-file';
import { ExpectedError } from '../logging/expected-error';

/** `migrate`: runs the pending migrations, as every start of the service does. */
export function defineMigrate(command: Command): void {
  command.action(async () => {
    const { database } = Config.from(process.env);
    prepareSqliteFile(database);
    try {
      const done = await migrate(database);
      console.log(done.length > 0 ? `Migrated: ${done.join(', ')}.` : 'Nothing to migrate.');
    } catch (error) {
      const { message, code } = error as { message: string; code?: string };
      throw new ExpectedError(message || code, { cause: error });
    }
  });
}
