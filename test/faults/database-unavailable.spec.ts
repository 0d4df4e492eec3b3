import { setTimeout as sleep } from 'node:timers/promises';
import { engineUnderTest } from '../support/databases';
import { Stream } from '../support/event-stream';
import { afterwards, LONG, promised, scale } from '../support/faults';
import { Ledger } from '../support/ledger';
import { MysqlServer, serverBinary } from '../support/mysql-server';
import { Program } from '../support/program';
import { Proxy } from '../support/proxy';
import type { Answer } from '../support/client';
import { sendFrom, slowest, statuses } from '../support/load';

const KILLS = scale(2, 5);
const FROZEN_MS = scale(5000, 15_000);
const CLIENTS = 100;

// SQLite has no server: it runs in the program.
const onServers = engineUnderTest() === 'mysql' ? describe : describe.skip;

onServers('a database server', () => {
  let server: MysqlServer;
  const database = { url: '' };
  beforeAll(async () => {
    server = await MysqlServer.create(serverBinary() ?? 'mariadbd');
    database.url = server.url;
  });
  afterAll(() => server.destroy());

  it('may be started after the program, which waits for it', async () => {
    await server.kill();
    const program = await Program.spawn(database, { environment: { LOG_LEVEL: 'info' } });
    await program.answers('/health/live', 200);
    await program.answers('/health/ready', 503);
    const client = program.client;
    const { status, headers, body } = await client.get('/api/boards');
    expect([status, body.code]).toEqual([503, 'database_unavailable']);
    expect(headers.get('retry-after')).toBe('1');
    await sleep(600);
    await server.start();
    expect(await program.ready(promised(1000))).toBeLessThan(promised(1000));
    expect((await client.get('/api/boards')).status).toBe(200);
    const lines = program.log.filter((line) => line.context === 'Database');
    expect(lines.map(({ level, msg }) => [level, msg.replace(/: .*?\. /, ': …. ')])).toEqual([
      ['error', 'The database cannot be used: …. Retrying.'],
      ['info', 'The database is ready.'],
    ]);
  });

  it(`that is killed loses nothing, and the program uses it as soon as it restarts, ${KILLS} times`, async () => {
    const program = await Program.start(database);
    const client = program.client;
    const ledger = new Ledger('Killed');
    ledger.start(16, () => client);
    const recoveries: number[] = [];
    for (let kills = 0; kills < KILLS; kills += 1) {
      await sleep(300 + Math.random() * 500);
      await server.kill();
      await program.answers('/health/ready', 503);
      await sleep(300);
      await server.start();
      const restartedAt = performance.now();
      const before = ledger.acknowledged;
      while (ledger.acknowledged === before && performance.now() - restartedAt < 5000)
        await sleep(5);
      recoveries.push(performance.now() - restartedAt);
    }
    await ledger.stop();
    expect([...ledger.rejected.keys()].sort()).toEqual(['503']);
    expect(Math.max(...recoveries)).toBeLessThan(promised(1000));
    await ledger.audit(program.url);
    const messages = program.log
      .filter((line) => line.context === 'Database')
      .map((line) => line.msg);
    expect(messages.filter((line) => line.startsWith('The database is unavailable'))).toHaveLength(
      KILLS,
    );
  });

  it('that is killed is one line of the log, although the program polls it for its streams', async () => {
    const program = await Program.start(database);
    await program.client.post('/api/boards', { name: 'Polled' });
    const stream = await Stream.open(`${program.url}/api/boards/Polled/stream`);
    afterwards(() => stream.close());
    await server.kill();
    await program.logged(/The database is unavailable/);
    // In this time it polls several times.
    await sleep(2000);
    const lines = program.log.map(({ context, level }) => [context, level]);
    await server.start();
    expect(lines).toEqual([['Database', 'error']]);
  });

  it('that is killed is reported with the reason, even if only the readiness is requested', async () => {
    const program = await Program.start(database);
    afterwards(() => server.start());
    await server.kill();
    await program.answers('/health/ready', 503);
    const [line] = await program.logged(/The database is unavailable/);
    expect(line).toMatch(/^The database is unavailable: [^.]*(ECONN|closed|lost)/i);
  });

  it(`that does not answer for ${FROZEN_MS / 1000} s delays no response for more than 5 s`, async () => {
    const program = await Program.start(database);
    const client = program.client;
    await client.post('/api/boards/Frozen/sprints', { start_date: '2026-11-23' });
    const clients = sendFrom(program.url, CLIENTS, [
      ['POST', '/api/boards/Frozen/backlog', { title: 'x' }],
      ['GET', '/api/boards'],
      ['GET', '/api/boards/Frozen/sprints/next'],
      ['GET', '/api/boards/Frozen'],
      ['GET', '/api/stories/999999'],
    ]);
    await sleep(1000);
    const memory = program.memory;
    process.kill(server.pid, 'SIGSTOP');
    await sleep(500);
    const probes: Answer[] = [];
    for (const end = performance.now() + FROZEN_MS; performance.now() < end;) {
      probes.push(await client.get('/health/live'));
      expect(probes[probes.length - 1]?.status).toBe(200);
      probes.push(await client.get('/health/ready'));
      expect(probes[probes.length - 1]?.status).toBe(503);
      await sleep(100);
    }
    const grown = program.memory - memory;
    process.kill(server.pid, 'SIGCONT');
    const recovery = await program.ready();
    await sleep(500);
    const answers = await clients.stop();
    expect(statuses(answers).sort()).toEqual(['200', '201', '404', '503']);
    expect(slowest(answers)).toBeLessThan(promised(5000));
    expect(slowest(probes)).toBeLessThan(promised(2000));
    expect(recovery).toBeLessThan(promised(1000));
    expect(grown).toBeLessThan(64 * 1024 * 1024);
  });

  it('is reached by new connections if the old ones are lost silently', async () => {
    const proxy = await Proxy.to(server.port);
    afterwards(() => proxy.close());
    const url = new URL(server.url);
    url.port = String(proxy.port);
    const program = await Program.start({ url: url.href });
    const clients = sendFrom(program.url, 20, [
      ['GET', '/api/boards'],
      ['POST', '/api/boards/Lost/backlog', { title: 'x' }],
    ]);
    await clients.answered(201);
    proxy.stopForwarding();
    await program.answers('/health/ready', 503);
    await sleep(LONG ? 15_000 : 2000);
    proxy.forwardAgain();
    expect(await program.ready()).toBeLessThan(promised(2000));
    // Requests that were in progress when the connection was lost fail at their deadline.
    await program.answers('/api/boards', 200, promised(4500));
    const answers = await clients.stop();
    expect(statuses(answers).sort()).toEqual(['200', '201', '503']);
    expect(slowest(answers)).toBeLessThan(promised(5000));
  });
});
