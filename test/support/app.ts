import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';
import { AppModule } from '../../src/app.module';
import { applicationOptions, createAdapter, setUp } from '../../src/app.setup';
import { Clock } from '../../src/time/clock';
import { createLogger } from '../../src/logging/logger';
import { Config } from '../../src/config/config';
import { Database } from '../../src/database/database';
import { Client } from './client';
import type { EngineName, TestDatabase } from './databases';
import { createDatabase } from './databases';
import { requireTotals } from './totals';

/** A clock that stands still where it is set, and goes with the time until it is. */
export class TestClock extends Clock {
  private instant: Date | undefined;

  /** An RFC 3339 instant; none lets it go again. */
  set(instant?: string): void {
    this.instant = instant === undefined ? undefined : new Date(instant);
  }

  override now(): Date {
    return this.instant ? new Date(this.instant) : super.now();
  }
}

/** The real application, listening, on a database of its own. */
export interface TestApp {
  app: NestFastifyApplication;
  url: string;
  clock: TestClock;
  database: TestDatabase;
  client: Client;
  close(): Promise<void>;
}

export interface AppOptions {
  engine?: EngineName;
  /** Another instance on a database that is there; it is left there. */
  database?: TestDatabase;
  environment?: Record<string, string>;
  /** The test writes to the database itself, so that the totals of backlogs may be wrong. */
  raw?: boolean;
  /** Gets the lines of the log. */
  log?: string[];
}

export async function startApp(options: AppOptions = {}): Promise<TestApp> {
  const database = options.database ?? (await createDatabase(options.engine));
  const clock = new TestClock();
  const config = Config.from({
    DATABASE_URL: database.url,
    SHUTDOWN_DELAY_MS: '0',
    LOG_LEVEL: 'fatal',
    ...options.environment,
  });
  const { log } = options;
  const pino = createLogger(config.logLevel, log && { write: (line) => void log.push(line) });
  const module = await Test.createTestingModule({ imports: [AppModule.with(config)] })
    .overrideProvider(Clock)
    .useValue(clock)
    .compile();
  const app = module.createNestApplication<NestFastifyApplication>(
    createAdapter(config, pino),
    applicationOptions(pino),
  );
  setUp(app, pino);
  await app.listen(0, '127.0.0.1');
  try {
    await app.get(Database).ready();
  } catch (error) {
    await app.close();
    throw error;
  }
  const url = await app.getUrl();
  return {
    app,
    url,
    clock,
    database,
    client: new Client(url),
    close: async () => {
      try {
        // Whatever a test has done, they have to be right.
        if (!options.raw) await requireTotals({ app });
      } finally {
        await app.close();
        if (!options.database) await database.drop();
      }
    },
  };
}
