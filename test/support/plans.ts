import Libsql from 'libsql';
import type { TestDatabase } from './databases';
import type { Statement } from './statements';
import { onStatement } from './statements';

type Row = Record<string, unknown>;

/** How the database executes a statement. */
export interface Plan {
  /** The statement on one line, with lists of values cut short. */
  sql: string;
  steps: string[];
}

/**
 * Has the database explain every statement right before it is executed, once for each text: with its
 * parameters, in its transaction, on the rows that it meets.
 */
export class Plans {
  private readonly found = new Map<string, Plan>();

  constructor(private readonly database: TestDatabase) {}

  /** Begins to explain; returns what ends it. */
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
    // An INSERT has nothing to find.
    if (this.found.has(sql) || !/^(SELECT|UPDATE|DELETE|WITH)/.test(sql)) return;
    const plan: Plan = { sql, steps: [] };
    this.found.set(sql, plan);
    const rows =
      this.database.engine === 'sqlite'
        ? this.explainSeparately(text, parameters)
        : ((await query(`EXPLAIN FORMAT=TRADITIONAL ${text}`, parameters)) as Row[]);
    plan.steps = rows.map(step);
  }

  /** SQLite plans by the text alone, and its driver mistakes an explained UPDATE for a running one. */
  private explainSeparately(sql: string, parameters: unknown[]): Row[] {
    const connection = new Libsql(this.database.url.replace('sqlite:', ''));
    try {
      return connection.prepare<unknown[]>(`EXPLAIN QUERY PLAN ${sql}`).all(...parameters) as Row[];
    } finally {
      connection.close();
    }
  }
}

/** A row of an EXPLAIN on one line: operation, table, index, columns. */
function step(row: Row): string {
  const { detail, type, table, key, ref, Extra } = row;
  if (typeof detail === 'string') return detail;
  const columns = typeof ref === 'string' && `(${ref})`;
  return [type, table, key, columns, Extra].filter(Boolean).join(' ');
}

/** Indexes that begin with the board, and have more than that. */
const OF_BOARD =
  'ix_stories_list|ix_stories_board|ix_stories_updated|uq_stories_external_id|ix_sprints_order';

/** Whether a statement reads all rows of a table, or all of a board, or, where that matters, sorts rows. */
export function isWide({ sql, steps }: Plan, sorting = true): boolean {
  // TypeORM's `exists` selects from a table of one row.
  const scan = '^SCAN (?!CONSTANT ROW|dummy_table)|^(ALL|index) ';
  const wide = new RegExp(sorting ? `${scan}|^USE TEMP B-TREE|Using (filesort|temporary)` : scan);
  const wholeBoard = new RegExp(`\\(board_id=\\?\\)$|^ref \\S+ (${OF_BOARD}) \\(const\\)`);
  const few = /LIMIT|EXISTS/.test(sql);
  return steps.some((one) => wide.test(one) || (!few && wholeBoard.test(one)));
}
