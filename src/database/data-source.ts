import Libsql from 'libsql';
import mysql2 from 'mysql2';
import type { DataSourceOptions } from 'typeorm';
import { DataSource } from 'typeorm';
import type { DatabaseTarget } from '../config';
import { prepareConnection } from './mysql.engine';
import { entities, migrations } from './registry';

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

/** How TypeORM is to reach a database. */
export function dataSourceOptions(target: DatabaseTarget, connections: number): DataSourceOptions {
  const common = { entities, migrations, migrationsTableName: 'migrations' };
  if (target.kind === 'sqlite') {
    return {
      ...common,
      type: 'better-sqlite3',
      // The same interface as better-sqlite3, but prebuilt in the package for every platform.
      driver: Libsql,
      database: target.file,
      enableWAL: true,
      timeout: 5000,
      prepareDatabase: (database: Libsql.Database) => {
        // In WAL mode TypeORM leaves it at NORMAL, which does not sync before the answer.
        database.pragma('synchronous = FULL');
      },
    };
  }
  return {
    ...common,
    type: target.kind,
    driver: {
      ...mysql2,
      createPool: (settings: mysql2.PoolOptions) => {
        const pool = mysql2.createPool(settings);
        pool.on('connection', prepareConnection);
        return pool;
      },
    },
    host: target.host,
    port: target.port,
    username: target.user,
    password: target.password,
    database: target.database,
    charset: 'utf8mb4',
    timezone: 'Z',
    // Dates and times are texts from end to end: no Date object, no process time zone touches them.
    dateStrings: true,
    supportBigNumbers: true,
    connectTimeout: 4000,
    poolSize: connections,
    ...(target.tls && { ssl: {} }),
    extra: { decimalNumbers: true, maxIdle: connections, queueLimit: 0 },
  };
}
