import { Inject, Injectable, Logger } from '@nestjs/common';
import type { OnApplicationBootstrap, OnApplicationShutdown } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { statSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { DataSource } from 'typeorm';
import { Config } from '../config/config';
import type { Client } from '../http/client';
import { Problem } from '../http/problem';
import { ExpectedError } from '../logging/expected-error';
import { WRITER } from './data-source';
import { DatabaseTimeout, failureOf, toProblem, unavailable } from './errors';
import { LimitedSnapshots } from './limited-snapshots';
import { migrate } from './migrator';
import { MysqlSnapshots } from './mysql-snapshots';
import type { Reader, Snapshot, Snapshots } from './reader';
import { SqliteSnapshots } from './sqlite-snapshots';

/** Milliseconds between two attempts to reach an unavailable database. */
const RECONNECT_MS = 250;

/** Milliseconds within which an available database answers a ping. */
const PING_MS = 1000;

/** Milliseconds for which a failed read is repeated, and between two attempts at most. */
const READ_AGAIN_MS = 2000;
const MAX_PAUSE_MS = 250;

/** Milliseconds between two warnings that statements fail although the database answers. */
const QUIET_MS = 60_000;

/**
 * Opens, migrates and watches the database, and runs plain SELECTs. The service starts while the
 * database is unavailable, answers 503 to requests that need it, and connects as soon as it can.
 */
@Injectable()
export class Database implements Reader, OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger('Database');
  private readonly dataSources: ReadonlySet<DataSource>;
  private readonly snapshots: Snapshots;
  private readonly limitedSnapshots = new LimitedSnapshots(() => this.openSnapshot());
  private isOpen = false;
  private closing = false;
  private failing = false;
  private quietUntil = 0;
  private pinging: Promise<void> | undefined;
  private opening: Promise<void> = Promise.resolve();
  /** Set if this program can never use the database. */
  private unusable: Error | undefined;

  constructor(
    @InjectDataSource() readonly dataSource: DataSource,
    @Inject(WRITER) private readonly writer: DataSource,
    private readonly config: Config,
  ) {
    const { database } = config;
    this.dataSources = new Set([writer, dataSource]);
    this.snapshots =
      database.kind === 'sqlite'
        ? new SqliteSnapshots(database.file)
        : new MysqlSnapshots(database);
  }

  onApplicationBootstrap(): void {
    this.opening = this.open();
  }

  async onApplicationShutdown(): Promise<void> {
    this.closing = true;
    await this.opening;
    await this.snapshots.close();
    if (this.writer !== this.dataSource && this.writer.isInitialized) {
      // Checkpoints, so that a copy of the file alone is complete. SQLite runs one when the last connection is
      // closed, but prepared statements keep these open. PASSIVE does not block other processes. TRUNCATE
      // does, and has little left to copy. If the disk fails, the write-ahead log remains.
      for (const mode of ['PASSIVE', 'TRUNCATE']) {
        await this.writer.query(`PRAGMA wal_checkpoint(${mode})`).catch(() => undefined);
      }
    }
    // @nestjs/typeorm has closed the default data source, unless it was still being opened.
    for (const dataSource of this.dataSources) {
      if (dataSource.isInitialized) await dataSource.destroy();
    }
  }

  /** Warns after the service has stopped if a copy of the SQLite file alone would lack changes. */
  warnOfLog(): void {
    const { database } = this.config;
    if (database.kind !== 'sqlite') return;
    const log = `${database.file}-wal`;
    const size = statSync(log, { throwIfNoEntry: false })?.size ?? 0;
    if (size === 0) return;
    this.logger.warn(
      `${log} still has changes that are not in ${database.file}. Copy both, or use \`backup\`.`,
    );
  }

  /** Resolves once the database can be used. @throws ExpectedError */
  async untilReady(): Promise<void> {
    await this.opening;
    if (this.unusable) throw this.unusable;
  }

  /** Whether the database is migrated and answers now. */
  isReady(): Promise<boolean> {
    return this.requireReady().then(
      () => true,
      () => false,
    );
  }

  /**
   * Requires that the database is migrated and answers now. Concurrent calls share one ping.
   * @throws Problem `database_unavailable`
   */
  async requireReady(): Promise<void> {
    this.requireOpen();
    this.pinging ??= this.ping().finally(() => (this.pinging = undefined));
    return this.pinging;
  }

  private async ping(): Promise<void> {
    const late = sleep(PING_MS, new DatabaseTimeout('no answer in time'), { ref: false });
    const answer = repeated(() => this.dataSource.query('SELECT 1')).catch((error: Error) => error);
    const result: unknown = await Promise.race([answer, late]);
    if (result instanceof Error) throw unavailable(result);
  }

  /** @throws Problem `database_unavailable` while the database is not open */
  requireOpen(): void {
    if (!this.isOpen) throw unavailable();
  }

  /**
   * Reads, through a repository for example, and reads again for up to two seconds if the connection is lost or its
   * node has left the cluster.
   * @throws Problem `database_unavailable`, and what `attempt` throws
   */
  async read<T>(attempt: () => Promise<T>): Promise<T> {
    this.requireOpen();
    try {
      return await repeated(attempt);
    } catch (error) {
      throw this.problemOf(error);
    }
  }

  /** Runs one SELECT on the committed state, as `read` does. @throws Problem `database_unavailable` */
  async query<R = Record<string, unknown>>(
    sql: string,
    parameters: readonly unknown[] = [],
  ): Promise<R[]> {
    return this.read(() => this.dataSource.query(sql, parameters as unknown[]));
  }

  /**
   * Runs several SELECTs on one committed state, and all of them again as `read` does. Each client has a limit.
   * @throws Problem `overloaded`, `database_unavailable`; an `AbortError` if the client disconnects while it waits
   */
  snapshot<T>(client: Client, work: (reader: Reader) => Promise<T>): Promise<T> {
    return this.read(async () => {
      const snapshot = await this.limitedSnapshots.open(client, 'report');
      try {
        return await work({ signal: client.signal, ...snapshot });
      } finally {
        await snapshot.close();
      }
    });
  }

  /**
   * Opens a snapshot for a response whose client may read slowly; the caller closes it. Each client has a
   * limit, so that slow clients do not keep others from reading.
   * @throws as `snapshot` does
   */
  openStream(client: Client): Promise<Snapshot> {
    return this.limitedSnapshots.open(client, 'list');
  }

  /** Number of open snapshots. */
  get openSnapshots(): number {
    return this.limitedSnapshots.count;
  }

  /** Converts a database error into the problem that a client gets. Returns any other error unchanged. */
  problemOf(error: unknown): unknown {
    if (!this.isOpen && !(error instanceof Problem)) return unavailable(error);
    const problem = toProblem(error);
    if (this.isOpen && problem instanceof Problem && problem.code === 'database_unavailable') {
      this.watch(problem.options.cause ?? error);
    }
    return problem;
  }

  /**
   * Logs why work in the background failed, which a later run repeats. An outage is logged as in `problemOf`, and an
   * overload is no error here.
   */
  logFailure(logger: Logger, error: unknown): void {
    const problem = this.problemOf(error);
    if (problem instanceof Problem) logger.debug(problem);
    else logger.error(problem);
  }

  private async openSnapshot(): Promise<Snapshot> {
    this.requireOpen();
    try {
      const snapshot = await this.snapshots.open();
      // A response may close its snapshot again after an error.
      let closing: Promise<void> | undefined;
      return {
        query: <R>(sql: string, parameters?: readonly unknown[]) =>
          snapshot.query<R>(sql, parameters).catch((error: unknown) => {
            throw this.problemOf(error);
          }),
        close: () => (closing ??= snapshot.close()),
      };
    } catch (error) {
      throw this.problemOf(error);
    }
  }

  /** Logs once that the database is unavailable, and once that it is available again. */
  private watch(cause: unknown): void {
    if (this.failing) return;
    this.failing = true;
    const check = async (): Promise<void> => {
      // A slow statement or a full disk does not mean that the database is unavailable.
      if (await this.isReady()) {
        if (performance.now() < this.quietUntil) return;
        this.quietUntil = performance.now() + QUIET_MS;
        this.logger.warn(`The database answers, but a statement failed: ${reason(cause)}.`);
        return;
      }
      this.logger.error(
        `The database is unavailable: ${reason(cause)}. Requests that need it get 503 until it answers.`,
      );
      do await sleep(RECONNECT_MS, undefined, { ref: false });
      while (!this.closing && !(await this.isReady()));
      if (!this.closing) this.logger.log('The database is available again.');
    };
    void check().finally(() => (this.failing = false));
  }

  private async open(): Promise<void> {
    let logged = '';
    while (!this.closing) {
      try {
        const migrations = await migrate(this.config.database);
        for (const dataSource of this.dataSources) {
          if (!dataSource.isInitialized) await dataSource.initialize();
        }
        // Starts the first thread, which takes seconds when the processor is busy.
        const snapshot = await this.snapshots.open();
        await snapshot.query('SELECT 1');
        await snapshot.close();
        this.isOpen = true;
        this.logger.log({ migrations }, 'The database is ready.');
        return;
      } catch (error) {
        if (error instanceof ExpectedError) {
          this.unusable = error;
          return;
        }
        const why = reason(error);
        if (why !== logged) {
          this.logger.error(`The database cannot be used: ${why}. Retrying.`);
        }
        logged = why;
        await sleep(RECONNECT_MS);
      }
    }
  }
}

/** Does what `Database.read` does, for a ping, too. */
async function repeated<T>(read: () => Promise<T>): Promise<T> {
  const end = performance.now() + READ_AGAIN_MS;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await read();
    } catch (error) {
      if (failureOf(error) !== 'retry' || performance.now() > end) throw error;
      // Longer and longer: behind a balancer without a healthy node, every attempt connects anew.
      await sleep(Math.random() * Math.min(MAX_PAUSE_MS, 2 ** attempt));
    }
  }
}

/** The message of an error on one line, without a full stop. */
function reason(error: unknown): string {
  const { message, code } = error as { message?: string; code?: string };
  return (message || code || String(error)).replace(/\s+/g, ' ').replace(/\.$/, '');
}
