import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../test/support/mysql-server';
import type { Database } from './database';

/** The checkout whose build is measured. */
export let checkout = join(__dirname, '..');
export const measureCheckout = (folder: string): string => (checkout = resolve(folder));

/** Starts the built program of the checkout as in production; its log is discarded. */
export const startService = (database: Database): Promise<Service> =>
  Service.start(join(checkout, 'dist/main.js'), database, '/health/ready');

export const startBare = (database: Database): Promise<Service> =>
  Service.start(join(__dirname, 'bare.mjs'), database, '/api/stories/1');

/** Runs a command of the command line, such as `import`. */
export const runCommand = (database: Database, ...args: string[]): ChildProcess =>
  spawn(process.execPath, [join(checkout, 'dist/cli.js'), ...args], {
    cwd: checkout,
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, DATABASE_URL: database.url },
  });

/** Creates the tables. @throws if the migration fails */
export async function migrate(database: Database): Promise<void> {
  const [code] = (await once(runCommand(database, 'migrate'), 'exit')) as [number];
  if (code !== 0) throw new Error(`the migration ended with ${code}`);
}

/** A server under measurement, in its own process. */
export class Service {
  private constructor(
    private readonly child: ChildProcess,
    readonly url: string,
    /** Milliseconds from the start of the process to its first response. */
    readonly startMs: number,
  ) {}

  static async start(program: string, database: Database, path: string): Promise<Service> {
    const port = await freePort();
    const begin = performance.now();
    const child = spawn(process.execPath, [program], {
      cwd: checkout,
      stdio: ['ignore', 'ignore', 'inherit'],
      env: {
        PATH: process.env.PATH,
        NODE_ENV: 'production',
        HOST: '127.0.0.1',
        PORT: String(port),
        DATABASE_URL: database.url,
        SHUTDOWN_DELAY_MS: '0',
      },
    });
    // Stops the process if the benchmark fails.
    process.once('exit', () => child.kill('SIGKILL'));
    const url = `http://127.0.0.1:${port}`;
    while (performance.now() - begin < 30_000 && child.exitCode === null) {
      const answer = await fetch(url + path).catch(() => undefined);
      await answer?.text();
      if (answer?.ok) return new Service(child, url, performance.now() - begin);
      await sleep(5);
    }
    child.kill('SIGKILL');
    throw new Error(`${program} did not start`);
  }

  /** Resident memory in MiB; NaN without /proc. */
  memory(): number {
    return Number(/^VmRSS:\s+(\d+)/m.exec(this.proc('status'))?.[1]) / 1024;
  }

  /** Processor time that the process has used, in microseconds; NaN without /proc. */
  processor(): number {
    const fields = this.proc('stat').split(') ')[1]?.split(' ');
    // utime and stime, in ticks of 10 ms.
    return (Number(fields?.[11]) + Number(fields?.[12])) * 10_000;
  }

  async stop(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    this.child.kill('SIGTERM');
    await once(this.child, 'exit');
  }

  private proc(file: string): string {
    try {
      return readFileSync(`/proc/${this.child.pid}/${file}`, 'utf8');
    } catch {
      return '';
    }
  }
}
