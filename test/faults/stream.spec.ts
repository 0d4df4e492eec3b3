import { setTimeout as sleep } from 'node:timers/promises';
import type { TestDatabase } from '../support/databases';
import { createDatabase } from '../support/databases';
import { Stream } from '../support/event-stream';
import { afterwards, promised, scale } from '../support/faults';
import { Ledger } from '../support/ledger';
import { boardPath, eventsOf, Workspace } from '../support/make';
import { Program } from '../support/program';
import { Subscription } from '../support/subscription';

const KILLS = scale(2, 8);
const WRITERS = 16;

jest.setTimeout(120_000 + KILLS * 10_000);

let database: TestDatabase;
beforeAll(async () => {
  database = await createDatabase();
});
afterAll(() => database.drop());

async function open(program: Program, path: string): Promise<Stream> {
  const stream = await Stream.open(program.url + path);
  afterwards(() => stream.close());
  expect(stream.status).toBe(200);
  await stream.until(({ events }) => events.length > 0);
  return stream;
}

describe('a stream', () => {
  it(`has every event once and in order, while 16 clients write and the program is killed, ${KILLS} times`, async () => {
    const ledger = new Ledger('Watched');
    let program = await Program.start(database);
    await program.client.post('/api/boards', { name: ledger.board });
    const path = `${boardPath(ledger.board)}/stream`;
    const subscriptions = Array.from(
      { length: 4 },
      () => new Subscription(() => program.url, path),
    );
    for (let kills = 0; kills < KILLS; kills += 1) {
      const { client } = program;
      ledger.start(WRITERS, () => client);
      const enough = ledger.acknowledged + 50 + Math.random() * 200;
      const isEarly = (): boolean =>
        ledger.acknowledged < enough ||
        subscriptions.some(({ connections }) => connections <= kills);
      while (isEarly()) await sleep(1);
      await program.end('SIGKILL');
      await ledger.stop();
      program = await Program.start(database);
    }
    const log = await eventsOf(program.client, ledger.board);
    for (const subscription of subscriptions) {
      await subscription.reaches(log.length);
      subscription.close();
      expect(subscription.connections).toBeGreaterThanOrEqual(KILLS);
      expect(subscription.events.map(({ data }) => data)).toEqual(log);
    }
    await ledger.audit(program.url);
  });

  it('has the same events from two instances, even if one of them is killed', async () => {
    const ledger = new Ledger('Shared');
    const programs = [await Program.start(database), await Program.start(database)];
    const at = (i: number): Program => programs[i % 2] as Program;
    await at(0).client.post('/api/boards', { name: ledger.board });
    const path = `${boardPath(ledger.board)}/stream`;
    const subscriptions = [0, 1, 2, 3].map(
      (i) => new Subscription((connection) => at(i + connection).url, path),
    );
    const write = async (count: number): Promise<void> => {
      const enough = ledger.acknowledged + count;
      while (ledger.acknowledged < enough) await sleep(1);
    };
    ledger.start(WRITERS, (writer) => at(writer).client);
    await write(150);
    await at(0).end('SIGKILL');
    await write(100);
    programs[0] = await Program.start(database);
    await write(100);
    await ledger.stop();
    const log = await eventsOf(at(1).client, ledger.board);
    for (const subscription of subscriptions) {
      await subscription.reaches(log.length);
      subscription.close();
      expect(subscription.events.map(({ data }) => data)).toEqual(log);
    }
    await ledger.audit(at(0).url);
  });

  it('ends cleanly when the program stops, and does not delay the stop', async () => {
    const program = await Program.start(database);
    const board = await Workspace.create(program.client);
    const streams = await Promise.all(
      Array.from({ length: 10 }, () => open(program, `${board.path}/stream`)),
    );
    const start = performance.now();
    expect(await program.end('SIGTERM')).toEqual({ code: 0, signal: null });
    expect(performance.now() - start).toBeLessThan(promised(1000));
    expect(await Promise.all(streams.map(({ ended }) => ended))).toEqual(
      streams.map(() => 'clean'),
    );
    expect(program.allOutput()).toBe('');
  });

  it('of a slow reader is cut, delays no other stream, and can be resumed', async () => {
    const program = await Program.start(database, { environment: { READER_TIMEOUT_MS: '60000' } });
    const board = await Workspace.create(program.client);
    const sprint = await board.sprint('2026-11-23');
    const path = `${board.path}/stream`;
    const slow = await open(program, path);
    const other = await open(program, path);
    slow.pause();
    const description = 'x'.repeat(32_000);
    let made = 0;
    // The stream is cut only after the socket buffers of both sides are full.
    const delays: number[] = [];
    for (; made < 400 && !(await isCut(program)); made += 1) {
      await board.story(sprint, { description });
      const committed = performance.now();
      await other.reaches(made + 3);
      delays.push(performance.now() - committed);
    }
    expect(made).toBeLessThan(400);
    expect(delays.sort((a, b) => a - b)[Math.floor(delays.length / 2)]).toBeLessThan(promised(100));
    slow.resume();
    expect(await slow.ended).toBe('cut');
    const { lastId = 0 } = slow;
    expect(lastId).toBeLessThan(made + 2);
    const resumed = await open(program, `${path}?after=${lastId}`);
    await resumed.reaches(made + 2);
    expect([...slow.revisions, ...resumed.revisions]).toEqual(other.revisions);
  });

  it('of a long log uses bounded memory if its client reads nothing', async () => {
    const program = await Program.start(database);
    const board = await Workspace.create(program.client);
    const sprint = await board.sprint('2026-11-23');
    const description = 'x'.repeat(32_000);
    for (let i = 0; i < 600; i += 1) await board.story(sprint, { description });
    const before = program.memory;
    const readers = await Promise.all(
      Array.from({ length: 20 }, async () => {
        const stream = await Stream.open(`${program.url}${board.path}/stream?after=0`);
        afterwards(() => stream.close());
        stream.pause();
        return stream;
      }),
    );
    // Other requests are served in the meantime.
    const { ms } = await program.client.get(`${board.path}/sprints`);
    expect(ms).toBeLessThan(promised(250));
    await sleep(1000);
    // The requested logs have 380 MB in total.
    expect(program.memory - before).toBeLessThan(150_000_000);
    for (const reader of readers) reader.close();
  });
});

/** Returns whether the service has closed one of two streams. */
async function isCut({ client }: Program): Promise<boolean> {
  const { text } = await client.get<string>('/metrics');
  return /^streams_open 1$/m.test(text);
}
