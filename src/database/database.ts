import { Injectable, Logger } from '@nestjs/common';
import type { OnApplicationBootstrap, OnApplicationShutdown } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { setTimeout as sleep } from 'node:timers/promises';
import { DataSource } from 'typeorm';
import { Problem } from '../http/problem';
import { Config } from '../config/config';
import { connectionOptions } from './data-source';
import type { Engine, Load, Parameter, Reader, Row } from './engine';
import { Overloaded } from './engine';
import type { Key, Lookup } from './lookup';
import { Lookups } from './lookup';
import { migrate, NewerDatabase } from './migrator';
import { MysqlEngine } from './mysql.engine';
import { SqliteEngine } from './sqlite.engine';

/** Pause between two tries to reach a database that is away, in milliseconds. */
const RECONNECT_MS = 250;

const TOO_LARGE = 'The database does not take so much in one piece; send less.';

/**
 * The way to the database for everything that reads. The service starts without it: it is opened and
 * migrated behind the scenes, and asked for again until it comes.
 */
@Injectable()
export class Database implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger('Database');
  private readonly lookups = new Lookups((sql, keys) => this.query(sql, keys));
  private opened: Engine | undefined;
  private closing = false;
  private pinging: Promise<boolean> | undefined;
  /** Whether it is known, and logged, that the database fails. */
  private failing = false;
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

  /** Whether the database is migrated and answers now. However many ask, it is asked once. */
  isReady(): Promise<boolean> {
    if (!this.opened) return Promise.resolve(false);
    this.pinging ??= this.opened
      .ping()
      .then(
        () => true,
        () => false,
      )
      .finally(() => (this.pinging = undefined));
    return this.pinging;
  }

  /** How full the way to the database is; nothing where it is away. */
  load(): Load | undefined {
    return this.opened?.load();
  }

  /** Requests at a time that it is worth working at; the others would only wait for each other. */
  get worthwhile(): number {
    return this.opened?.worthwhile ?? Infinity;
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

  /** The row with a unique key, as `first`; see `Lookups`. @throws Problem `database_unavailable` */
  async find<R = Row>(lookup: Lookup, key: Key): Promise<R | undefined> {
    return (await this.lookups.find(lookup, key)) as R | undefined;
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

  /** As `snapshot`, for work that waits for a client. @throws Problem `database_unavailable` */
  async stream<T>(work: (reader: Reader) => Promise<T>): Promise<T> {
    const { engine } = this;
    try {
      return await engine.stream(work);
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
    if (error instanceof Overloaded) return new Problem('overloaded');
    const failure = this.opened.failure(error);
    if (failure === 'unavailable') void this.watch(error);
    if (failure === 'too_large') {
      return new Problem('content_too_large', TOO_LARGE, { cause: error });
    }
    return failure === 'unavailable' || failure === 'retry' ? unavailable(error) : error;
  }

  /** One line when the database begins to fail, and one when it answers again. */
  private async watch(cause: unknown): Promise<void> {
    if (this.failing) return;
    this.failing = true;
    this.logger.error(`The database fails: ${reason(cause)}. What needs it is answered with 503.`);
    do await sleep(RECONNECT_MS, undefined, { ref: false });
    while (!this.closing && !(await this.isReady()));
    this.failing = false;
    if (!this.closing) this.logger.log('The database answers again.');
  }

  private async open(): Promise<void> {
    let told = '';
    while (!this.closing) {
      try {
        if (!this.dataSource.isInitialized) await this.dataSource.initialize();
        const done = await migrate(this.dataSource);
        this.opened = this.createEngine();
        this.logger.log({ migrations: done }, 'The database is ready.');
        return;
      } catch (error) {
        if (error instanceof NewerDatabase) {
          this.hopeless = error;
          return;
        }
        // One line when it begins; what follows is mostly the same again.
        const why = reason(error);
        if (why !== told) {
          this.logger.error(`The database cannot be used: ${why}. Trying again until it can.`);
        }
        told = why;
        await sleep(RECONNECT_MS);
      }
    }
  }

  private createEngine(): Engine {
    const { database, databasePool, databaseDeadlineMs } = this.config;
    return database.kind === 'sqlite'
      ? new SqliteEngine(this.dataSource, database.file, databaseDeadlineMs)
      : new MysqlEngine(connectionOptions(database), databasePool, databaseDeadlineMs);
  }
}

/** The refusal of a service whose database is away. */
export function unavailable(cause?: unknown): Problem {
  return new Problem('database_unavailable', undefined, { cause });
}

/** What an error says, on one line and without its end. */
function reason(error: unknown): string {
  const { message, code } = error as { message?: string; code?: string };
  return (message || code || String(error)).replace(/\s+/g, ' ').replace(/\.$/, '');
}
