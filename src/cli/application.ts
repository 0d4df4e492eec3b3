import type { INestApplicationContext, LoggerService } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { AppModule } from '../app.module';
import { Config } from '../config/config';
import { Database } from '../database/database';
import { requireSqliteFile } from '../database/sqlite-file';
import type { Caller } from '../http/caller';
import { CommandError } from './command-error';

/** Milliseconds that a command waits for the database. */
const DATABASE_WAIT_MS = 10_000;

/** Commands need no token: they have access to the database anyway. */
export const OPERATOR: Caller = { actor: 'cli', scope: 'admin', client: 'cli' };

/** Prints only warnings and errors of the application. */
const LOGGER: LoggerService = {
  log: () => undefined,
  warn: (message: unknown) => console.error(message),
  error: (message: unknown) => console.error(message),
  fatal: (message: unknown) => console.error(message),
};

/**
 * Runs a command in the same application as the service, once the database is reachable and migrated.
 * @throws CommandError if the database cannot be reached in time
 */
export async function withApplication<T>(
  work: (app: INestApplicationContext) => Promise<T>,
): Promise<T> {
  const config = Config.from(process.env);
  requireSqliteFile(config.database);
  const app = await NestFactory.createApplicationContext(AppModule.with(config), {
    logger: LOGGER,
    abortOnError: false,
  });
  try {
    await before(DATABASE_WAIT_MS, app.get(Database).ready());
    return await work(app);
  } finally {
    await app.close();
  }
}

async function before(milliseconds: number, ready: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    const error = new CommandError(`The database did not answer for ${milliseconds / 1000} s.`);
    timer = setTimeout(() => reject(error), milliseconds);
  });
  try {
    await Promise.race([ready, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
