import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { TestDatabase } from './databases';
import { afterwards } from './faults';
import type { Client } from './client';
import { loadClient } from './load';
import { freePort } from './mysql-server';

const ROOT = join(__dirname, '../..');
const MAIN = join(ROOT, 'dist/main.js');

export interface ProgramOptions {
  environment?: Record<string, string>;
  port?: number;
  /** A command that runs the program, such as `strace` with its options. */
  wrapper?: string[];
}

/** How a process ended. */
export interface Exit {
  code: number | null;
  signal: NodeJS.Signals | null;
}

/** The built program as a process, which can be killed. */
export class Program {
  /** The lines of its log. */
  readonly log: any[] = [];
  /** Output that is not a line of the log. */
  output = '';
  readonly exited: Promise<Exit>;
  readonly url: string;
  readonly client: Client;

  private constructor(
    private readonly child: ChildProcess,
    readonly port: number,
  ) {
    this.url = `http://127.0.0.1:${port}`;
    this.client = loadClient(this.url);
    this.exited = new Promise((resolve) =>
      child.once('close', (code, signal) => resolve({ code, signal })),
    );
    let rest = '';
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      const lines = (rest + text).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) {
        try {
          this.log.push(JSON.parse(line));
        } catch {
          this.output += `${line}\n`;
        }
      }
    });
    child.stderr?.setEncoding('utf8').on('data', (text: string) => (this.output += text));
  }

  /** Starts the program without waiting until it listens. */
  static async spawn(
    database: Pick<TestDatabase, 'url'>,
    { environment = {}, port, wrapper = [] }: ProgramOptions = {},
  ): Promise<Program> {
    if (!existsSync(MAIN)) throw new Error('there is no built program: npm run build');
    const chosen = port ?? (await freePort());
    const [command = '', ...words] = [...wrapper, process.execPath, MAIN];
    const child = spawn(command, words, {
      cwd: ROOT,
      stdio: ['ignore', 'pipe', 'pipe'],
      // A process group, so that a signal reaches the wrapper and the program.
      detached: true,
      env: {
        PATH: process.env.PATH,
        DATABASE_URL: database.url,
        PORT: String(chosen),
        LOG_LEVEL: 'warn',
        SHUTDOWN_DELAY_MS: '0',
        ...environment,
      },
    });
    const program = new Program(child, chosen);
    afterwards(() => program.end('SIGKILL'));
    return program;
  }

  /** Starts the program and waits until it is ready. */
  static async start(
    database: Pick<TestDatabase, 'url'>,
    options?: ProgramOptions,
  ): Promise<Program> {
    const program = await Program.spawn(database, options);
    await program.ready();
    return program;
  }

  get pid(): number {
    return this.child.pid ?? 0;
  }

  /** Resident memory in bytes. */
  get memory(): number {
    return memoryOf(this.pid);
  }

  /** Waits until `path` is answered with `status`; returns how many milliseconds that took. */
  async answers(path: string, status: number, withinMs = 30_000): Promise<number> {
    const start = performance.now();
    let seen: unknown = 'nothing';
    while (performance.now() - start < withinMs) {
      seen = await this.client.get(path).then(
        (answer) => answer.status,
        (error: Error) => error.message,
      );
      if (seen === status) return performance.now() - start;
      if (this.child.exitCode !== null || this.child.signalCode !== null) break;
      await sleep(10);
    }
    throw new Error(
      `${path}: ${String(seen)} instead of ${status} after ${withinMs} ms\n${this.allOutput()}`,
    );
  }

  /** Waits until the log has a message that matches; returns the messages so far. */
  async logged(message: RegExp, withinMs = 30_000): Promise<string[]> {
    const messages = (): string[] => this.log.map(({ msg }) => msg as string);
    for (const start = performance.now(); performance.now() - start < withinMs;) {
      if (messages().some((each) => message.test(each))) return messages();
      await sleep(10);
    }
    throw new Error(`no ${String(message)} in ${withinMs} ms\n${this.allOutput()}`);
  }

  ready(withinMs?: number): Promise<number> {
    return this.answers('/health/ready', 200, withinMs);
  }

  /** Sends a signal and waits until the process ends. */
  async end(signal: NodeJS.Signals): Promise<Exit> {
    this.signal(signal);
    return this.exited;
  }

  signal(signal: NodeJS.Signals): void {
    // A missing PID would be 0, the process group of the tests.
    if (this.child.pid === undefined) return;
    try {
      process.kill(-this.pid, signal);
    } catch (error) {
      if ((error as { code?: string }).code !== 'ESRCH') throw error;
    }
  }

  /** The log and all other output. */
  allOutput(): string {
    return this.output + this.log.map((line) => JSON.stringify(line)).join('\n');
  }
}

/** Returns the resident memory of a process in bytes; 0 when it has ended. */
export function memoryOf(pid: number | undefined): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1] ?? 0) * 1024;
  } catch {
    return 0;
  }
}
