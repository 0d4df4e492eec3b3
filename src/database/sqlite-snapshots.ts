import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { Snapshot, Snapshots } from './reader';
import type { SnapshotRequest, SnapshotResponse } from './sqlite-snapshot.worker';

/** Number of threads: a long statement does not delay the snapshots of the other thread. */
const THREADS = 2;

/**
 * MiB of the young generation of a thread, mostly rows that it has sent. With the default of 48 MiB, 24 slow
 * readers of long rows took 30 MiB more.
 */
const MAX_YOUNG_MIB = 4;

// Tests run the sources; a worker thread can only load the built file.
const WORKER_FILE = join(
  __filename.endsWith('.ts') ? join(__dirname, '../../dist/database') : __dirname,
  'sqlite-snapshot.worker.js',
);

interface Thread {
  worker: Worker;
  snapshots: number;
  pending: Map<number, { resolve: (rows: unknown[]) => void; reject: (error: Error) => void }>;
}

/**
 * Snapshots of an SQLite file, read in worker threads: sorting the titles of 100,000 stories takes
 * 0.3 s, during which the main thread serves other requests. The first thread starts with the first
 * snapshot, which `Database` opens at the start of the service.
 */
export class SqliteSnapshots implements Snapshots {
  private readonly threads: Thread[] = [];
  private lastId = 0;

  constructor(private readonly file: string) {}

  async open(): Promise<Snapshot> {
    const thread = this.leastBusy();
    const snapshot = (this.lastId += 1);
    thread.snapshots += 1;
    return {
      query: <R>(sql: string, parameters?: readonly unknown[]) =>
        this.send(thread, { snapshot, sql, parameters }) as Promise<R[]>,
      close: async () => {
        thread.snapshots -= 1;
        await this.send(thread, { snapshot }).catch(() => undefined);
      },
    };
  }

  async close(): Promise<void> {
    // Not `events.once`, which rejects if a thread fails.
    const exits = this.threads.map(
      ({ worker }) => new Promise((resolve) => worker.once('exit', resolve)),
    );
    for (const { worker } of this.threads) {
      worker.ref();
      worker.postMessage(null);
    }
    await Promise.all(exits);
  }

  private leastBusy(): Thread {
    const [first] = this.threads.toSorted((a, b) => a.snapshots - b.snapshots);
    if (first && (first.snapshots === 0 || this.threads.length === THREADS)) return first;
    return this.start();
  }

  private start(): Thread {
    const worker = new Worker(WORKER_FILE, {
      workerData: this.file,
      resourceLimits: { maxYoungGenerationSizeMb: MAX_YOUNG_MIB },
    });
    const thread: Thread = { worker, snapshots: 0, pending: new Map() };
    worker.unref();
    worker.on('message', ({ id, rows, error }: SnapshotResponse) => {
      const { resolve, reject } = thread.pending.get(id) ?? {};
      thread.pending.delete(id);
      if (thread.pending.size === 0) worker.unref();
      if (error) reject?.(Object.assign(new Error(error.message), { code: error.code }));
      else resolve?.(rows ?? []);
    });
    const fail = (cause?: unknown): void => {
      const index = this.threads.indexOf(thread);
      if (index >= 0) this.threads.splice(index, 1);
      const error = ended(cause);
      for (const { reject } of thread.pending.values()) reject(error);
      thread.pending.clear();
    };
    worker.on('error', fail);
    worker.on('exit', fail);
    this.threads.push(thread);
    return thread;
  }

  private send(thread: Thread, request: Omit<SnapshotRequest, 'id'>): Promise<unknown[]> {
    // A thread that has ended does not answer.
    if (!this.threads.includes(thread)) return Promise.reject(ended());
    return new Promise((resolve, reject) => {
      const id = (this.lastId += 1);
      thread.pending.set(id, { resolve, reject });
      // The process keeps running while a thread works, but not for an idle thread.
      thread.worker.ref();
      thread.worker.postMessage({ id, ...request });
    });
  }
}

const ended = (cause?: unknown): Error =>
  Object.assign(new Error('the snapshot thread ended', { cause }), { code: 'SQLITE_IOERR' });
