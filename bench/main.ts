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

Parts; all of them by default, with --quick ratios and start:
  ratios     the service against a bare server with the same statements
  growth     latencies on a board of a million stories against one of a thousand
  waiting    another client's small requests while one client does something large
  overload   bursts, and more load than the service can do
  transfer   export and restore of 100,000 stories with a million events
  memory     slow readers of large answers
  start      time to the first answer, memory at rest

Options:
  --quick              small and short; shows that it runs, and roughly how fast
  --engine NAME        sqlite or mysql; both by default
  --checkout FOLDER    measures the build in another checkout
  --only CASE          of ratios, repeatable: ${CASE_NAMES.slice(0, 5).join(', ')},
                       ${CASE_NAMES.slice(5).join(', ')}
  --rounds N           of ratios; 7
  --seconds N          of ratios, for each run; 3
  --connections N      of ratios, repeatable; 16 and 1

BENCH_MYSQL_URL names a server whose user may create databases; without it a throwaway MariaDB is
started, with innodb_flush_log_at_trx_commit=1. BENCH_FOLDER is where SQLite's files are.`;

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
  const byDefault = quick ? ['ratios', 'start'] : Object.keys(parts);
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
