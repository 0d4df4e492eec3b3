import type { DataSource } from 'typeorm';
import { MigrationExecutor } from 'typeorm';
import type { DatabaseTarget } from '../config/database-url';
import { ExpectedError } from '../logging/expected-error';
import { createDataSource } from './data-source';

/** Seconds to wait for another instance that migrates. */
const LOCK_WAIT = 300;

/** MySQL errors when two nodes of a cluster record the same migration: duplicate key, deadlock. */
const RECORDED_TWICE = new Set<unknown>([1062, 1213]);

/**
 * Runs the pending migrations and returns their names. Several instances may call it at once: a lock of
 * the database makes each wait for the one before.
 * @throws ExpectedError before anything is changed, if the database has a migration that this program
 * does not know, or the file is not an SQLite database
 */
export async function migrate(target: DatabaseTarget): Promise<string[]> {
  const dataSource = createDataSource(target, 'migrate');
  try {
    await dataSource.initialize();
    return await withLock(dataSource, async () => {
      const unknown = await unknownMigrations(dataSource);
      if (unknown.length > 0) {
        throw new ExpectedError(
          `The database is newer than this program: it has the migrations ${unknown.join(', ')}. ` +
            'Run the version that wrote it, or a later one.',
        );
      }
      await createMigrationsTable(dataSource);
      for (;;) {
        try {
          const done = await dataSource.runMigrations({ transaction: 'none' });
          return done.map((migration) => migration.name);
        } catch (error) {
          if (!RECORDED_TWICE.has((error as { errno?: number }).errno)) throw error;
        }
      }
    });
  } catch (error) {
    if ((error as { code?: string }).code !== 'SQLITE_NOTADB') throw error;
    throw new ExpectedError('DATABASE_URL names a file that is not an SQLite database.');
  } finally {
    if (dataSource.isInitialized) await dataSource.destroy();
  }
}

/**
 * Creates the table with a unique key. MySQL's named lock is valid on one server only, so instances on other
 * nodes of a cluster may migrate at the same time. Every step can be repeated, and the unique key lets only
 * one of them record it.
 */
async function createMigrationsTable(dataSource: DataSource): Promise<void> {
  if (dataSource.options.type === 'better-sqlite3') return;
  await dataSource.query(
    `CREATE TABLE IF NOT EXISTS migrations (id int NOT NULL AUTO_INCREMENT PRIMARY KEY,
      timestamp bigint NOT NULL, name varchar(255) NOT NULL, UNIQUE KEY uq_migrations_name (name))`,
  );
}

async function unknownMigrations(dataSource: DataSource): Promise<string[]> {
  const known = new Set(dataSource.migrations.map((migration) => migration.name));
  const executed = await new MigrationExecutor(dataSource).getExecutedMigrations();
  // The last one comes first.
  return executed.reverse().flatMap(({ name }) => (known.has(name) ? [] : name));
}

/**
 * Runs the migrations under a lock. On SQLite the lock is a transaction around all of them. On MySQL, where
 * each DDL statement commits by itself, it is a named lock of the server.
 */
async function withLock<T>(dataSource: DataSource, work: () => Promise<T>): Promise<T> {
  const runner = dataSource.createQueryRunner();
  const [acquire, release, abandon = release] =
    dataSource.options.type === 'better-sqlite3'
      ? ['BEGIN IMMEDIATE', 'COMMIT', 'ROLLBACK']
      : [
          `SELECT GET_LOCK(CONCAT('sprintline:', LEFT(DATABASE(), 40)), ${LOCK_WAIT}) AS locked`,
          `DO RELEASE_LOCK(CONCAT('sprintline:', LEFT(DATABASE(), 40)))`,
        ];
  try {
    const acquired: unknown = await runner.query(acquire);
    if (Array.isArray(acquired) && Number((acquired as { locked: unknown }[])[0]?.locked) !== 1) {
      throw new Error('another instance has been migrating for too long');
    }
    let result: T;
    try {
      result = await work();
    } catch (error) {
      await runner.query(abandon);
      throw error;
    }
    await runner.query(release);
    return result;
  } finally {
    await runner.release();
  }
}
