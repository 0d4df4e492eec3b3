/** A row as the driver gives it. */
export type Row = Record<string, unknown>;
export type Parameter = string | number | null;

/** Something that answers SELECT statements. `?` stands for a parameter. */
export interface Reader {
  query<R = Row>(sql: string, parameters?: readonly Parameter[]): Promise<R[]>;
}

/** What a statement that writes did: rows matched, and the id that an INSERT was given. */
export interface Written {
  rows: number;
  id: number;
}

/** A transaction that writes. */
export interface Writer extends Reader {
  run(sql: string, parameters?: readonly Parameter[]): Promise<Written>;
}

/** What keeps the rows of a SELECT as they are. SQLite has one writer at a time and no such clause. */
export const forUpdate = (dialect: Engine['dialect']): string =>
  dialect === 'sqlite' ? '' : ' FOR UPDATE';

/** Why a statement or a transaction failed, in the words that the rest of the program knows. */
export type Failure =
  /** Rolled back through no fault of its own; the same transaction may succeed when run again. */
  | 'retry'
  /** The database is away, too slow, full, or its outcome is unknown. */
  | 'unavailable'
  /** A UNIQUE constraint refused a row. */
  | 'duplicate'
  /** It holds more in one piece than the database takes. */
  | 'too_large'
  /** A defect. */
  | 'other';

/** How full the way to the database is, for the metrics. */
export interface Load {
  limit: number;
  busy: number;
  waiting: number;
}

/**
 * A database, with as much of its dialect as the program has to know. TypeORM opens and describes
 * it; statements go through here, where time limits, errors and isolation are one matter.
 *
 * Every call is over by its deadline, whatever the database does; where it passes, and where too many
 * wait already, the call fails as `unavailable`.
 */
export interface Engine {
  readonly dialect: 'sqlite' | 'mysql';
  /** Requests at a time that it is worth working at. */
  readonly worthwhile: number;
  /** One SELECT that sees what is committed. */
  read<R = Row>(sql: string, parameters?: readonly Parameter[]): Promise<R[]>;
  /** Several SELECTs that see one and the same committed state. */
  snapshot<T>(work: (reader: Reader) => Promise<T>): Promise<T>;
  /**
   * A snapshot for work that waits for others between its statements, such as a client that reads
   * slowly. The deadline is one of each statement; and only a part of the connections is lent for it,
   * so that however slow those clients are, the others are served.
   */
  stream<T>(work: (reader: Reader) => Promise<T>): Promise<T>;
  /** One try of a transaction, READ COMMITTED or stricter; commits when `work` is fulfilled. */
  transaction<T>(work: (writer: Writer) => Promise<T>, deadline: number): Promise<T>;
  /** Fulfilled when the database answers; does not stand in line, and does not wait long. */
  ping(): Promise<void>;
  failure(error: unknown): Failure;
  load(): Load;
  close(): Promise<void>;
}

/** A deadline passed; whatever was under way is abandoned. */
export class Unavailable extends Error {}

/** More wait already than can be served in time; nothing was begun. */
export class Overloaded extends Unavailable {}
