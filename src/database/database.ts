import { Injectable, Logger } from '@nestjs/common';
import type { OnApplicationBootstrap, OnApplicationShutdown } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { setTimeout as sleep } from 'node:timers/promises';
import { DataSource } from 'typeorm';
import { Problem } from '../common/problem';
import { Config } from '../config';
import type { Engine, Load, Parameter, Reader, Row } from './engine';
import { migrate, NewerDatabase } from './migrator';
import { MysqlEngine } from './mysql.engine';
import { SqliteEngine } from './sqlite.engine';

/** Pause between two tries to reach a database that is away, in milliseconds. */
const RECONNECT_MS = 500;

/**
 * The way to the database for everything that reads. The service starts without it: it is opened and
 * migrated behind the scenes, and asked for again until it comes.
 */
@Injectable()
export class Database implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger('Database');
  private opened: Engine | undefined;
  private closing = false;
  private opening: Promise<void> = Promise.resolve();
  /** Set when the database can never be used by this program. */
  private hopeless: Error | undefined;

  constructor(
    @InjectDataSource() readonly dataSource: DataSource,
    private readonly config: Config,
  ) {}

  onApplicationBootstrap(): void {
    this.opening = this.open();
  }

  async onApplicationShutdown(): Promise<void> {
    this.closing = true;
    await this.opening;
    await this.opened?.close();
  }

  /** Fulfilled once the database can be used; rejected where it never will. */
  async ready(): Promise<void> {
    await this.opening;
    if (this.hopeless) throw this.hopeless;
  }

  /** Whether a statement is answered now, by a database that is migrated. */
  async isReady(): Promise<boolean> {
    if (!this.opened) return false;
    try {
      await this.opened.read('SELECT 1');
      return true;
    } catch {
      return false;
    }
  }

  /** How full the way to the database is; nothing where it is away. */
  load(): Load | undefined {
    return this.opened?.load();
  }

  get engine(): Engine {
    if (!this.opened) throw unavailable();
    return this.opened;
  }

  /** One SELECT that sees what is committed. @throws Problem `database_unavailable` */
  async query<R = Row>(sql: string, parameters?: readonly Parameter[]): Promise<R[]> {
    const { engine } = this;
    try {
      return await engine.read<R>(sql, parameters);
    } catch (error) {
      throw this.translated(error);
    }
  }

  /** As `query`, for the first row there is. */
  async first<R = Row>(sql: string, parameters?: readonly Parameter[]): Promise<R | undefined> {
    return (await this.query<R>(sql, parameters))[0];
  }

  /** Several SELECTs that see one committed state. @throws Problem `database_unavailable` */
  async snapshot<T>(work: (reader: Reader) => Promise<T>): Promise<T> {
    const { engine } = this;
    try {
      return await engine.snapshot(work);
    } catch (error) {
      throw this.translated(error);
    }
  }

  /** Whether a UNIQUE constraint refused a row. */
  isDuplicate(error: unknown): boolean {
    return this.opened?.failure(error) === 'duplicate';
  }

  /** The refusal that a failed statement means to a client, or the error itself. */
  translated(error: unknown): unknown {
    if (error instanceof Problem || !this.opened) return error;
    const failure = this.opened.failure(error);
    return failure === 'unavailable' || failure === 'retry' ? unavailable(error) : error;
  }

  private async open(): Promise<void> {
    for (let tries = 0; !this.closing; tries += 1) {
      try {
        if (!this.dataSource.isInitialized) await this.dataSource.initialize();
        const done = await migrate(this.dataSource);
        this.opened = this.createEngine();
        this.logger.log(
          { migrations: done },
          tries === 0 ? 'database ready' : `database ready after ${tries} failed tries`,
        );
        return;
      } catch (error) {
        if (error instanceof NewerDatabase) {
          this.hopeless = error;
          this.logger.fatal(error.message);
          return;
        }
        // One line when it begins; what follows is the same again.
        if (tries === 0) {
          this.logger.error(
            `The database cannot be used: ${(error as Error).message || (error as { code?: string }).code}. ` +
              'Trying again until it can.',
          );
        }
        await sleep(RECONNECT_MS, undefined, { ref: false });
      }
    }
  }

  private createEngine(): Engine {
    const { database, databasePool, databaseDeadlineMs } = this.config;
    return database.kind === 'sqlite'
      ? new SqliteEngine(this.dataSource, database.file, databaseDeadlineMs)
      : new MysqlEngine(this.dataSource, databasePool, databaseDeadlineMs);
  }
}

/** The refusal of a service whose database is away. `Retry-After` is in seconds. */
export function unavailable(cause?: unknown): Problem {
  return new Problem('database_unavailable', undefined, {
    headers: { 'Retry-After': '1' },
    cause,
  });
}
