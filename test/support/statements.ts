import { BetterSqlite3QueryRunner } from 'typeorm/driver/better-sqlite3/BetterSqlite3QueryRunner';
import { MysqlQueryRunner } from 'typeorm/driver/mysql/MysqlQueryRunner';
import { SqliteSnapshots } from '../../src/database/sqlite-snapshots';

/** A statement that the service sends to its database. */
export interface Statement {
  sql: string;
  parameters: unknown[];
  /** Sends another statement the same way. */
  query: (sql: string, parameters?: unknown[]) => Promise<unknown>;
}

interface Listeners {
  before?: (statement: Statement) => Promise<void> | void;
  after?: (statement: Statement, result: unknown) => void;
}

/** The methods that send all statements: those of TypeORM and of the threads that read snapshots. */
const METHODS: [object, name: string, statementOf: (...args: any[]) => Omit<Statement, 'query'>][] =
  [
    ...[BetterSqlite3QueryRunner.prototype, MysqlQueryRunner.prototype].map(
      (prototype): (typeof METHODS)[number] => [
        prototype,
        'query',
        (sql: string, parameters: unknown[] = []) => ({ sql, parameters }),
      ],
    ),
    [
      SqliteSnapshots.prototype,
      'send',
      (_thread, { sql = '', parameters = [] }) => ({ sql, parameters: [...parameters] }),
    ],
  ];

/**
 * Calls the listeners for every statement that the services of this process send, until the returned
 * function is called.
 */
export function onStatement({ before, after }: Listeners): () => void {
  const restores = METHODS.map(([prototype, name, statementOf]) => {
    const methods = prototype as Record<string, (...args: any[]) => Promise<unknown>>;
    const original = methods[name] as (...args: any[]) => Promise<unknown>;
    methods[name] = async function (this: unknown, ...args: any[]) {
      const statement: Statement = {
        ...statementOf(...args),
        query: (sql, parameters) => original.call(this, sql, parameters),
      };
      if (statement.sql !== '') await before?.(statement);
      const result = await original.apply(this, args);
      if (statement.sql !== '') after?.(statement, result);
      return result;
    };
    return () => (methods[name] = original);
  });
  return () => restores.forEach((restore) => restore());
}

/** Counts the rows that the services of this process read while `work` runs. */
export async function rowsReadDuring(work: () => Promise<unknown>): Promise<number> {
  let rows = 0;
  const stop = onStatement({
    after: (_statement, result) => {
      if (Array.isArray(result)) rows += result.length;
    },
  });
  try {
    await work();
    return rows;
  } finally {
    stop();
  }
}
