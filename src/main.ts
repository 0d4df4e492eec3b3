// The database stores times in UTC, and TypeORM reads them as local time.
process.env.TZ = 'UTC';
import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { AppModule } from './app.module';
import { applicationOptions, setUp } from './app.setup';
import { MissingTokenError, requireToken } from './auth/required-token';
import { Config, ConfigError } from './config/config';
import { Database } from './database/database';
import { createAdapter } from './http/adapter';
import { createLogger } from './logging/logger';
import { stopOnSignal } from './shutdown';

async function main(): Promise<void> {
  const config = Config.from(process.env);
  const logger = createLogger(config.logLevel);
  const app = await NestFactory.create<NestFastifyApplication>(
    AppModule.with(config),
    createAdapter(config, logger),
    applicationOptions(logger),
  );
  await setUp(app, logger);
  stopOnSignal(app, config, logger);
  await app.init();
  await requireToken(app, (error) => fail(error.message));
  if (config.auth === 'off') {
    logger.warn(
      'AUTH=off: everyone who can reach the service may read, change and delete everything',
    );
  }
  // With Node's backlog of 511 some of 640 clients that connect at once wait for seconds.
  await app.listen({ port: config.port, host: config.host, backlog: 4096 });
  logger.info(`Sprintline listens on ${await app.getUrl()}`);
  // Ends the process if it can never use the database, such as one with newer migrations.
  await app
    .get(Database)
    .ready()
    .catch((error: Error) => {
      logger.fatal(error.message);
      process.exit(1);
    });
}

function fail(reason: unknown): never {
  console.error(reason);
  process.exit(1);
}

main().catch((error: unknown) => {
  const isExpected = error instanceof ConfigError || error instanceof MissingTokenError;
  fail(isExpected ? error.message : error);
});
