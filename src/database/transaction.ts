import type { EntityManager } from 'typeorm';
import { TimeSlice } from '../time/time-slice';
import type { Reader } from './reader';
import { placeholders } from './reader';

/** Limits of one INSERT: rows (SQLite accepts 32,766 parameters), and characters after which it is sent. */
const MAX_ROWS = 250;
const MAX_CHARACTERS = 500_000;

/**
 * Milliseconds of work between two pauses. Each pause serves other requests, so with a pause after every
 * statement a change of 2,000 stories held its lock nearly twice as long.
 */
const WORK_MS = 15;

/**
 * The statements of a transaction that are plain SQL, because every change runs them: a statement takes 16 to
 * 40 µs, and 99 to 153 µs through an EntityManager. All others go through `manager`.
 */
export class Transaction implements Reader {
  private readonly timeSlice: TimeSlice;

  /** @param rest resolves when the work may go on after a pause */
  constructor(
    public manager: EntityManager,
    rest?: () => Promise<void>,
  ) {
    this.timeSlice = new TimeSlice(WORK_MS, rest);
  }

  query<R = Record<string, unknown>>(
    sql: string,
    parameters: readonly unknown[] = [],
  ): Promise<R[]> {
    return this.manager.query(sql, parameters as unknown[]);
  }

  /** The clause that locks the rows of a SELECT; empty on SQLite, which has one writer and no such clause. */
  get forUpdate(): string {
    return this.isSqlite ? '' : ' FOR UPDATE';
  }

  /** Inserts a row and returns its id. For the hottest writes: `EntityManager.insert` takes 130 µs more. */
  async insert(table: string, row: Record<string, unknown>): Promise<number> {
    const columns = Object.keys(row);
    const result: unknown = await this.query(
      `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${placeholders(columns)})`,
      Object.values(row),
    );
    return typeof result === 'number' ? result : (result as { insertId: number }).insertId;
  }

  /** Updates columns of a row. For the hottest writes: `EntityManager.update` takes 80 µs more. */
  async update(table: string, id: number, columns: Record<string, unknown>): Promise<void> {
    const assignments = Object.keys(columns).map((name) => `${name} = ?`);
    await this.query(`UPDATE ${table} SET ${assignments.join(', ')} WHERE id = ?`, [
      ...Object.values(columns),
      id,
    ]);
  }

  /**
   * Inserts many rows, all with the columns of the first, in few statements. Returns no ids: not every server numbers
   * them consecutively.
   */
  async insertMany(table: string, rows: Iterable<Record<string, unknown>>): Promise<void> {
    let columns: string[] | undefined;
    let values: unknown[] = [];
    let count = 0;
    let length = 0;
    const send = async (): Promise<void> => {
      if (!columns || count === 0) return;
      const names = columns.map((name) => `\`${name}\``).join(', ');
      const tuples = Array(count)
        .fill(`(${placeholders(columns)})`)
        .join(', ');
      await this.query(`INSERT INTO ${table} (${names}) VALUES ${tuples}`, values);
      [values, count, length] = [[], 0, 0];
    };
    for (const row of rows) {
      columns ??= Object.keys(row);
      for (const name of columns) {
        const value = row[name];
        values.push(value);
        if (typeof value === 'string') length += value.length;
      }
      count += 1;
      if (count < MAX_ROWS && length < MAX_CHARACTERS) continue;
      await send();
      await this.pause();
    }
    await send();
  }

  /**
   * Lets other requests run, at most every `WORK_MS`. Statements of SQLite block the process, so long
   * changes await this between their chunks.
   */
  pause(): Promise<void> {
    return this.timeSlice.pause();
  }

  protected get isSqlite(): boolean {
    return this.manager.dataSource.options.type === 'better-sqlite3';
  }
}
