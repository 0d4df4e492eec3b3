import { execSync } from 'node:child_process';
import { createConnection } from 'mysql2/promise';
import { setTimeout as sleep } from 'node:timers/promises';
import { GaleraCluster } from '../support/galera';
import { Ledger } from '../support/ledger';
import { boardPath, eventsOf } from '../support/make';
import { Program } from '../support/program';
import { Subscription } from '../support/subscription';

/**
 * What the tests need of a cluster: a way through its balancer, one to each node where every node takes
 * writes, and the power over one of them.
 */
interface Cluster {
  url: string;
  nodes: string[];
  kill(): Promise<void>;
  revive(): Promise<void>;
  destroy(): Promise<void>;
}

/**
 * Galera, started here; or a cluster that runs already, such as one of group replication: CLUSTER_URL is
 * the way to whatever takes writes at the time (an empty database), CLUSTER_KILL and CLUSTER_REVIVE are
 * commands that kill the node that takes them and bring it back.
 */
async function theCluster(): Promise<Cluster> {
  const { CLUSTER_URL: url, CLUSTER_KILL: kill, CLUSTER_REVIVE: revive } = process.env;
  if (url && kill && revive) {
    return {
      url,
      nodes: [url],
      kill: async () => void execSync(kill, { stdio: 'ignore' }),
      revive: async () => void execSync(revive, { stdio: 'ignore' }),
      destroy: async () => undefined,
    };
  }
  const galera = await GaleraCluster.create();
  const connection = await createConnection(galera.urlOf(0, 'mysql'));
  await connection.query('CREATE DATABASE sprintline');
  await connection.end();
  return {
    url: galera.url('sprintline'),
    nodes: galera.nodes.map((_, i) => galera.urlOf(i, 'sprintline')),
    kill: () => galera.kill(1),
    revive: () => galera.start(1),
    destroy: () => galera.destroy(),
  };
}

describe('on a cluster', () => {
  let cluster: Cluster;
  beforeAll(async () => {
    cluster = await theCluster();
  });
  afterAll(() => cluster?.destroy());

  it('instances that start together, each at another node, make the tables once', async () => {
    const starts = [0, 1, 2].map((i) =>
      Program.spawn({ url: cluster.nodes[i % cluster.nodes.length] as string }),
    );
    const programs = await Promise.all(starts);
    await Promise.all(programs.map((program) => program.ready()));
    const connection = await createConnection(cluster.url);
    const [rows] = await connection.query('SELECT name FROM migrations');
    await connection.end();
    const names = (rows as { name: string }[]).map((row) => row.name);
    expect(names).toHaveLength(new Set(names).size);
    // Later starts find nothing to do, and nothing to object to.
    const later = await Program.start(cluster);
    expect(later.allOutput()).toBe('');
  });

  it('a client reads what it wrote, whichever instance and node it meets', async () => {
    const programs = [await Program.start(cluster), await Program.start(cluster)] as const;
    const [writer, reader] = [programs[0].client, programs[1].client];
    const stale: number[] = [];
    for (let i = 0; i < 300; i += 1) {
      const made = await writer.post('/api/boards/Fresh/backlog', { title: `${i}` });
      expect(made.status).toBe(201);
      const read = await reader.get(`/api/stories/${made.body.id}`);
      if (read.status !== 200) stale.push(i);
    }
    expect(stale).toEqual([]);
  });

  it('many who write to one board through all nodes get no error, and its log no gap', async () => {
    const programs = [await Program.start(cluster), await Program.start(cluster)];
    const ledger = new Ledger('Contended');
    ledger.start(8, (i) => (programs[i % 2] as Program).client);
    await sleep(10_000);
    await ledger.stop();
    console.log(`${ledger.acknowledged} acknowledged`);
    expect([...ledger.rejected]).toEqual([]);
    for (const program of programs) await ledger.audit(program.url);
  });

  it('a stream has every event once and in order, whichever instance and node made it', async () => {
    const programs = await Promise.all(
      [0, 1, 2].map((i) =>
        Program.start({ url: cluster.nodes[i % cluster.nodes.length] as string }),
      ),
    );
    const ledger = new Ledger('Streamed');
    const at = (i: number): Program => programs[i % programs.length] as Program;
    await at(0).client.post('/api/boards', { name: ledger.board });
    const subscriptions = [0, 1, 2].map(
      (i) => new Subscription(() => at(i).url, `${boardPath(ledger.board)}/stream`),
    );
    ledger.start(16, (i) => at(i).client);
    await sleep(8000);
    await ledger.stop();
    const log = await eventsOf(at(0).client, ledger.board);
    expect(log.length).toBeGreaterThan(100);
    for (const subscription of subscriptions) {
      await subscription.reaches(log.length);
      subscription.close();
      expect(subscription.events.map(({ data }) => data)).toEqual(log);
    }
  });

  it('a node that is killed takes nothing with it, and is missed for some seconds at most', async () => {
    const programs = [await Program.start(cluster), await Program.start(cluster)];
    const ledgers = [new Ledger('Killed 1'), new Ledger('Killed 2')];
    ledgers.forEach((ledger, i) => ledger.start(4, () => (programs[i] as Program).client));
    await sleep(3000);
    await cluster.kill();
    await sleep(15_000);
    const pauses = ledgers.map((ledger) => ledger.longestPause);
    const refused = ledgers.map((ledger) => [...ledger.rejected.keys()]);
    const before = ledgers.map((ledger) => ledger.acknowledged);
    await cluster.revive();
    await sleep(3000);
    for (const ledger of ledgers) await ledger.stop();
    console.log(
      `longest pauses ${pauses.map((ms) => `${(ms / 1000).toFixed(1)} s`).join(', ')}; refused ` +
        JSON.stringify(ledgers.map((ledger) => Object.fromEntries(ledger.rejected))),
    );
    for (const [i, ledger] of ledgers.entries()) {
      expect(ledger.acknowledged).toBeGreaterThan(before[i] as number);
      expect(['', '503']).toContain(refused[i]?.join());
      expect(pauses[i]).toBeLessThan(15_000);
      for (const program of programs) await ledger.audit(program.url);
    }
  });
});
