import Libsql from 'libsql';
import { parentPort, workerData } from 'node:worker_threads';

// Runs the long SELECTs of one SQLite file outside the main thread, where they would block every other
// request: the driver is synchronous. See sqlite-snapshots.ts.

/** A SELECT in a snapshot; without `sql`, it ends the snapshot. */
export interface SnapshotRequest {
  id: number;
  snapshot: number;
  sql?: string;
  parameters?: readonly unknown[];
}

export interface SnapshotResponse {
  id: number;
  rows?: unknown[];
  error?: { message: string; code?: string };
}

/** Milliseconds between two checkpoints. */
const CHECKPOINT_MS = 1000;
/** Pages of the write-ahead log above which it is reset. */
const RESTART_PAGES = 4096;
/** Milliseconds that the reset waits for the writer and for snapshots, at most. */
const RESTART_MS = 20;

/** Connections that are kept open for the next snapshot. */
const IDLE_CONNECTIONS = 4;

const file = workerData as string;
const idle: Libsql.Database[] = [];
const open = new Map<number, Libsql.Database>();
/** Connections that are closed after their snapshot. */
const failed = new WeakSet<Libsql.Database>();

function connect(): Libsql.Database {
  const connection = new Libsql(file);
  connection.pragma('query_only = ON');
  connection.pragma('busy_timeout = 0');
  // KiB of the page cache. With SQLite's default of 2 MiB, 16 slow readers took 30 MiB more, and sorted no
  // faster.
  connection.pragma('cache_size = -256');
  return connection;
}

function answer({ snapshot, sql, parameters = [] }: SnapshotRequest): unknown[] {
  let connection = open.get(snapshot);
  if (sql === undefined) {
    open.delete(snapshot);
    if (!connection) return [];
    try {
      connection.exec('COMMIT');
    } catch (error) {
      failed.add(connection);
      throw error;
    } finally {
      if (failed.has(connection) || idle.length === IDLE_CONNECTIONS) connection.close();
      else idle.push(connection);
    }
    return [];
  }
  if (!connection) {
    connection = idle.pop() ?? connect();
    connection.exec('BEGIN');
    open.set(snapshot, connection);
  }
  try {
    return connection.prepare<unknown[]>(sql).all(...parameters);
  } catch (error) {
    // libsql does not reset a statement that fails with SQLITE_BUSY. Until it is garbage-collected, all later
    // snapshots of its connection would read the same state.
    failed.add(connection);
    throw error;
  }
}

// Checkpoints copy committed pages from the write-ahead log into the database file. Without them SQLite does so
// within a commit, which blocked the main thread for 100 ms. SQLite resets the log, which then stops growing, only
// after all of it is copied. Under constant writes PASSIVE rarely copies all of it; RESTART blocks the writer
// until it has.
const checkpoints = connect();
checkpoints.pragma(`busy_timeout = ${RESTART_MS}`);
/** Copies the log, and returns its number of pages. */
function checkpoint(mode: 'PASSIVE' | 'RESTART'): number {
  const [{ log }] = checkpoints.pragma(`wal_checkpoint(${mode})`) as [{ log: number }];
  return log;
}
setInterval(() => {
  try {
    if (checkpoint('PASSIVE') <= RESTART_PAGES) return;
    // A pass syncs the file only if it has copied all of the log, which a long pass rarely has. Without a short second
    // one, RESTART would sync the pages of all passes before it while it blocks the writer.
    checkpoint('PASSIVE');
    checkpoint('RESTART');
  } catch {
    // If the disk fails, a commit of the writer reports it.
  }
}, CHECKPOINT_MS).unref();

parentPort?.on('message', (request: SnapshotRequest | null) => {
  // The thread closes itself: the driver panics if a thread is terminated during a statement.
  if (request === null) {
    parentPort?.close();
    return;
  }
  const response: SnapshotResponse = { id: request.id };
  try {
    response.rows = answer(request);
  } catch (error) {
    const { message, code } = error as { message: string; code?: string };
    response.error = { message, code };
  }
  parentPort?.postMessage(response);
});
