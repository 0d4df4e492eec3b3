import type { DataSource } from 'typeorm';
import type { DatabaseTarget } from '../config/database-url';
import { createDataSource } from './data-source';
import type { Snapshot, Snapshots } from './reader';

/** Connections for snapshots, and milliseconds that one of their statements may take. */
const CONNECTIONS = 32;
const STATEMENT_MS = 10_000;

/** Snapshots of a MySQL server, each a REPEATABLE READ transaction on a connection of its own pool. */
export class MysqlSnapshots implements Snapshots {
  private readonly dataSource: DataSource;
  private initialized: Promise<unknown> | undefined;

  constructor(target: DatabaseTarget) {
    this.dataSource = createDataSource(target, 'snapshot', {
      poolSize: CONNECTIONS,
      statementMs: STATEMENT_MS,
    });
  }

  async open(): Promise<Snapshot> {
    this.initialized ??= this.dataSource.initialize();
    await this.initialized.catch((error: unknown) => {
      this.initialized = undefined;
      throw error;
    });
    const runner = this.dataSource.createQueryRunner();
    try {
      await runner.startTransaction('REPEATABLE READ');
    } catch (error) {
      await runner.release();
      throw error;
    }
    return {
      query: <R>(sql: string, parameters?: readonly unknown[]) =>
        runner.query(sql, parameters as unknown[]) as Promise<R[]>,
      close: async () => {
        await runner.rollbackTransaction().catch(() => undefined);
        await runner.release();
      },
    };
  }

  async close(): Promise<void> {
    if (this.dataSource.isInitialized) await this.dataSource.destroy();
  }
}
