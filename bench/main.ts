import { parseArgs } from 'node:util';
import type { Database, Engine } from './database';
import { openServer } from './database';
import { measureGrowth } from './growth';
import { measureMemory } from './memory';
import { measureOverload } from './overload';
import { CASE_NAMES, measureRatios } from './ratios';
import { measureCheckout } from './service';
import { measureStart } from './start';
import { measureTransfer } from './transfer';
import { measureWaiting } from './waiting';

const USAGE = `npm run bench [-- PART… OPTIONS]

Parts; all of them by default, with --quick ratios, transfer and start:
  ratios     the service against a bare server with the same statements
  growth     latencies on a board of a million stories against one of a thousand
  waiting    small requests of one client during large ones of another
  overload   bursts, and more load than the service can serve
  transfer   export and restore of 100,000 stories with a million events
  memory     slow readers of large responses
  start      time to the first response, memory at rest

Options:
  --quick              short runs with little data; the figures are rough
  --engine NAME        sqlite or mysql; both by default
  --checkout FOLDER    measures the build in another checkout
  --only CASE          for ratios, repeatable: ${CASE_NAMES.slice(0, 5).join(', ')},
                       ${CASE_NAMES.slice(5).join(', ')}
  --rounds N           for ratios; 7 by default
  --seconds N          for ratios, the length of each run; 3 by default
  --connections N      for ratios, repeatable; 16 and 1 by default

BENCH_MYSQL_URL is a server whose user may create databases; without it a temporary MariaDB is
started, with innodb_flush_log_at_trx_commit=1. BENCH_FOLDER is the folder for SQLite's files.`;

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      help: { type: 'boolean', default: false },
      quick: { type: 'boolean', default: false },
      engine: { type: 'string' },
      checkout: { type: 'string' },
      only: { type: 'string', multiple: true, default: [] },
      rounds: { type: 'string' },
      seconds: { type: 'string' },
      connections: { type: 'string', multiple: true },
    },
  });
  const { quick, only } = values;
  if (values.checkout !== undefined) measureCheckout(values.checkout);
  const parts: Record<string, (database: Database) => Promise<void>> = {
    ratios: (database) =>
      measureRatios(database, {
        only,
        quick,
        rounds: Number(values.rounds ?? (quick ? 1 : 7)),
        seconds: Number(values.seconds ?? (quick ? 0.3 : 3)),
        connections: (values.connections ?? (quick ? ['16'] : ['16', '1'])).map(Number),
      }),
    growth: (database) => measureGrowth(database, quick),
    waiting: (database) => measureWaiting(database, quick),
    overload: (database) => measureOverload(database, quick),
    transfer: (database) => measureTransfer(database, quick),
    memory: (database) => measureMemory(database, quick),
    start: (database) => measureStart(database, quick),
  };
  const byDefault = quick ? ['ratios', 'transfer', 'start'] : Object.keys(parts);
  const names = positionals.length > 0 ? positionals : byDefault;
  if (values.help || names.some((name) => !(name in parts))) {
    console.log(USAGE);
    return;
  }
  for (const engine of values.engine === undefined ? ['sqlite', 'mysql'] : [values.engine]) {
    const server = await openServer(engine as Engine);
    try {
      for (const name of names) {
        const database = await server.create(`bench_${name}`);
        await parts[name]?.(database);
        await database.drop();
      }
    } finally {
      await server.close();
    }
  }
}

main().catch((error: unknown) => {
  console.error(error);
  process.exit(1);
});
