import type { Command } from 'commander';
import { Config } from '../config/config';
import { createDataSource, dataSourceOptions } from '../database/data-source';
import { migrate } from '../database/migrator';
import { Refusal } from './application';

/** `migrate`: what every start does first, apart from a start. */
export function registerMigrate(program: Command): void {
  program
    .command('migrate')
    .description('bring the tables of the database up to date, as every start of the service does')
    .action(async () => {
      const config = Config.from(process.env);
      const dataSource = createDataSource(dataSourceOptions(config.database));
      try {
        await dataSource.initialize();
        const done = await migrate(dataSource);
        console.log(done.length > 0 ? `Migrated: ${done.join(', ')}.` : 'Nothing to migrate.');
      } catch (error) {
        const { message, code } = error as { message: string; code?: string };
        throw new Refusal(message || code, { cause: error });
      } finally {
        if (dataSource.isInitialized) await dataSource.destroy();
      }
    });
}
