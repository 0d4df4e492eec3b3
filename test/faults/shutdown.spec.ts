import Libsql from 'libsql';
import type { Socket } from 'node:net';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { TestDatabase } from '../support/databases';
import { createDatabase, engineUnderTest } from '../support/databases';
import { afterwards, LONG_DEADLINE, promised, scale } from '../support/faults';
import { NOT_ACCEPTED } from '../support/http';
import { Ledger } from '../support/ledger';
import { freePort } from '../support/mysql-server';
import { Program } from '../support/program';
import type { Client } from '../support/client';
import { loadClient, sendFrom, statuses } from '../support/load';

const RESTARTS = scale(1, 3);

jest.setTimeout(120_000 + RESTARTS * 20_000);

let database: TestDatabase;
beforeAll(async () => {
  database = await createDatabase();
});
afterAll(() => database.drop());

/** A TCP connection on which a test sends arbitrary bytes. */
class RawConnection {
  received = '';
  private readonly socket: Socket;
  private readonly closed: Promise<unknown>;

  constructor(port: number) {
    this.socket = connect(port, '127.0.0.1');
    this.socket.setEncoding('utf8').on('data', (text: string) => (this.received += text));
    this.socket.on('error', () => undefined);
    this.closed = new Promise((resolve) => this.socket.once('close', resolve));
    afterwards(() => this.socket.destroy());
  }

  send(text: string): void {
    this.socket.write(text);
  }

  /** Waits until the server closes the connection; returns the status of the response. */
  async status(): Promise<number> {
    await this.closed;
    return Number(/^HTTP\/1\.1 (\d{3}) /.exec(this.received)?.[1]);
  }
}

const HALVES: [string, string][] = [
  ['GET /api/boards HTTP/1.1\r\nHo', 'st: localhost\r\n\r\n'],
  [
    'POST /api/boards/Half/backlog HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 13\r\n\r\n{"title"',
    ':"x"}',
  ],
];

