import type { INestApplicationContext, LoggerService } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { AppModule } from '../app.module';
import type { Caller } from '../http/caller';
import { Config } from '../config/config';
import { Database } from '../database/database';

/** Milliseconds for the database to come; a command has nobody to serve meanwhile. */
const PATIENCE = 10_000;

/** Why a command cannot do what it was asked to, in words for whoever asked. Nothing has changed. */
export class Refusal extends Error {}

/** Whoever can run a command on the database needs no token. */
export const OPERATOR: Caller = { actor: 'anonymous' };

/** The troubles of the application, as lines for a person; what goes well is not told. */
const TROUBLES: LoggerService = {
  log: () => undefined,
  warn: (message: unknown) => console.error(message),
  error: (message: unknown) => console.error(message),
  fatal: (message: unknown) => console.error(message),
};

/**
 * Runs a command in the application that the service is, on a database that is there and migrated.
 * @throws Refusal where the database does not come in time, or is not one for this program
 */
export async function withApplication<T>(
  work: (app: INestApplicationContext) => Promise<T>,
): Promise<T> {
  const app = await NestFactory.createApplicationContext(AppModule.with(Config.from(process.env)), {
    logger: TROUBLES,
    abortOnError: false,
  });
  try {
    await within(PATIENCE, app.get(Database).ready());
    return await work(app);
  } finally {
    await app.close();
  }
}

async function within(milliseconds: number, ready: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const refuse = (): void => reject(new Refusal(`Gave up after ${milliseconds / 1000} s.`));
    timer = setTimeout(refuse, milliseconds);
  });
  try {
    await Promise.race([ready, late]);
  } finally {
    clearTimeout(timer);
  }
}
