import type Libsql from 'libsql';
import type mysql2 from 'mysql2';
import type { DataSourceOptions } from 'typeorm';
import { DataSource } from 'typeorm';
import type { DatabaseTarget } from '../config/config';
import { loadLibsql, loadMysql2 } from './drivers';
import { prepareConnection } from './mysql.engine';
import { MOST_PREPARED } from './prepared';
import { entities, migrations } from './registry';

type MysqlTarget = Exclude<DatabaseTarget, { kind: 'sqlite' }>;

/** A data source that has opened no connection yet: its `initialize` does. */
export function createDataSource(options: DataSourceOptions): DataSource {
  const dataSource = new DataSource(options);
  if (options.type !== 'better-sqlite3') {
    // What is `text` in an entity holds more than the 64 KiB of MySQL's type of that name.
    const { driver } = dataSource;
    const normalizeType = driver.normalizeType.bind(driver);
    driver.normalizeType = (column) =>
      column.type === 'text' ? 'mediumtext' : normalizeType(column);
  }
  return dataSource;
}

/** How TypeORM is to reach a database. It opens and migrates; all else goes through an `Engine`. */
export function dataSourceOptions(target: DatabaseTarget): DataSourceOptions {
  const common = { entities, migrations, migrationsTableName: 'migrations' };
  if (target.kind === 'sqlite') {
    return {
      ...common,
      type: 'better-sqlite3',
      driver: loadLibsql(),
      database: target.file,
      enableWAL: true,
      // Milliseconds to wait for another process that has the file: one that starts and migrates, too.
      // The engine does not wait like that, for it would stop the process.
      timeout: 5000,
      prepareDatabase: (database: Libsql.Database) => {
        // In WAL mode TypeORM leaves it at NORMAL, which does not sync before the answer.
        database.pragma('synchronous = FULL');
      },
    };
  }
  const { user: username, ...options } = connectionOptions(target);
  return {
    ...common,
    type: target.kind,
    driver: {
      createPool: (settings: mysql2.PoolOptions) => {
        const pool = loadMysql2().createPool(settings);
        pool.on('connection', prepareConnection);
        return pool;
      },
    },
    username,
    // One holds the lock of the migrations, one migrates; when they are done, neither is kept.
    poolSize: 2,
    extra: { ...options, maxIdle: 0, idleTimeout: 1000 },
  };
}

/** How a server that speaks MySQL's protocol is reached. */
export function connectionOptions(target: MysqlTarget): mysql2.ConnectionOptions {
  return {
    host: target.host,
    port: target.port,
    user: target.user,
    password: target.password,
    database: target.database,
    charset: 'utf8mb4',
    timezone: 'Z',
    // Dates and times are texts from end to end: no Date object, no process time zone touches them.
    dateStrings: true,
    supportBigNumbers: true,
    decimalNumbers: true,
    connectTimeout: 4000,
    maxPreparedStatements: MOST_PREPARED,
    // A peer that vanished without a word is noticed by the system's probes, not after two hours.
    enableKeepAlive: true,
    keepAliveInitialDelay: 10_000,
    ...(target.tls && { ssl: {} }),
  };
}
