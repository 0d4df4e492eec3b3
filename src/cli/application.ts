import type { INestApplicationContext, LoggerService } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { setTimeout as sleep } from 'node:timers/promises';
import { AppModule } from '../app.module';
import { Config } from '../config/config';
import { Database } from '../database/database';
import { prepareSqliteFile, requireSqliteFile } from '../database/sqlite-file';
import { OPEN } from '../http/access';
import type { Caller } from '../http/caller';
import { ExpectedError } from '../logging/expected-error';

/** Milliseconds that a command waits for the database. */
const DATABASE_WAIT_MS = 10_000;

/** Commands need no token, because they access the database directly. */
export const OPERATOR: Caller = { ...OPEN, actor: 'cli', clientKey: 'cli' };

/** Prints only warnings and errors of the application. */
const LOGGER: LoggerService = {
  log: () => undefined,
  warn: (message: unknown) => console.error(message),
  error: (message: unknown) => console.error(message),
  fatal: (message: unknown) => console.error(message),
};

/**
 * Runs a command in the same application as the service, once the database is reachable and migrated.
 * @param options.createsDatabase creates the SQLite database if there is none
 * @throws ExpectedError if the database cannot be used, or not be reached in time
 */
export async function withApplication<T>(
  work: (app: INestApplicationContext) => Promise<T>,
  { createsDatabase = false } = {},
): Promise<T> {
  const config = Config.from(process.env);
  if (!createsDatabase) requireSqliteFile(config.database);
  prepareSqliteFile(config.database);
  const app = await NestFactory.createApplicationContext(AppModule.with(config), {
    logger: LOGGER,
    abortOnError: false,
  });
  try {
    await Promise.race([app.get(Database).untilReady(), timeout()]);
    return await work(app);
  } finally {
    await app.close();
  }
}

async function timeout(): Promise<never> {
  await sleep(DATABASE_WAIT_MS, undefined, { ref: false });
  throw new ExpectedError(`The database could not be used for ${DATABASE_WAIT_MS / 1000} s.`);
}
