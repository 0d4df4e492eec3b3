import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Board } from './data';
import { fill } from './data';
import type { Database, Value } from './database';
import { printTable } from './print';
import { migrate, runCommand, startService } from './service';
import type { Work } from './waiting';
import { measure } from './waiting';

/** The number of events of each story. */
const EVENTS = 10;
const DAYS = 86_400_000;

/**
 * Measures the export of a large board with and without its log, and its restore by the command line while the service
 * runs: time, memory, and the latencies of another client's small requests.
 */
export async function measureTransfer(database: Database, quick: boolean): Promise<void> {
  await migrate(database);
  const [sprints, sprintStories, backlog] = quick ? [4, 50, 800] : [100, 500, 50_000];
  const [other, large] = (await fill(database, [
    { name: 'Other', sprints: 4, backlog: 1000 },
    { name: 'Large', sprints, sprintStories, tasks: 1, backlog },
  ])) as [Board, Board];
  await addEvents(database, large);
  const stories = large.planned + backlog;
  const folder = mkdtempSync(join(tmpdir(), 'sprintline-bench-'));
  const service = await startService(database);
  const rows: string[][] = [];
  const add = async (
    { title, run }: Pick<Work, 'title' | 'run'>,
    memory: () => number,
    file: string,
  ): Promise<void> => {
    const before = memory();
    let peak = before;
    const watch = setInterval(() => (peak = Math.max(peak, memory() || 0)), 20);
    let seconds = 0;
    const timed = async (i: number): Promise<void> => {
      const begin = performance.now();
      await run(i);
      seconds = (performance.now() - begin) / 1000;
    };
    const [, , ...waits] = await measure(service, { title, times: 1, run: timed }, other, 0);
    clearInterval(watch);
    const mib = (bytes: number): string => `${(bytes / 1024 / 1024).toFixed(0)} MiB`;
    rows.push([
      title,
      mib(statSync(file).size),
      `${seconds.toFixed(1)} s`,
      (stories / seconds).toFixed(0),
      `${peak.toFixed(0)} MiB`,
      ...waits,
    ]);
    console.error(rows.at(-1)?.join('  '));
  };
  try {
    const file = join(folder, 'board.ndjson');
    for (const query of ['', '?log=true']) {
      const run = async (): Promise<void> => {
        // In its own process, because this one measures small requests meanwhile.
        const download = spawn('curl', [
          '-fso',
          file,
          `${service.url}${large.path}/export${query}`,
        ]);
        const [code] = (await once(download, 'exit')) as [number];
        if (code !== 0) throw new Error(`curl ended with ${code}`);
      };
      const title = `export of ${stories} stories${query && ' and the log'}`;
      await add({ title, run }, () => service.memory(), file);
    }
    let pid = 0;
    const run = async (): Promise<void> => {
      const command = runCommand(database, 'import', file, '--board', 'Restored');
      pid = command.pid ?? 0;
      const [code] = (await once(command, 'exit')) as [number];
      if (code !== 0) throw new Error(`the import ended with ${code}`);
    };
    await add({ title: 'restore by the command line', run }, () => memoryOf(pid), file);
  } finally {
    await service.stop();
    rmSync(folder, { recursive: true });
  }
  printTable(
    `${await database.version()}, ${stories} stories with ${EVENTS} events each`,
    [
      ...['', 'file', 'takes', 'stories a second', 'memory of the process'],
      ...['GET p50', 'p99', 'max', 'PUT p50', 'p99', 'max', 'failed'],
    ],
    rows,
  );
}

/** Resident memory of a process in MiB. */
function memoryOf(pid: number): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1]) / 1024;
  } catch {
    return 0;
  }
}

/** Adds changes of the status of each story, one per day. */
async function addEvents(database: Database, board: Board): Promise<void> {
  const stories = board.planned + board.plan.backlog;
  const [row] = await database.query<{ revision: number }>(
    'SELECT revision FROM boards WHERE id = ?',
    [board.id],
  );
  const first = row?.revision ?? 0;
  const events = function* (): Generator<Value[]> {
    for (let version = 2; version <= EVENTS; version += 1) {
      const at = new Date(Date.now() - (EVENTS - version + 20) * DAYS).toISOString();
      const before = { status: version % 2 ? 'in_progress' : 'todo', version: version - 1 };
      const after = { status: version % 2 ? 'todo' : 'in_progress', updated_at: at, version };
      for (let i = 0; i < stories; i += 1) {
        const sprint =
          i < board.planned ? board.sprints[Math.floor(i / board.plan.sprintStories)] : null;
        yield [
          ...[board.id, first + (version - 2) * stories + i + 1, 'story.updated'],
          ...[at.slice(0, 23).replace('T', ' '), 'ada', 'story', board.firstStory + i, version],
          ...[sprint ?? null, JSON.stringify(before), JSON.stringify(after)],
        ];
      }
    }
  };
  await database.insert(
    'events',
    [
      ...['board_id', 'revision', 'type', 'at', 'actor', 'entity', 'entity_id', 'entity_version'],
      ...['sprint_id', '`before`', '`after`'],
    ],
    events(),
  );
  await database.query('UPDATE boards SET revision = ? WHERE id = ?', [
    first + (EVENTS - 1) * stories,
    board.id,
  ]);
}
