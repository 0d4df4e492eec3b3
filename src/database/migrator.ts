import type { DataSource } from 'typeorm';
import { QueryFailedError } from 'typeorm';

/** A database whose last migration this program does not know. */
export class NewerDatabase extends Error {}

/** Seconds to wait for another instance that migrates. */
const LOCK_WAIT = 300;

/** Errors of MySQL that say that another has recorded the same migration: duplicate key, deadlock. */
const RECORDED = new Set([1062, 1213]);

/**
 * Brings the database's tables to what the entities say. Several instances may do so at once: a lock
 * of the database lets one after the other in.
 * @throws NewerDatabase where a newer program has been here; nothing is changed then.
 */
export async function migrate(dataSource: DataSource): Promise<string[]> {
  return exclusively(dataSource, async () => {
    const unknown = await unknownMigrations(dataSource);
    if (unknown.length > 0) {
      throw new NewerDatabase(
        `The database is newer than this program: it has the migrations ${unknown.join(', ')}. ` +
          'Run the version that wrote it, or a later one.',
      );
    }
    await makeTable(dataSource);
    for (;;) {
      try {
        const done = await dataSource.runMigrations({ transaction: 'none' });
        return done.map((migration) => migration.name);
      } catch (error) {
        if (!RECORDED.has(errno(error))) throw error;
      }
    }
  });
}

/**
 * A lock of MySQL holds on one server. On other nodes of its cluster others may migrate at the same
 * time, which does no harm, for each step may be done twice; and the key lets one record it.
 */
async function makeTable(dataSource: DataSource): Promise<void> {
  if (dataSource.options.type === 'better-sqlite3') return;
  await dataSource.query(
    `CREATE TABLE IF NOT EXISTS migrations (id int NOT NULL AUTO_INCREMENT PRIMARY KEY,
      timestamp bigint NOT NULL, name varchar(255) NOT NULL, UNIQUE KEY uq_migrations_name (name))`,
  );
}

const errno = (error: unknown): number =>
  error instanceof QueryFailedError ? ((error.driverError as { errno?: number }).errno ?? 0) : 0;

async function unknownMigrations(dataSource: DataSource): Promise<string[]> {
  const runner = dataSource.createQueryRunner();
  try {
    if (!(await runner.hasTable('migrations'))) return [];
    const known = new Set(dataSource.migrations.map((migration) => migration.name));
    const rows = (await runner.query('SELECT name FROM migrations ORDER BY id')) as {
      name: string;
    }[];
    return rows.map((row) => row.name).filter((name) => !known.has(name));
  } finally {
    await runner.release();
  }
}

/**
 * SQLite's lock is the transaction, so there all pending migrations are one. On MySQL, where each
 * definition commits by itself, it is a named lock of the server.
 */
async function exclusively<T>(dataSource: DataSource, work: () => Promise<T>): Promise<T> {
  const runner = dataSource.createQueryRunner();
  const [take, release, abandon = release] =
    dataSource.options.type === 'better-sqlite3'
      ? ['BEGIN IMMEDIATE', 'COMMIT', 'ROLLBACK']
      : [
          `SELECT GET_LOCK(CONCAT('sprintline:', LEFT(DATABASE(), 40)), ${LOCK_WAIT}) AS held`,
          `DO RELEASE_LOCK(CONCAT('sprintline:', LEFT(DATABASE(), 40)))`,
        ];
  try {
    const taken: unknown = await runner.query(take);
    if (Array.isArray(taken) && Number((taken as { held: unknown }[])[0]?.held) !== 1) {
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
