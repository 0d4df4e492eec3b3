import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';
import { AppModule } from '../../src/app.module';
import { applicationOptions, setUp } from '../../src/app.setup';
import { Config } from '../../src/config/config';
import { Database } from '../../src/database/database';
import { createAdapter } from '../../src/http/adapter';
import { createLogger } from '../../src/logging/logger';
import { Clock } from '../../src/time/clock';
import { Client } from './client';
import type { EngineName, TestDatabase } from './databases';
import { createDatabase } from './databases';

/** The real application, which listens on a port and has its own database. */
export interface TestApp {
  app: NestFastifyApplication;
  url: string;
  clock: Clock;
  database: TestDatabase;
  client: Client;
  close(): Promise<void>;
}

export interface AppOptions {
  engine?: EngineName;
  /** An existing database, for a further instance; `close` does not drop it. */
  database?: TestDatabase;
  environment?: Record<string, string>;
  /** An array that receives the lines of the log. */
  log?: string[];
  /** The folder of the built page. */
  web?: string;
}

export async function startApp(options: AppOptions = {}): Promise<TestApp> {
  const database = options.database ?? (await createDatabase(options.engine));
  const config = Config.from({
    DATABASE_URL: database.url,
    SHUTDOWN_DELAY_MS: '0',
    LOG_LEVEL: process.env.LOG_LEVEL ?? 'fatal',
    ...options.environment,
  });
  const { log } = options;
  const pino = createLogger(config.logLevel, {
    // The default destination adds a listener to the process, and Node.js warns if there are more than ten.
    write: (line) => void (log ? log.push(line) : process.stdout.write(line)),
  });
  const module = await Test.createTestingModule({ imports: [AppModule.with(config)] }).compile();
  const app = module.createNestApplication<NestFastifyApplication>(
    createAdapter(config, pino),
    applicationOptions(pino),
  );
  await setUp(app, pino, options.web);
  const clock = app.get(Clock);
  app
    .getHttpAdapter()
    .getInstance()
    // Otherwise Node.js writes the time of the machine, even if a test has set the clock.
    .addHook(
      'onSend',
      async (_request, reply) => void reply.header('Date', clock.now().toUTCString()),
    );
  await app.listen(0, '127.0.0.1');
  try {
    await app.get(Database).untilReady();
  } catch (error) {
    await app.close();
    throw error;
  }
  const url = await app.getUrl();
  const client = new Client(url);
  return {
    app,
    url,
    clock,
    database,
    client,
    close: async () => {
      client.close();
      await app.close();
      if (!options.database) await database.drop();
    },
  };
}

/** Starts an application before the tests of a suite and closes it after them. */
export function useApp(options: AppOptions = {}): TestApp {
  const service = {} as TestApp;
  beforeAll(async () => {
    Object.assign(service, await startApp(options));
  });
  afterAll(() => service.close());
  return service;
}
