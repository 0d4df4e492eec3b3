import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Board } from './data';
import { fill } from './data';
import type { Database } from './database';
import { load } from './load';
import { printTable } from './print';
import type { Service } from './service';
import { migrate, startService } from './service';

/** MiB of memory that all slow readers together may take. */
const LIMIT = 64;
/** The longest description, with characters of three bytes. */
const DESCRIPTION = '€'.repeat(32_767);

/** Measures the memory of the service while clients read large responses slowly. */
export async function measureMemory(database: Database, quick: boolean): Promise<void> {
  await migrate(database);
  const count = quick ? 50 : 500;
  const [large] = (await fill(database, [
    { name: 'Large', sprints: 1, sprintStories: count, backlog: count, description: DESCRIPTION },
  ])) as [Board];
  const rows: string[][] = [];
  for (const [title, path] of [
    [`${2 * count} stories`, `${large.path}/stories`],
    ['… by title', `${large.path}/stories?sort=title`],
    ['… in pages of 1,000', `${large.path}/stories?limit=1000`],
    ['the sprint in full', `${large.path}/sprints/current`],
    ['1,000 events', `${large.path}/events?limit=1000`],
    ['report of the sprint', `/api/sprints/${large.current}/report`],
  ] as const) {
    for (const readers of quick ? [4] : [1, 32]) {
      // Each in its own process: memory that one measurement has allocated is not counted for the next.
      const service = await startService(database);
      try {
        const requests = [{ path: `/api/boards?limit=10` }];
        await load(service.url, requests, { connections: 16, seconds: quick ? 0.2 : 2 });
        const before = service.memory();
        const { peak, statuses } = await readSlowly(service, path, readers, quick ? 500 : 10_000);
        const mib = (value: number): string => `${value.toFixed(0)} MiB`;
        const more = mib(peak - before);
        rows.push([title, String(readers), statuses, mib(before), mib(peak), more]);
        console.error(rows.at(-1)?.join('  '));
      } finally {
        await service.stop();
      }
    }
  }
  printTable(
    `${await database.version()}, slow readers of stories of the greatest size (limit: ${LIMIT} MiB more)`,
    ['each reads', 'readers', 'answers', 'memory before', 'at most', 'more'],
    rows,
  );
}

/** Reads with clients from different addresses, each at most 64 KiB ten times a second, until `length` ms are over. */
async function readSlowly(
  service: Service,
  path: string,
  readers: number,
  length: number,
): Promise<{ peak: number; statuses: string }> {
  const counts = new Map<number, number>();
  const end = Date.now() + length;
  let peak = service.memory();
  const watch = setInterval(() => (peak = Math.max(peak, service.memory())), 20);
  const read = async (_: unknown, i: number): Promise<void> => {
    const sent = request(service.url + path, { localAddress: `127.0.0.${i + 2}`, agent: false });
    sent.end();
    // The service may close the connection of a client that is too slow.
    sent.on('error', () => undefined);
    const [answer] = (await once(sent, 'response')) as [IncomingMessage];
    answer.on('error', () => undefined);
    const status = answer.statusCode ?? 0;
    counts.set(status, (counts.get(status) ?? 0) + 1);
    while (Date.now() < end && !answer.readableEnded && !answer.destroyed) {
      answer.read(65_536);
      await sleep(100);
    }
    sent.destroy();
  };
  await Promise.all(Array.from({ length: readers }, read));
  clearInterval(watch);
  const statuses = [...counts].map(([status, count]) => `${count} × ${status}`).join(', ');
  return { peak, statuses };
}
