import type { Board } from './data';
import { fill } from './data';
import type { Database } from './database';
import type { Load, Measured, Repeated } from './load';
import { load } from './load';
import { ms, printTable, quantile } from './print';
import { migrate, startService } from './service';

/** Changes to one board that are sent at the same time. */
const BURST = 300;
/** Connections that send without a pause: about ten times the load that the service can serve. */
const MANY = 640;

/** Measures bursts, and loads that exceed the capacity of the service. */
export async function measureOverload(database: Database, quick: boolean): Promise<void> {
  await migrate(database);
  const plans = Array.from({ length: 100 }, (_, i) => ({ name: `Team ${i}`, backlog: 400 }));
  const boards = await fill(database, plans);
  const [first] = boards as [Board];
  const update = (board: Board, i: number): Repeated => ({
    method: 'PUT',
    path: `/api/stories/${board.backlogStory(i)}`,
    body: (n) => ({ title: `Users can change their mail address, draft ${n}` }),
  });
  const updates = boards.map((board, i) => update(board, i));
  const shows = boards.map((board) => ({ path: `/api/stories/${board.backlogStory(0)}` }));
  const burst = Array.from({ length: BURST }, (_, i) => update(first, i));
  const service = await startService(database);
  try {
    const rows: string[][] = [];
    const run = async (title: string, requests: Repeated[], how: Load): Promise<void> => {
      rows.push([title, ...describe(await load(service.url, requests, how))]);
      console.error(rows.at(-1)?.join('  '));
    };
    await load(service.url, updates, { connections: 16, seconds: quick ? 0.5 : 3 });
    for (let i = 1; i <= (quick ? 1 : 3); i += 1) {
      const title = `${BURST} changes to one board at once, ${i}`;
      await run(title, burst, { connections: BURST, amount: BURST });
    }
    for (const connections of [16, quick ? 100 : MANY]) {
      const seconds = quick ? 0.5 : 10;
      await run(`updates, ${connections} connections`, updates, { connections, seconds });
      await run(`shows, ${connections} connections`, shows, { connections, seconds });
      const [few, most] = [connections / 4, (3 * connections) / 4];
      await Promise.all([
        run(`updates, ${few} connections …`, updates, { connections: few, seconds }),
        run(`… beside shows, ${most} connections`, shows, { connections: most, seconds }),
      ]);
    }
    printTable(
      `${await database.version()}, more load than the service can serve (limit: accepted p99 2,000 ms)`,
      ['', 'accepted', 'a second', 'p50', 'p99', 'max', 'rejected', 'p50', 'p99', 'failed'],
      rows,
    );
  } finally {
    await service.stop();
  }
}

function describe({ seconds, times, rejected, failed }: Measured): string[] {
  return [
    String(times.length),
    (times.length / seconds).toFixed(0),
    ...[0.5, 0.99, 1].map((part) => ms(quantile(times, part))),
    String(rejected.length),
    ...[0.5, 0.99].map((part) => ms(quantile(rejected, part))),
    String(failed),
  ];
}
