import { setFlagsFromString } from 'node:v8';
// Without these flags an overload leaves 100 MiB of garbage in memory; see docs/decisions/overload.md.
setFlagsFromString('--no-allocation-site-pretenuring --heap-growing-percent=25');
// The database stores times in UTC, and TypeORM reads them as local time.
process.env.TZ = 'UTC';
import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { AppModule } from './app.module';
import { applicationOptions, setUp } from './app.setup';
import { requireToken } from './auth/required-token';
import { Config } from './config/config';
import { prepareSqliteFile } from './database/sqlite-file';
import { createAdapter } from './http/adapter';
import { listen } from './listen';
import { ExpectedError } from './logging/expected-error';
import { createLogger } from './logging/logger';
import { Metrics } from './metrics/metrics';
import { stopOnSignal } from './shutdown';

async function main(): Promise<void> {
  const config = Config.from(process.env);
  prepareSqliteFile(config.database);
  const logger = createLogger(config.logLevel, undefined, config.logFormat);
  const app = await NestFactory.create<NestFastifyApplication>(
    AppModule.with(config),
    createAdapter(config, logger),
    applicationOptions(logger),
  );
  await setUp(app, logger);
  app.get(Metrics).watchProcess();
  stopOnSignal(app, config, logger);
  await app.init();
  await requireToken(app, (error) => fail(error.message));
  if (config.auth === 'off') {
    logger.warn(
      'AUTH=off: everyone who can reach the service may read, change and delete everything',
    );
  }
  await listen(app, config, logger);
}

function fail(reason: unknown): never {
  console.error(reason);
  process.exit(1);
}

main().catch((error: unknown) => {
  fail(error instanceof ExpectedError ? error.message : error);
});
