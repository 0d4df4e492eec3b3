import Libsql from 'libsql';
import type { Engine, Parameter, Reader, Row, Writer } from '../../src/database/engine';
import type { TestDatabase } from './databases';

/** How the database executes a statement. */
export interface Plan {
  /** The statement on one line, with lists of values cut short. */
  sql: string;
  steps: string[];
}

/**
 * Has every statement that an engine is given explained by the database right before it is executed,
 * once for each text: with its parameters, in its transaction, on the rows that it meets.
 */
export class Plans {
  private readonly found = new Map<string, Plan>();

  constructor(
    private readonly engine: Engine,
    private readonly database: TestDatabase,
  ) {}

  /** Begins to listen; what was explained is in `all`. */
  listen(): void {
    const { engine } = this;
    const read = engine.read.bind(engine);
    const direct: Reader = { query: (sql, values) => read(sql, values) };
    const snapshot = engine.snapshot.bind(engine);
    const stream = engine.stream.bind(engine);
    const transaction = engine.transaction.bind(engine);
    const reader = (to: Reader): Reader => ({
      query: async (sql, values) => {
        await this.explain(to, sql, values);
        return to.query(sql, values);
      },
    });
    const writer = (to: Writer): Writer => ({
      ...reader(to),
      run: async (sql, values) => {
        await this.explain(to, sql, values);
        return to.run(sql, values);
      },
    });
    engine.read = (sql, values) => reader(direct).query(sql, values);
    engine.snapshot = (work) => snapshot((to) => work(reader(to)));
    engine.stream = (work) => stream((to) => work(reader(to)));
    engine.transaction = (work, deadline) => transaction((to) => work(writer(to)), deadline);
  }

  get all(): Plan[] {
    return [...this.found.values()];
  }

  private async explain(to: Reader, text: string, values?: readonly Parameter[]): Promise<void> {
    const sql = text
      .replace(/\s+/g, ' ')
      .replace(/\((\?, )+\?\)/g, '(?, …)')
      .replace(/(WHEN \? THEN \? )+/g, 'WHEN ? THEN ? ')
      .trim();
    // What is inserted are rows that are given: there is nothing to find.
    if (this.found.has(sql) || sql.startsWith('INSERT')) return;
    const plan: Plan = { sql, steps: [] };
    this.found.set(sql, plan);
    const rows =
      this.database.engine === 'sqlite'
        ? this.explainBeside(text, values)
        : await to.query(`EXPLAIN FORMAT=TRADITIONAL ${text}`, values);
    plan.steps = rows.map(step);
  }

  /** SQLite plans by the text alone, and its driver takes an explained UPDATE for one that is under way. */
  private explainBeside(sql: string, values: readonly Parameter[] = []): Row[] {
    const beside = new Libsql(this.database.url.replace('sqlite:', ''));
    try {
      const plan = beside.prepare<unknown[]>(`EXPLAIN QUERY PLAN ${sql}`);
      return plan.all(...(values as unknown[])) as Row[];
    } finally {
      beside.close();
    }
  }
}

/** A row of an EXPLAIN, on one line: what is done with which table, by which columns of an index. */
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
  const wide = sorting
    ? /^SCAN |^USE TEMP B-TREE|^(ALL|index) |Using (filesort|temporary)/
    : /^SCAN |^(ALL|index) /;
  const wholeBoard = new RegExp(`\\(board_id=\\?\\)$|^ref \\S+ (${OF_BOARD}) \\(const\\)`);
  const few = /LIMIT|EXISTS/.test(sql);
  return steps.some((one) => wide.test(one) || (!few && wholeBoard.test(one)));
}
