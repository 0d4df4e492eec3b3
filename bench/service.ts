import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../test/support/mysql-server';
import type { Store } from './store';

export const ROOT = join(__dirname, '..');

/** A server under measurement, in a process of its own. */
export class Service {
  private constructor(
    private readonly child: ChildProcess,
    readonly url: string,
    /** Milliseconds from the start of the process to its first answer. */
    readonly startMs: number,
  ) {}

  /** The program of a folder, built, as it runs in production; its log goes nowhere. */
  static ours(store: Store, folder = ROOT): Promise<Service> {
    const program = join(folder, 'dist/main.js');
    return Service.start(process.execPath, [program], store, folder, '/health/ready');
  }

  /** The program as the image runs it, by another Node if need be. */
  static asInImage(store: Store, node: string): Promise<Service> {
    const command = /^CMD (\[.*\])$/m.exec(readFileSync(join(ROOT, 'Dockerfile'), 'utf8'))?.[1];
    const [, ...args] = JSON.parse(command ?? '[]') as string[];
    return Service.start(node, args, store, ROOT, '/health/ready');
  }

  static bare(store: Store): Promise<Service> {
    return Service.start(process.execPath, [join(__dirname, 'bare.mjs')], store, ROOT, '/');
  }

  private static async start(
    node: string,
    args: string[],
    store: Store,
    cwd: string,
    path: string,
  ): Promise<Service> {
    const port = await freePort();
    const begin = performance.now();
    const child = spawn(node, args, {
      cwd,
      stdio: ['ignore', 'ignore', 'inherit'],
      env: {
        PATH: process.env.PATH,
        NODE_ENV: 'production',
        HOST: '127.0.0.1',
        PORT: String(port),
        DATABASE_URL: store.url,
        SHUTDOWN_DELAY_MS: '0',
      },
    });
    const url = `http://127.0.0.1:${port}`;
    for (;;) {
      if (child.exitCode !== null)
        throw new Error(`${args.join(' ')} ended with ${child.exitCode}`);
      const status = await fetch(url + path).then(
        async (answer) => (await answer.text(), answer.status),
        () => 503,
      );
      if (status !== 503) return new Service(child, url, performance.now() - begin);
      if (performance.now() - begin > 30_000) throw new Error(`${args.join(' ')} does not answer`);
      await sleep(5);
    }
  }

  /** Resident memory in MiB: now, and the most there was. */
  memory(): { now: number; peak: number } {
    const status = readFileSync(`/proc/${this.child.pid}/status`, 'utf8');
    const of = (name: string): number =>
      Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1]) / 1024;
    return { now: of('VmRSS'), peak: of('VmHWM') };
  }

  /** Processor time that the process has had, in microseconds. */
  processor(): number {
    return processorOf(this.child.pid as number);
  }

  async stop(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const gone = new Promise((resolve) => this.child.once('exit', resolve));
    this.child.kill('SIGTERM');
    await gone;
  }
}

/** Processor time that a process has had, in microseconds. */
export function processorOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ');
  // utime and stime, in ticks of 10 ms.
  return (Number(fields?.[11]) + Number(fields?.[12])) * 10_000;
}
