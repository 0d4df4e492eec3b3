import { execFileSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import { CASES } from './cases';
import type { Growth } from './growth';
import { measureGrowth } from './growth';
import type { Limit } from './growth-limits';
import { shown } from './growth-limits';
import type { Outcome } from './ratios';
import { measureRatios } from './ratios';
import { keep, median, surroundings, table } from './report';
import type { StartAndSize } from './start';
import { measureStart } from './start';
import type { EngineName } from './store';

const USAGE = `npm run bench [-- OPTIONS]

  --engine sqlite|mysql   one of the two; both where it is not said
  --only NAME             one case, or several times this: ${CASES.map(({ name }) => name).join(', ')};
                          with --growth an operation as its table names it
  --compare REV           another revision of this repository instead of the bare server
  --start                 how soon the service answers, and how much memory it takes, instead of ratios
  --growth                how latencies grow with a board of a million stories, and what has a limit of its own
  --node FILE             the Node that runs it there; this one
  --quick                 one short round: shows that it runs, and roughly how fast
  --rounds N              7; each is one run of ours and one of the other
  --seconds N             6 for each run
  --connections N         16

BENCH_MYSQL_URL names a server to use (its user creates databases); without it a throwaway MariaDB is
started. BENCH_FOLDER is where SQLite's files go.`;

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      engine: { type: 'string' },
      only: { type: 'string', multiple: true, default: [] },
      compare: { type: 'string' },
      quick: { type: 'boolean', default: false },
      start: { type: 'boolean', default: false },
      growth: { type: 'boolean', default: false },
      node: { type: 'string', default: process.execPath },
      rounds: { type: 'string' },
      seconds: { type: 'string' },
      connections: { type: 'string', default: '16' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    console.log(USAGE);
    return;
  }
  const engines: EngineName[] =
    values.engine === undefined ? ['mysql', 'sqlite'] : [values.engine as EngineName];
  if (values.start) {
    await start(engines, values.node, values.quick);
    return;
  }
  if (values.growth) {
    await growth(engines, values);
    return;
  }
  const other = values.compare ?? 'bare';
  const outcomes: Outcome[] = [];
  const versions: Record<string, string> = {};
  for (const engine of engines) {
    const before = outcomes.length;
    versions[engine] = await measureRatios(
      {
        engine,
        only: values.only,
        rounds: Number(values.rounds ?? (values.quick ? 1 : 7)),
        seconds: Number(values.seconds ?? (values.quick ? 2 : 6)),
        connections: Number(values.connections),
        ...(values.compare !== undefined && { compare: values.compare }),
      },
      (outcome) => {
        outcomes.push(outcome);
        console.error(`${engine}: ${outcome.name} ${ratio(outcome)}`);
      },
    );
    console.log(`\n${versions[engine]}\n\n${ratioTable(outcomes.slice(before), other)}\n`);
  }
  const file = keep(`ratios-${other}`, { ...surroundings(), versions, other, outcomes });
  console.log(`All numbers: ${file}`);
}

/** An hour at a hundred requests a second. */
const REQUESTS_OF_AN_HOUR = 360_000;

async function start(engines: EngineName[], node: string, quick: boolean): Promise<void> {
  const version = execFileSync(node, ['--version'], { encoding: 'utf8' }).trim();
  const results: StartAndSize[] = [];
  for (const engine of engines) {
    results.push(await measureStart(engine, quick ? 10_000 : REQUESTS_OF_AN_HOUR, node));
  }
  console.log(
    table(
      ['Node ' + version, 'first answer', 'min', 'max', 'idle', 'requests', 'then', 'at most'],
      results.map(({ engine, start: { median: middle, min, max }, idle, loaded }) => [
        engine,
        ...[middle, min, max].map((ms) => `${ms.toFixed(0)} ms`),
        `${idle.toFixed(0)} MiB`,
        String(loaded.requests),
        ...[loaded.now, loaded.peak].map((mib) => `${mib.toFixed(0)} MiB`),
      ]),
    ),
  );
  console.log(`All numbers: ${keep('start', { ...surroundings(), node: version, results })}`);
}

async function growth(
  engines: EngineName[],
  options: { quick: boolean; only: string[] },
): Promise<void> {
  const results: Growth[] = [];
  for (const engine of engines) {
    const result = await measureGrowth(engine, options, (line) => console.error(line));
    results.push(result);
    console.log(`\n${result.version}\n\n${growthTable(result)}\n\n${limitTable(result)}\n`);
  }
  console.log(`All numbers: ${keep('growth', { ...surroundings(), ...options, results })}`);
}

function growthTable({ operations }: Growth): string {
  return table(
    ['', 'small', 'large', 'large / small', 'apart'],
    operations.map(({ title, small, large, ratio: grown, apart }) => [
      title,
      ...[small, large].map((ms) => `${ms.toFixed(2)} ms`),
      grown.toFixed(2),
      apart ?? '',
    ]),
  );
}

function limitTable({ limits }: Growth): string {
  const goalOf = ({ goal }: Limit): string => {
    if (!goal) return '';
    return 'atMost' in goal ? `≤ ${goal.atMost}` : `≥ ${goal.atLeast}`;
  };
  return table(
    ['', 'measured', 'goal'],
    limits.map((limit) => [limit.title, shown(limit), goalOf(limit)]),
  );
}

const ratio = ({ rounds }: Outcome): string =>
  median(rounds.map((round) => round.ratio)).toFixed(2);

function ratioTable(outcomes: Outcome[], other: string): string {
  return table(
    [
      ...['case', 'ratio', 'min', 'max', 'goal'],
      ...['ours/s', 'p50', 'p99', 'cpu', `${other}/s`, 'p50', 'p99', 'cpu'],
    ],
    outcomes.map((outcome) => {
      const { rounds, title, goal } = outcome;
      const ratios = rounds.map((round) => round.ratio);
      const side = (of: 'ours' | 'theirs'): string[] => [
        median(rounds.map((round) => round[of].rate)).toFixed(0),
        `${median(rounds.map((round) => round[of].p50)).toFixed(2)} ms`,
        `${median(rounds.map((round) => round[of].p99)).toFixed(2)} ms`,
        `${median(rounds.map((round) => round[of].processor)).toFixed(0)} µs`,
      ];
      return [
        title,
        ratio(outcome),
        Math.min(...ratios).toFixed(2),
        Math.max(...ratios).toFixed(2),
        goal === null ? '–' : goal.toFixed(2),
        ...side('ours'),
        ...side('theirs'),
      ];
    }),
  );
}

main().catch((error: unknown) => {
  console.error(error);
  process.exit(1);
});
