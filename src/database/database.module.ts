import { Global, Module } from '@nestjs/common';
import { getDataSourceToken, TypeOrmModule } from '@nestjs/typeorm';
import type { DataSource } from 'typeorm';
import { Config } from '../config/config';
import { createDataSource, dataSourceOf, dataSourceOptions, WRITER } from './data-source';
import { Database } from './database';
import { ExpiredKeys } from './expired-keys';
import { UnitOfWork } from './unit-of-work';

@Global()
@Module({
  imports: [
    TypeOrmModule.forRootAsync({
      inject: [Config],
      useFactory: (config: Config) => ({
        ...dataSourceOptions(config.database, 'read', {
          poolSize: config.databasePool,
          // The rest of the deadline is for waiting for a connection.
          statementMs: Math.round(config.databaseDeadlineMs * 0.6),
        }),
        // `Database` opens it, so that the service starts while the database is unavailable.
        manualInitialization: true,
      }),
      dataSourceFactory: async (options) => dataSourceOf(options!),
    }),
  ],
  providers: [
    {
      provide: WRITER,
      inject: [Config, getDataSourceToken()],
      useFactory: ({ database }: Config, reads: DataSource): DataSource =>
        database.kind === 'sqlite' ? createDataSource(database, 'write') : reads,
    },
    Database,
    UnitOfWork,
    ExpiredKeys,
  ],
  exports: [Database, UnitOfWork],
})
export class DatabaseModule {}
