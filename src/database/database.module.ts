import { Global, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import type { DataSourceOptions } from 'typeorm';
import { Config } from '../config/config';
import { createDataSource, dataSourceOptions } from './data-source';
import { Database } from './database';
import { KeySweeper } from './key-sweeper';
import { UnitOfWork } from './unit-of-work';

@Global()
@Module({
  imports: [
    TypeOrmModule.forRootAsync({
      inject: [Config],
      useFactory: ({ database }: Config) => ({
        ...dataSourceOptions(database),
        // A database that is away must not keep the service from starting; `Database` opens it.
        manualInitialization: true,
      }),
      dataSourceFactory: async (options) => createDataSource(options as DataSourceOptions),
    }),
  ],
  providers: [Database, UnitOfWork, KeySweeper],
  exports: [Database, UnitOfWork],
})
export class DatabaseModule {}
