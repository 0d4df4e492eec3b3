import type { ChildProcess } from 'node:child_process';
import { execFileSync, spawn } from 'node:child_process';
import { accessSync, chmodSync, constants, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createConnection } from 'mysql2/promise';

/** Finds the executable of MariaDB or MySQL on this machine. */
export function serverBinary(): string | undefined {
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin'];
  for (const name of ['mariadbd', 'mysqld']) {
    for (const folder of folders) {
      try {
        accessSync(join(folder, name), constants.X_OK);
        return join(folder, name);
      } catch {
        // Not there.
      }
    }
  }
  return undefined;
}

/** A throwaway database server on loopback. */
export class MysqlServer {
  private process: ChildProcess | undefined;

  private constructor(
    private readonly binary: string,
    readonly folder: string,
    readonly port: number,
  ) {}

  get url(): string {
    return `mysql://root@127.0.0.1:${this.port}/mysql`;
  }

  /** The server's process; for tests that stop or kill it. */
  get pid(): number {
    const pid = this.process?.pid;
    if (pid === undefined) throw new Error('the server is not running');
    return pid;
  }

  static async create(binary: string): Promise<MysqlServer> {
    const folder = mkdtempSync(join(tmpdir(), 'sprintline-mysql-'));
    // Started by root, the server runs as another user.
    chmodSync(folder, 0o777);
    const server = new MysqlServer(binary, folder, await freePort());
    server.initialize();
    await server.start();
    return server;
  }

  /** Starts the server on its data and waits until it accepts connections. */
  async start(): Promise<void> {
    const child = spawn(
      this.binary,
      [
        '--no-defaults',
        ...this.account(),
        `--datadir=${join(this.folder, 'data')}`,
        `--socket=${join(this.folder, 'server.sock')}`,
        `--pid-file=${join(this.folder, 'server.pid')}`,
        `--log-error=${join(this.folder, 'error.log')}`,
        `--port=${this.port}`,
        '--bind-address=127.0.0.1',
        '--skip-name-resolve',
        '--max-connections=500',
        '--innodb-buffer-pool-size=128M',
        // With 2, a crash of the machine may lose changes, which does not matter for test data; a crash of
        // the server alone loses nothing.
        '--innodb-flush-log-at-trx-commit=2',
        ...(this.isMariadb
          ? ['--innodb-log-file-size=32M', '--performance-schema=OFF']
          : ['--mysqlx=OFF', '--innodb-redo-log-capacity=64M']),
      ],
      { stdio: 'ignore' },
    );
    this.process = child;
    let exited = false;
    child.once('exit', () => (exited = true));
    for (const end = Date.now() + 60_000; Date.now() < end;) {
      if (exited) break;
      try {
        await (await createConnection(this.url)).end();
        return;
      } catch {
        await sleep(20);
      }
    }
    throw new Error(`${this.binary} did not start:\n${this.errorLog()}`);
  }

  /** Kills the server, and waits until it has exited. */
  async kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    const { process: child } = this;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const exited = new Promise((resolve) => child.once('exit', resolve));
    child.kill(signal);
    await exited;
  }

  async destroy(): Promise<void> {
    await this.kill();
    rmSync(this.folder, { recursive: true, force: true });
  }

  private get isMariadb(): boolean {
    return this.binary.endsWith('mariadbd');
  }

  private account(): string[] {
    return process.getuid?.() === 0 ? ['--user=root'] : [];
  }

  private initialize(): void {
    const data = `--datadir=${join(this.folder, 'data')}`;
    if (this.isMariadb) {
      execFileSync(
        'mariadb-install-db',
        [
          '--no-defaults',
          ...this.account(),
          data,
          '--auth-root-authentication-method=normal',
          '--skip-test-db',
          // In a common folder, two installations at once overwrite each other's temporary tables.
          `--tmpdir=${this.folder}`,
          '--innodb-log-file-size=32M',
        ],
        { stdio: 'pipe' },
      );
    } else {
      execFileSync(
        this.binary,
        ['--no-defaults', ...this.account(), '--initialize-insecure', data],
        { stdio: 'pipe' },
      );
    }
  }

  private errorLog(): string {
    try {
      return readFileSync(join(this.folder, 'error.log'), 'utf8').slice(-4000);
    } catch {
      return '(it left no log)';
    }
  }
}

/** Below Linux's ephemeral ports; each Jest worker has a range of 1,000. */
const FIRST_PORT = 20_000 + 1000 * (Number(process.env.JEST_WORKER_ID ?? 0) % 12);
let lastPort = Math.floor(Math.random() * 1000);

/** Finds a free port that is not ephemeral, so that no other socket gets it while a server restarts. */
export async function freePort(): Promise<number> {
  for (;;) {
    lastPort = (lastPort + 1) % 1000;
    const port = FIRST_PORT + lastPort;
    if (await isFree(port)) return port;
  }
}

const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
