import Libsql from 'libsql';
import type { TestDatabase } from './databases';
import type { Statement } from './statements';
import { onStatement } from './statements';

type Row = Record<string, unknown>;

/** The plan by which the database executes a statement. */
export interface Plan {
  /** The statement on one line, with lists of values shortened. */
  sql: string;
  steps: string[];
}

/**
 * Runs EXPLAIN for each distinct statement right before its first execution, with its parameters, in its
 * transaction.
 */
export class Plans {
  private readonly found = new Map<string, Plan>();

  constructor(private readonly database: TestDatabase) {}

  /** Starts to explain statements; the returned function stops it. */
  listen(): () => void {
    return onStatement({ before: (statement) => this.explain(statement) });
  }

  get all(): Plan[] {
    return [...this.found.values()];
  }

  private async explain({ sql: text, parameters, query }: Statement): Promise<void> {
    const sql = text
      .replace(/["`]/g, '')
      .replace(/\s+/g, ' ')
      .replace(/\((\?, ?)+\?\)/g, '(?, …)')
      .trim();
    // An INSERT reads no rows.
    if (this.found.has(sql) || !/^(SELECT|UPDATE|DELETE|WITH)/.test(sql)) return;
    const plan: Plan = { sql, steps: [] };
    this.found.set(sql, plan);
    const rows =
      this.database.engine === 'sqlite'
        ? this.explainSeparately(text, parameters)
        : ((await query(`EXPLAIN FORMAT=TRADITIONAL ${text}`, parameters)) as Row[]);
    plan.steps = rows.map(step);
  }

  /** Explains on a separate connection, because the driver treats EXPLAIN of an UPDATE as an UPDATE. */
  private explainSeparately(sql: string, parameters: unknown[]): Row[] {
    const connection = new Libsql(this.database.url.replace('sqlite:', ''));
    try {
      return connection.prepare<unknown[]>(`EXPLAIN QUERY PLAN ${sql}`).all(...parameters) as Row[];
    } finally {
      connection.close();
    }
  }
}

/** Formats a row of an EXPLAIN on one line: operation, table, index, columns. */
function step(row: Row): string {
  const { detail, type, table, key, ref, Extra } = row;
  if (typeof detail === 'string') return detail;
  const columns = typeof ref === 'string' && `(${ref})`;
  return [type, table, key, columns, Extra].filter(Boolean).join(' ');
}

/** Indexes whose first of several columns is the board. */
const OF_BOARD =
  'ix_stories_list|ix_stories_board|ix_stories_updated|uq_stories_external_id|ix_sprints_order';

/** Returns whether a statement reads all rows of a table. TypeORM's `exists` selects from a table of one row. */
export const isScan = ({ steps }: Plan): boolean =>
  steps.some((one) => /^SCAN (?!CONSTANT ROW|dummy_table)|^(ALL|index) /.test(one));

/** Returns whether a statement reads all rows of a table or of a board, or, with `sorting`, sorts rows. */
export function isWide(plan: Plan, sorting = true): boolean {
  const { sql, steps } = plan;
  const sort = /^USE TEMP B-TREE|Using (filesort|temporary)/;
  const wholeBoard = new RegExp(`\\(board_id=\\?\\)$|^ref \\S+ (${OF_BOARD}) \\(const\\)`);
  const few = /LIMIT|EXISTS/.test(sql);
  return (
    isScan(plan) ||
    steps.some((one) => (sorting && sort.test(one)) || (!few && wholeBoard.test(one)))
  );
}
