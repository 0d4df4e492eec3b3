import type { Reader } from './reader';

/** A read-only view of one committed state of the database. */
export interface Snapshot extends Reader {
  /** Frees its connection; never throws. */
  close(): Promise<void>;
}

/** Opens snapshots: on MySQL from a separate pool, on SQLite in worker threads. */
export interface Snapshots {
  open(): Promise<Snapshot>;
  close(): Promise<void>;
}
