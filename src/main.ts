import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { AppModule } from './app.module';
import { applicationOptions, createAdapter, setUp } from './app.setup';
import { openness, requireToken, Unprotected } from './auth/exposure';
import { createLogger } from './logging/logger';
import { Config, ConfigError } from './config/config';
import { Database } from './database/database';
import { stopOnSignal } from './shutdown';

async function main(): Promise<void> {
  const config = Config.from(process.env);
  const pino = createLogger(config.logLevel);
  const app = await NestFactory.create<NestFastifyApplication>(
    AppModule.with(config),
    createAdapter(config, pino),
    applicationOptions(pino),
  );
  setUp(app, pino);
  stopOnSignal(app, config, pino);
  const refuse = (error: Error): void => {
    console.error(error.message);
    process.exit(1);
  };
  await app.init();
  await requireToken(app, refuse);
  const warning = openness(config);
  if (warning !== undefined) pino.warn(warning);
  await app.listen(config.port, config.host);
  pino.info(`Sprintline listens on ${await app.getUrl()}`);
  // Rejected where the database can never be used. No request could be served then, and a process
  // that ends is what supervisors and people notice.
  await app
    .get(Database)
    .ready()
    .catch((error: Error) => {
      pino.fatal(error.message);
      process.exit(1);
    });
}

main().catch((error: unknown) => {
  const expected = error instanceof ConfigError || error instanceof Unprotected;
  console.error(expected ? error.message : error);
  process.exit(1);
});
