import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Case } from './cases';
import { CASES } from './cases';
import type { Board } from './dataset';
import { fill } from './dataset';
import type { Measured, Request } from './load';
import { load } from './load';
import { call, requireSame } from './same';
import { ROOT, Service } from './service';
import type { EngineName, Store } from './store';
import { openServer } from './store';

export interface Options {
  engine: EngineName;
  only: string[];
  rounds: number;
  seconds: number;
  connections: number;
  /** Another revision to run against, instead of the bare server. */
  compare?: string;
}

/** What came out for one case: a round is one run of either side, one after the other. */
export interface Outcome {
  engine: EngineName;
  name: string;
  title: string;
  goal: number | null;
  rounds: { ours: Run; theirs: Run; ratio: number }[];
}

/** A run, with the processor time of the server for each request, in microseconds. */
type Run = Measured & { processor: number };

/** One side of the comparison: a server, and the database with the boards that it serves. */
interface Side {
  service: Service;
  store: Store;
  boards: Board[];
}

/** Milliseconds between two changes of all boards; see `Case.changing`. */
const CHANGE_MS = 200;

/** Measures the cases on one engine. `seen` gets each outcome as it comes. */
export async function measureRatios(
  options: Options,
  seen: (outcome: Outcome) => void,
): Promise<string> {
  const server = await openServer(options.engine);
  const undo: (() => Promise<void> | void)[] = [() => server.close()];
  try {
    const store = await server.create('bench_ours');
    undo.unshift(() => store.drop());
    const service = await Service.ours(store);
    undo.unshift(() => service.stop());
    const ours = { service, store, boards: await fill(store) };
    const version = await store.version();
    let theirs: Side;
    if (options.compare === undefined) {
      theirs = { ...ours, service: await Service.bare(store) };
    } else {
      const revision = buildRevision(options.compare);
      undo.push(revision.remove);
      // A database of its own: the two may not have the same migrations.
      const other = await server.create('bench_theirs');
      undo.unshift(() => other.drop());
      const old = await Service.ours(other, revision.folder);
      theirs = { service: old, store: other, boards: await fill(other) };
    }
    undo.unshift(() => theirs.service.stop());
    for (const one of CASES) {
      if (options.only.length > 0 && !options.only.includes(one.name)) continue;
      if (options.compare === undefined) {
        await requireSame(store, one, ours.boards, [ours.service.url, theirs.service.url]);
      }
      seen(await measure(one, options, ours, theirs));
    }
    return version;
  } finally {
    for (const step of undo) await step();
  }
}

async function measure(
  one: Case,
  { engine, rounds, seconds, connections, compare }: Options,
  ours: Side,
  theirs: Side,
): Promise<Outcome> {
  const run = async (side: Side, round: number, duration: number): Promise<Run> => {
    let requests = one.requests(side.boards, round);
    if (one.conditional) requests = await tagged(side.service.url, requests);
    const changes = one.changing ? changeAll(side.store) : undefined;
    try {
      const before = side.service.processor();
      const seen = await load(side.service.url, requests, { connections, seconds: duration });
      if (changes && (seen.rate * CHANGE_MS) / 1000 > requests.length) {
        throw new Error(`${one.name}: the boards were read more often than they were changed`);
      }
      return { ...seen, processor: (side.service.processor() - before) / seen.count };
    } finally {
      await changes?.stop();
    }
  };
  // What comes before the first round warms up, and is not counted.
  await run(ours, 1, 2);
  await run(theirs, 2, 2);
  const outcome: Outcome = {
    engine,
    name: one.name,
    title: one.title,
    goal: compare === undefined ? one.goal : null,
    rounds: [],
  };
  for (let round = 1; round <= rounds; round += 1) {
    const a = await run(ours, 2 * round + 1, seconds);
    const b = await run(theirs, 2 * round + 2, seconds);
    outcome.rounds.push({ ours: a, theirs: b, ratio: a.rate / b.rate });
  }
  return outcome;
}

/** The requests as a client sends them that knows what it was answered before. */
function tagged(url: string, requests: Request[]): Promise<Request[]> {
  return Promise.all(
    requests.map(async (request) => {
      const { etag } = await call(url, request);
      return etag === undefined ? request : { ...request, ifNoneMatch: etag };
    }),
  );
}

/**
 * Changes every board again and again, faster than a load comes back to the same one; but not so fast
 * that a board often changes while it is read.
 */
function changeAll(store: Store): { stop(): Promise<void> } {
  let stopping = false;
  const changing = (async () => {
    while (!stopping) {
      await store.run('UPDATE boards SET revision = revision + 1');
      await new Promise((resolve) => setTimeout(resolve, CHANGE_MS));
    }
  })();
  return {
    stop: async () => {
      stopping = true;
      await changing;
    },
  };
}

/** A revision of this repository in a folder of its own, built. */
function buildRevision(revision: string): { folder: string; remove: () => void } {
  const folder = mkdtempSync(join(tmpdir(), 'sprintline-revision-'));
  const git = (...args: string[]): void => {
    execFileSync('git', args, { cwd: ROOT, stdio: 'pipe' });
  };
  git('worktree', 'add', '--detach', '--force', folder, revision);
  const remove = (): void => {
    git('worktree', 'remove', '--force', folder);
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    const lock = (at: string): string => readFileSync(join(at, 'package-lock.json'), 'utf8');
    if (existsSync(join(ROOT, 'node_modules')) && lock(folder) === lock(ROOT)) {
      symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
    } else {
      execFileSync('npm', ['ci'], { cwd: folder, stdio: 'inherit' });
    }
    execFileSync('npm', ['run', 'build'], { cwd: folder, stdio: 'pipe' });
    return { folder, remove };
  } catch (error) {
    remove();
    throw error;
  }
}