describe('SIGTERM', () => {
  it('cuts off no request: busy clients, half-received requests, idle and silent connections', async () => {
    const program = await Program.start(database, {
      environment: { SHUTDOWN_DELAY_MS: '500', LOG_LEVEL: 'info' },
    });
    const clients = sendFrom(program.url, 16, [
      ['GET', '/api/boards'],
      ['GET', '/api/boards?limit=1'],
      ['GET', '/api/boards?count=true'],
      ['POST', '/api/boards/Busy/backlog', { title: 'x' }],
    ]);
    const halves = Array.from({ length: 20 }, (_, i) => {
      const connection = new RawConnection(program.port);
      const [first, second] = HALVES[i % HALVES.length] as [string, string];
      connection.send(first);
      return { connection, second };
    });
    const silent = new RawConnection(program.port);
    await sleep(300);
    const start = performance.now();
    program.signal('SIGTERM');
    await program.answers('/health/ready', 503);
    await sleep(1000);
    // The port is closed; requests that have begun to arrive are still read.
    for (const { connection, second } of halves) connection.send(second);
    expect(await Promise.all(halves.map(({ connection }) => connection.status()))).toEqual(
      halves.map((_, i) => [200, 201][i % 2]),
    );
    expect(await program.exited).toEqual({ code: 0, signal: null });
    expect(performance.now() - start).toBeLessThan(promised(5000));
    await silent.status();
    // Every request on an accepted connection has a response.
    const outcomes = await clients.stop();
    expect(statuses(outcomes)).toEqual(['200', '201', NOT_ACCEPTED]);
    const served = program.log.filter((line) => /boards$|boards[?]|Busy/.test(line.url));
    const answered = outcomes.filter((one) => !(one instanceof Error)).length;
    expect(served).toHaveLength(answered + halves.length / 2);
  });

  it('answers requests that never arrive completely with 408, and ends within 10 s', async () => {
    const program = await Program.start(database);
    const connections = HALVES.map(([first]) => {
      const connection = new RawConnection(program.port);
      connection.send(first);
      return connection;
    });
    await sleep(100);
    const start = performance.now();
    expect(await program.end('SIGTERM')).toEqual({ code: 0, signal: null });
    expect(performance.now() - start).toBeLessThan(promised(10_000));
    expect(await Promise.all(connections.map((connection) => connection.status()))).toEqual([
      408, 408,
    ]);
  });

  (engineUnderTest() === 'sqlite' ? it : it.skip)(
    'warns if a copy of the file alone would lack changes, because another program reads it',
    async () => {
      const own = await createDatabase('sqlite');
      afterwards(() => own.drop());
      const file = own.url.slice('sqlite:'.length);
      const start = async (): Promise<Program> => {
        const program = await Program.start(own);
        await program.client.post('/api/boards/Copied/backlog', { title: 'x' });
        return program;
      };
      const warnings = ({ log }: Program): string[] => log.map(({ msg }) => msg as string);
      const alone = await start();
      await alone.end('SIGTERM');
      expect(warnings(alone)).toEqual([]);
      const watched = await start();
      const reader = new Libsql(file);
      reader.exec('BEGIN; SELECT * FROM stories');
      await watched.client.post('/api/boards/Copied/backlog', { title: 'y' });
      await watched.end('SIGTERM');
      reader.close();
      expect(warnings(watched)).toEqual([
        `${file}-wal still has changes that are not in ${file}. Copy both, or use \`backup\`.`,
      ]);
    },
  );

  it('rejects uploads that still wait for others with 503, not with 408', async () => {
    const program = await Program.start(database);
    const head =
      'POST /api/boards/Upload/import HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/csv\r\nContent-Length: 900\r\n\r\n';
    const upload = (): RawConnection => {
      const connection = new RawConnection(program.port);
      connection.send(`${head}title\n`);
      return connection;
    };
    // The service reads two uploads of a client at a time.
    const uploads = [upload(), upload(), upload()];
    await sleep(300);
    expect(await program.end('SIGTERM')).toEqual({ code: 0, signal: null });
    const answers = await Promise.all(uploads.map((each) => each.status()));
    expect([...answers].sort()).toEqual([408, 408, 503]);
    const waiting = uploads[answers.indexOf(503)]?.received;
    expect(waiting).toContain('"code":"shutting_down"');
    expect(waiting).toContain('Retry-After: 1\r\n');
  });

  it(`of two instances in turn causes no errors for clients that check readiness, ${RESTARTS} times`, async () => {
    // On a busy machine a readiness check may take a second, even if the instance is ready.
    const environment = { ...LONG_DEADLINE, SHUTDOWN_DELAY_MS: '3000' };
    const ports = [await freePort(), await freePort()];
    const start = (i: number): Promise<Program> =>
      Program.start(database, { environment, port: ports[i] });
    const programs = [await start(0), await start(1)];
    const clients = ports.map((port) => loadClient(`http://127.0.0.1:${port}`));
    const ready = [true, true];
    // The balancer checks each instance several times a second and sends nothing to one that is not ready.
    let stopping = false;
    const checking = clients.map(async (client, i) => {
      while (!stopping) {
        ready[i] = await client.get('/health/ready', { timeout: 5000 }).then(
          (answer) => answer.status === 200,
          () => false,
        );
        await sleep(100);
      }
    });
    let turn = 0;
    const ledger = new Ledger('Rolling');
    const balanced = (): Client => {
      turn += 1;
      return clients[ready[turn % 2] ? turn % 2 : (turn + 1) % 2] as Client;
    };
    ledger.start(8, balanced, 10);
    for (let restarts = 0; restarts < RESTARTS; restarts += 1) {
      for (const i of [0, 1]) {
        await sleep(300);
        expect(await programs[i]?.end('SIGTERM')).toEqual({ code: 0, signal: null });
        programs[i] = await start(i);
        while (!ready[i]) await sleep(10);
      }
    }
    await ledger.stop();
    stopping = true;
    await Promise.all(checking);
    expect([...ledger.rejected]).toEqual([]);
    expect(ledger.longestPause).toBeLessThan(promised(2000));
    await ledger.audit(programs[0]?.url ?? '');
  });
});
