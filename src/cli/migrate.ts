import type { Command } from 'commander';
import { Config } from '../config/config';
import { migrate } from '../database/migrator';
import { CommandError } from './application';

/** `migrate`: updates the tables, as every start of the service does first. */
export function registerMigrate(program: Command): void {
  program
    .command('migrate')
    .description('bring the tables of the database up to date, as every start of the service does')
    .action(async () => {
      const { database } = Config.from(process.env);
      try {
        const done = await migrate(database);
        console.log(done.length > 0 ? `Migrated: ${done.join(', ')}.` : 'Nothing to migrate.');
      } catch (error) {
        const { message, code } = error as { message: string; code?: string };
        throw new CommandError(message || code, { cause: error });
      }
    });
}
