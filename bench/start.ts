import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from './database';
import { median, printTable } from './print';
import { migrate, startService } from './service';

/** Measures the time to the first response on a migrated database, and the memory at rest. */
export async function measureStart(database: Database, quick: boolean): Promise<void> {
  await migrate(database);
  const starts: number[] = [];
  const memory: number[] = [];
  for (let i = 0; i < (quick ? 1 : 7); i += 1) {
    const service = await startService(database);
    starts.push(service.startMs);
    await sleep(quick ? 500 : 5000);
    memory.push(service.memory());
    await service.stop();
  }
  const range = (values: number[]): string =>
    `${Math.min(...values).toFixed(0)}–${Math.max(...values).toFixed(0)}`;
  printTable(
    `${await database.version()}, Node.js ${process.versions.node}, start`,
    ['', 'median', 'from–to'],
    [
      ['first response', `${median(starts).toFixed(0)} ms`, range(starts)],
      ['memory at rest', `${median(memory).toFixed(0)} MiB`, range(memory)],
    ],
  );
}
