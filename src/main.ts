// The database stores times in UTC, and TypeORM reads them as local time.
process.env.TZ = 'UTC';
import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { AddressInfo } from 'node:net';
import { isIPv6 } from 'node:net';
import { AppModule } from './app.module';
import { applicationOptions, setUp } from './app.setup';
import { MissingTokenError, requireToken } from './auth/required-token';
import { Config, ConfigError } from './config/config';
import { Database } from './database/database';
import { requireSqliteFile } from './database/sqlite-file';
import { createAdapter } from './http/adapter';
import { createLogger } from './logging/logger';
import { stopOnSignal } from './shutdown';

/** Milliseconds after which the log says that the service waits for the database. */
const DATABASE_MS = 500;

async function main(): Promise<void> {
  const config = Config.from(process.env);
  requireSqliteFile(config.database);
  const logger = createLogger(config.logLevel, undefined, config.logFormat);
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
  await app
    .listen({ port: config.port, host: config.host, backlog: 4096 })
    .catch((error: NodeJS.ErrnoException) => fail(reasonNotToListen(error, config)));
  const url = urlOf(config, (app.getHttpServer().address() as AddressInfo).port);
  const waiting = setTimeout(() => {
    logger.info(`Sprintline listens at ${url} and waits for the database`);
  }, DATABASE_MS);
  try {
    await app.get(Database).ready();
  } catch (error) {
    // It can never be used, such as one with newer migrations.
    logger.fatal((error as Error).message);
    process.exit(1);
  }
  clearTimeout(waiting);
  logger.info(`Sprintline is ready: the boards at ${url}, the documentation at ${url}docs`);
}

/** The address for a browser on this machine. */
function urlOf({ host, onLoopback }: Config, port: number): string {
  const isLocal = onLoopback || host === '0.0.0.0' || host === '::';
  return `http://${isLocal ? 'localhost' : isIPv6(host) ? `[${host}]` : host}:${port}/`;
}

function reasonNotToListen(error: NodeJS.ErrnoException, { host, port }: Config): unknown {
  switch (error.code) {
    case 'EADDRINUSE':
      return `Port ${port} is taken by another program; PORT sets another one, as in PORT=${port + 1}.`;
    case 'EACCES':
      return `This user may not listen on port ${port}; PORT sets another one, as in PORT=3000.`;
    case 'EADDRNOTAVAIL':
      return `HOST=${host} is not an address of this machine.`;
    default:
      return error;
  }
}

function fail(reason: unknown): never {
  console.error(reason);
  process.exit(1);
}

main().catch((error: unknown) => {
  const isExpected = error instanceof ConfigError || error instanceof MissingTokenError;
  fail(isExpected ? error.message : error);
});
