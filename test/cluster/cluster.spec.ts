import { execSync } from 'node:child_process';
import { createConnection } from 'mysql2/promise';
import { setTimeout as sleep } from 'node:timers/promises';
import { GaleraCluster } from '../support/galera';
import { Ledger } from '../support/ledger';
import type { Client } from '../support/client';
import { boardPath, eventsOf, made2xx } from '../support/make';
import { Program } from '../support/program';
import { Subscription } from '../support/subscription';

/**
 * A cluster under test: the URL of its load balancer, the URLs of the nodes that accept writes, and functions
 * that kill and restart one node.
 */
interface Cluster {
  url: string;
  nodes: string[];
  kill(): Promise<void>;
  revive(): Promise<void>;
  destroy(): Promise<void>;
}

/**
 * Starts a Galera cluster, or uses one that is running, for example with group replication: CLUSTER_URL is an
 * empty database on the node that accepts writes, even after a failover; CLUSTER_KILL and CLUSTER_REVIVE are
 * commands that kill this node and restart it.
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

  it('instances that start together on different nodes create the tables once', async () => {
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
    // A later start migrates nothing and logs nothing.
    const later = await Program.start(cluster);
    expect(later.allOutput()).toBe('');
  });

  it('a client reads its own writes on every instance and node', async () => {
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

  it('many clients write to one board through all nodes without an error or a gap in its log', async () => {
    const programs = [await Program.start(cluster), await Program.start(cluster)];
    const ledger = new Ledger('Contended');
    ledger.start(16, (i) => (programs[i % 2] as Program).client);
    await sleep(10_000);
    await ledger.stop();
    console.log(`${ledger.acknowledged} acknowledged`);
    expect([...ledger.rejected]).toEqual([]);
    for (const program of programs) await ledger.audit(program.url);
  });

  it('a stream has every event once and in order, from every instance and node', async () => {
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

  it('one admin token remains if all are deleted at once through different nodes', async () => {
    const programs = await Promise.all(
      [0, 1, 2].map((i) =>
        Program.start({ url: cluster.nodes[i % cluster.nodes.length] as string }),
      ),
    );
    const { client } = programs[0] as Program;
    const as = (by: Client, { token }: { token: string }): Client =>
      by.with({ authorization: `Bearer ${token}` });
    for (let round = 0; round < 30; round += 1) {
      const admin = await made2xx(client.post('/api/tokens', { name: 'a', scope: 'admin' }));
      const others = await Promise.all(
        ['admin', 'admin', 'write'].map((scope) =>
          made2xx(as(client, admin).post('/api/tokens', { name: 'b', scope })),
        ),
      );
      const admins = [admin, ...others.slice(0, 2)];
      const answers = await Promise.all(
        programs.map((program, i) =>
          as(program.client, admins[i]).call('DELETE', `/api/tokens/${admins[i].id}`),
        ),
      );
      const statuses = answers.map(({ status }) => status);
      expect([round, [...statuses].sort()]).toEqual([round, [200, 200, 409]]);
      const last = admins[statuses.indexOf(409)];
      for (const { id } of [others[2], last]) {
        await made2xx(as(client, last).call('DELETE', `/api/tokens/${id}`));
      }
    }
  });

  it('a node that is killed loses no change, and interrupts writes for less than 15 s', async () => {
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
      `longest pauses ${pauses.map((ms) => `${(ms / 1000).toFixed(1)} s`).join(', ')}; rejected ` +
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
