import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Config } from './config';
import { Lifecycle } from './health/lifecycle';

/** Milliseconds for what is in flight to finish. */
const LONGEST_FINISH = 8000;

/**
 * Goes down without a failed request: says that it is not ready any more, answers as before while
 * that gets around, closes the door, finishes what is in flight, closes the database.
 */
export function stopOnSignal(app: NestFastifyApplication, config: Config, pino: Logger): void {
  const stop = async (signal: string): Promise<void> => {
    const lifecycle = app.get(Lifecycle);
    if (lifecycle.stopping) return;
    lifecycle.stopping = true;
    pino.info(`${signal}: going down`);
    await sleep(config.shutdownDelayMs);
    setTimeout(() => {
      pino.warn('what is still in flight is cut off');
      process.exit(0);
    }, LONGEST_FINISH).unref();
    await app.close();
    pino.info('down');
    process.exit(0);
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      stop(signal).catch((error: unknown) => {
        pino.error({ err: error }, 'could not go down in order');
        process.exit(1);
      });
    });
  }
}
