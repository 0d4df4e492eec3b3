import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { AddressInfo } from 'node:net';
import type { Logger } from 'pino';
import type { Config } from './config/config';
import { Database } from './database/database';
import { Lifecycle } from './health/lifecycle';
import { ExpectedError } from './logging/expected-error';

/** Milliseconds after which the log says that the service waits for the database. */
const DATABASE_MS = 500;

/**
 * Listens, waits until the database can be used, and logs the addresses.
 * @throws ExpectedError
 */
export async function listen(
  app: NestFastifyApplication,
  config: Config,
  logger: Logger,
): Promise<void> {
  const { host, port } = config;
  // With Node's backlog of 511 some of 640 clients that connect at once wait for seconds.
  await app.listen({ port, host, backlog: 4096 }).catch((error: NodeJS.ErrnoException) => {
    throw explain(error, config);
  });
  const url = `http://${config.urlHost}:${(app.getHttpServer().address() as AddressInfo).port}/`;
  const waiting = setTimeout(() => {
    logger.info(`Sprintline listens at ${url} and waits for the database`);
  }, DATABASE_MS);
  try {
    await app.get(Database).untilReady();
  } catch (error) {
    // The database can never be used, for example because it has newer migrations.
    logger.fatal((error as Error).message);
    process.exit(1);
  }
  clearTimeout(waiting);
  // A program that is stopped while it waits never becomes ready.
  if (app.get(Lifecycle).stopping) return;
  logger.info(`Sprintline is ready: the boards at ${url}, the documentation at ${url}docs`);
}

function explain(error: NodeJS.ErrnoException, { host, port }: Config): Error {
  switch (error.code) {
    case 'EADDRINUSE':
      return new ExpectedError(
        `Port ${port} is taken by another program; PORT sets another one, as in PORT=${port + 1}.`,
      );
    case 'EACCES':
      return new ExpectedError(
        `This user may not listen on port ${port}; PORT sets another one, as in PORT=3000.`,
      );
    case 'EADDRNOTAVAIL':
      return new ExpectedError(`HOST=${host} is not an address of this machine.`);
    default:
      return error;
  }
}
