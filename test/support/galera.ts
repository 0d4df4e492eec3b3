import type { ChildProcess } from 'node:child_process';
import { execFile, execFileSync, spawn } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { createConnection } from 'mysql2/promise';
import { freePort, serverBinary } from './mysql-server';

const NODES = 3;
const PROVIDERS = ['/usr/lib/galera/libgalera_smm.so', '/usr/lib64/galera-4/libgalera_smm.so'];
const HAPROXY = ['/usr/sbin/haproxy', '/usr/bin/haproxy', '/usr/local/sbin/haproxy'];

interface Node {
  folder: string;
  /** Ports: `port` for clients, `group` for traffic of the cluster, `check` for HAProxy's health checks. */
  port: number;
  group: number;
  check: number;
  process?: ChildProcess;
  health?: Server;
}

/**
 * Three nodes of MariaDB with Galera on this machine, behind HAProxy, which passes each new connection to
 * the next healthy node. `destroy` removes all of it.
 */
export class GaleraCluster {
  private proxy: ChildProcess | undefined;

  private constructor(
    private readonly binary: string,
    private readonly provider: string,
    readonly folder: string,
    readonly nodes: Node[],
    private readonly proxyPort: number,
  ) {}

  /** @throws Error if a package is missing; the message names the packages */
  static async create(): Promise<GaleraCluster> {
    const binary = serverBinary();
    const provider = PROVIDERS.find(existsSync);
    const haproxy = HAPROXY.find(existsSync);
    if (!binary?.endsWith('mariadbd') || !provider || !haproxy) {
      throw new Error('a cluster needs the packages mariadb-server, galera-4, rsync and haproxy');
    }
    const folder = mkdtempSync(join(tmpdir(), 'sprintline-galera-'));
    const nodes: Node[] = [];
    for (let i = 0; i < NODES; i += 1) {
      const ports = { port: await freePort(), group: await freePort(), check: await freePort() };
      nodes.push({ folder: join(folder, `node${i + 1}`), ...ports });
    }
    const cluster = new GaleraCluster(binary, provider, folder, nodes, await freePort());
    try {
      await cluster.setUp(haproxy);
    } catch (error) {
      await cluster.destroy();
      throw error;
    }
    return cluster;
  }

  private async setUp(haproxy: string): Promise<void> {
    const { nodes, folder } = this;
    const [first, ...others] = nodes as [Node, ...Node[]];
    execFileSync(
      'mkdir',
      nodes.map((node) => node.folder),
    );
    if (isRoot) execFileSync('chown', ['-R', USER, folder]);
    execFileSync(
      'mariadb-install-db',
      [
        ...['--no-defaults', `--datadir=${join(first.folder, 'data')}`, '--skip-test-db'],
        ...['--auth-root-authentication-method=normal', ...account()],
      ],
      { stdio: 'pipe' },
    );
    // The others begin with a copy of the data, so they join without a full transfer.
    await this.start(0, true);
    await this.stop(0);
    for (const node of others) {
      cpSync(join(first.folder, 'data'), join(node.folder, 'data'), { recursive: true });
    }
    if (isRoot) execFileSync('chown', ['-R', USER, folder]);
    await this.start(0, true);
    await this.start(1);
    await this.start(2);
    await this.startProxy(haproxy);
  }

  /** Returns the URL of a database through HAProxy. */
  url(database: string): string {
    return `mysql://root@127.0.0.1:${this.proxyPort}/${database}`;
  }

  /** Returns the URL of a database on one node. */
  urlOf(node: number, database: string): string {
    return `mysql://root@127.0.0.1:${this.nodes[node]?.port}/${database}`;
  }

