/** A value that a statement binds to a `?`. */
export type Parameter = string | number | null;

/** Runs SELECT statements in plain SQL; `?` stands for a parameter. */
export interface Reader {
  query<R = Record<string, unknown>>(sql: string, parameters?: readonly unknown[]): Promise<R[]>;
  /** Aborted when the client that reads disconnects. */
  readonly signal?: AbortSignal;
}

/** The `?` of a list of parameters, separated by commas. */
export const placeholders = (parameters: readonly unknown[]): string =>
  parameters.map(() => '?').join(', ');
