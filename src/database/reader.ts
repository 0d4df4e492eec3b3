/** A value that a statement binds to a `?`. */
export type Parameter = string | number | null;

/** Runs SELECT statements in plain SQL; `?` stands for a parameter. */
export interface Reader {
  query<R = Record<string, unknown>>(sql: string, parameters?: readonly unknown[]): Promise<R[]>;
  /** Aborted when the client that reads disconnects. */
  readonly signal?: AbortSignal;
}

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

/** The `?` of a list of parameters, separated by commas. */
export const placeholders = (parameters: readonly unknown[]): string =>
  parameters.map(() => '?').join(', ');