  /** Starts a node and waits until it is in sync with the cluster. */
  async start(index: number, alone = false): Promise<void> {
    const node = this.nodes[index] as Node;
    const log = join(node.folder, 'error.log');
    const state = join(node.folder, 'data/grastate.dat');
    const members = this.nodes.map(({ group }) => `127.0.0.1:${group}`).join(',');
    if (alone && existsSync(state)) {
      const text = readFileSync(state, 'utf8');
      writeFileSync(state, text.replace('safe_to_bootstrap: 0', 'safe_to_bootstrap: 1'));
    }
    const provider = [
      `gmcast.listen_addr=tcp://127.0.0.1:${node.group}`,
      `ist.recv_addr=127.0.0.1:${await freePort()}`,
      // A dead node is removed from the cluster after 2 s; until then no node can write.
      'evs.keepalive_period=PT0.5S;evs.inactive_check_period=PT0.25S;evs.suspect_timeout=PT2S',
    ].join(';');
    const options = [
      '--no-defaults',
      ...account(),
      `--datadir=${join(node.folder, 'data')}`,
      `--socket=${join(node.folder, 'server.sock')}`,
      `--pid-file=${join(node.folder, 'server.pid')}`,
      `--log-error=${log}`,
      `--port=${node.port}`,
      '--bind-address=127.0.0.1',
      '--skip-name-resolve',
      '--binlog-format=ROW',
      '--innodb-autoinc-lock-mode=2',
      '--innodb-buffer-pool-size=64M',
      '--innodb-flush-log-at-trx-commit=2',
      '--wsrep-on=ON',
      `--wsrep-provider=${this.provider}`,
      `--wsrep-provider-options=${provider}`,
      '--wsrep-cluster-name=sprintline',
      `--wsrep-cluster-address=gcomm://${alone ? '' : members}`,
      `--wsrep-node-address=127.0.0.1:${node.group}`,
      '--wsrep-sst-method=rsync',
      `--wsrep-sst-receive-address=127.0.0.1:${await freePort()}`,
    ];
    if (!alone && existsSync(state)) options.push(...(await this.position(node, options)));
    const child = spawn(this.binary, options, { stdio: 'ignore' });
    node.process = child;
    for (const end = Date.now() + 120_000; Date.now() < end && child.exitCode === null;) {
      if (await isSynced(node.port)) return;
      await sleep(50);
    }
    throw new Error(`node ${index + 1} did not join:\n${readFileSync(log, 'utf8').slice(-4000)}`);
  }

  /** Shuts a node down cleanly. */
  async stop(index: number): Promise<void> {
    await this.end(index, 'SIGTERM');
  }

  async kill(index: number): Promise<void> {
    await this.end(index, 'SIGKILL');
  }

  async destroy(): Promise<void> {
    this.proxy?.kill('SIGKILL');
    await Promise.all(this.nodes.map((_, i) => this.kill(i)));
    for (const { health } of this.nodes) health?.close();
    rmSync(this.folder, { recursive: true, force: true });
  }

  private async end(index: number, signal: NodeJS.Signals): Promise<void> {
    const child = this.nodes[index]?.process;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const exited = new Promise((resolve) => child.once('exit', resolve));
    child.kill(signal);
    await exited;
  }

  /**
   * Reads the position of a killed node, so that it receives only the changes since then. It does not block this
   * process, which answers the health checks of HAProxy.
   */
  private async position(node: Node, options: string[]): Promise<string[]> {
    const log = join(node.folder, 'recover.log');
    rmSync(log, { force: true });
    await promisify(execFile)(this.binary, [
      ...options.filter((option) => !/log-error|wsrep-cluster-address/.test(option)),
      ...['--wsrep-cluster-address=gcomm://', '--wsrep-recover', `--log-error=${log}`],
    ]);
    const found = /Recovered position:\s*(\S+)/.exec(readFileSync(log, 'utf8'))?.[1];
    return found ? [`--wsrep-start-position=${found}`] : [];
  }

  private async startProxy(haproxy: string): Promise<void> {
    for (const node of this.nodes) {
      node.health = createServer((_, response) => {
        void isSynced(node.port).then((isHealthy) => {
          response.statusCode = isHealthy ? 200 : 503;
          response.end();
        });
      }).listen(node.check, '127.0.0.1');
    }
    const file = join(this.folder, 'haproxy.cfg');
    writeFileSync(
      file,
      [
        'defaults',
        '  mode tcp',
        '  timeout connect 2s',
        '  timeout client 1h',
        '  timeout server 1h',
        '  option redispatch',
        'listen galera',
        `  bind 127.0.0.1:${this.proxyPort}`,
        '  balance roundrobin',
        '  option httpchk GET /',
        '  default-server inter 500ms fastinter 200ms fall 2 rise 2 on-marked-down shutdown-sessions',
        ...this.nodes.map(
          ({ port, check }, i) => `  server node${i + 1} 127.0.0.1:${port} check port ${check}`,
        ),
        '',
      ].join('\n'),
    );
    this.proxy = spawn(haproxy, ['-db', '-f', file], { stdio: 'ignore' });
    for (const end = Date.now() + 10_000; Date.now() < end;) {
      try {
        await (await createConnection(this.url('mysql'))).end();
        return;
      } catch {
        await sleep(50);
      }
    }
    throw new Error('HAProxy reaches no node');
  }
}

/** Started by root, the nodes run as the user of the package: as root they transfer no data to each other. */
const USER = 'mysql';
const isRoot = process.getuid?.() === 0;

function account(): string[] {
  return isRoot ? [`--user=${USER}`] : [];
}

async function isSynced(port: number): Promise<boolean> {
  try {
    const connection = await createConnection({
      host: '127.0.0.1',
      port,
      user: 'root',
      connectTimeout: 1000,
    });
    try {
      const [rows] = await connection.query("SHOW STATUS LIKE 'wsrep_local_state_comment'");
      return (rows as { Value: string }[])[0]?.Value === 'Synced';
    } finally {
      await connection.end();
    }
  } catch {
    return false;
  }
}
