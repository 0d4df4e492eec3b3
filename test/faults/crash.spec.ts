import { setTimeout as sleep } from 'node:timers/promises';
import type { Answer } from '../support/client';
import type { TestDatabase } from '../support/databases';
import { createDatabase } from '../support/databases';
import { afterwards, LONG_DEADLINE, scale } from '../support/faults';
import { postStories } from '../support/fill';
import { Ledger } from '../support/ledger';
import { Program } from '../support/program';
import { upload } from '../support/upload';

const KILLS = scale(2, 8);
const WRITERS = 16;

jest.setTimeout(120_000 + KILLS * 10_000);

let database: TestDatabase;
beforeAll(async () => {
  database = await createDatabase();
});
afterAll(() => database.drop());

describe('a program that is killed while 16 clients write', () => {
  it(`loses no acknowledged change and leaves no partial one, ${KILLS} times`, async () => {
    const ledger = new Ledger('Crash');
    const undisturbed = await createDatabase();
    afterwards(() => undisturbed.drop());
    const slowdowns: number[] = [];
    for (let kills = 0; kills < KILLS; kills += 1) {
      // Both start at the same time, because other tests use the same machine.
      const program = await Program.spawn(database, { environment: LONG_DEADLINE });
      const other = await Program.spawn(undisturbed);
      const [killed, stopped] = await Promise.all([program.ready(), other.ready()]);
      slowdowns.push(killed / stopped);
      expect(await other.end('SIGTERM')).toEqual({ code: 0, signal: null });
      const client = program.client;
      ledger.start(WRITERS, () => client);
      const enough = ledger.acknowledged + 20 + Math.random() * 200;
      while (ledger.acknowledged < enough) await sleep(1);
      await program.end('SIGKILL');
      await ledger.stop();
    }
    // Unacknowledged writes have no response; none has an error response.
    expect([...ledger.rejected.keys()].filter((why) => /^\d/.test(why))).toEqual([]);

    const program = await Program.start(database);
    await ledger.audit(program.url);
    // The first start follows no kill.
    expect(Math.max(...slowdowns.slice(1))).toBeLessThan(3);
  });
});

/** Measures a request that is not interrupted, in milliseconds. */
async function timeOf(send: () => Promise<Answer>): Promise<number> {
  const before = performance.now();
  expect((await send()).status).toBe(200);
  return performance.now() - before;
}

/** Kills a program within 1.2 times the usual duration of a request; returns whether it was acknowledged. */
async function killDuring(
  program: Program,
  send: () => Promise<Answer>,
  usual: number,
): Promise<boolean> {
  const acknowledged = send().then(
    ({ status }) => status === 200,
    () => false,
  );
  await sleep(Math.random() * 1.2 * usual);
  await program.end('SIGKILL');
  return acknowledged;
}

const BATCHES = scale(2, 8);
const OPERATIONS = 400;

describe('a program that is killed while it runs a batch', () => {
  it(`has done all operations of the batch or none, ${BATCHES} times`, async () => {
    let program = await Program.start(database);
    let usual = 0;
    for (let i = 0; i <= BATCHES; i += 1) {
      const { client } = program;
      const board = `/api/boards/Batch%20${i}`;
      const story = (await client.post(`${board}/backlog`, { title: 'Before' })).body;
      const operations = Array.from({ length: OPERATIONS }, (_, n) =>
        n % 2 === 0
          ? { op: 'create', type: 'story', set: { title: `Story ${n}` } }
          : { op: 'update', type: 'story', id: story.id, set: { points: n } },
      );
      const send = () => client.post(`${board}/batch`, { operations });
      if (i === 0) {
        usual = await timeOf(send);
        continue;
      }
      const acknowledged = await killDuring(program, send, usual);
      program = await Program.start(database);
      const get = async (path: string): Promise<any> => (await program.client.get(path)).body;
      const [stories, events, { points }] = await Promise.all([
        get(`${board}/stories`),
        get(`${board}/events`),
        get(`/api/stories/${story.id}`),
      ]);
      const done = stories.length > 1;
      expect(done || !acknowledged).toBe(true);
      expect([stories.length, events.length, points]).toEqual(
        done ? [1 + OPERATIONS / 2, 2 + OPERATIONS, OPERATIONS - 1] : [1, 2, null],
      );
      expect(await get(board)).toMatchObject({ revision: events.length });
    }
  });
});

const RESTORES = scale(2, 8);

describe('a program that is killed while it restores a board', () => {
  it(`shows all of the board or nothing, and can restore it afterwards, ${RESTORES} times`, async () => {
    let program = await Program.start(database);
    const path = (name: string): string => `/api/boards/${name}`;
    await postStories(program.client, `${path('Original')}/backlog`, 1000);
    const file = (await program.client.get(`${path('Original')}/export?log=true`)).text;
    const restore = (name: string): Promise<Answer> =>
      upload(program.client, name, file, { type: 'application/x-ndjson' });
    const usual = await timeOf(() => restore('Usual'));
    for (let i = 1; i <= RESTORES; i += 1) {
      const name = `Restored${i}`;
      const acknowledged = await killDuring(program, () => restore(name), usual);
      program = await Program.start(database);
      const { status } = await program.client.get(path(name));
      expect(status === 200 || !acknowledged).toBe(true);
      if (status !== 200) {
        expect(status).toBe(404);
        expect((await restore(name)).status).toBe(200);
      }
      const restored = (await program.client.get(`${path(name)}/stories?limit=1&count=true`))
        .headers;
      expect(restored.get('x-total-count')).toBe('1000');
      const events = await program.client.get(`${path(name)}/export?log=true`);
      expect(events.text.split('\n')).toHaveLength(file.split('\n').length);
    }
  });
});

const COMPLETIONS = scale(2, 8);
const LEFT = 300;

describe('a program that is killed while it completes a sprint', () => {
  it(`has carried over all unfinished stories or none, ${COMPLETIONS} times`, async () => {
    const start_date = new Date(Date.now() - 3 * 86_400_000).toISOString().slice(0, 10);
    let program = await Program.start(database);
    let usual = 0;
    const ends = { whole: 0, none: 0 };
    for (let i = 0; i <= COMPLETIONS; i += 1) {
      const { client } = program;
      const board = `/api/boards/Completed%20${i}`;
      const sprint = (await client.post(`${board}/sprints`, { start_date })).body;
      await postStories(client, `/api/sprints/${sprint.id}/stories`, LEFT);
      const send = () => client.post(`/api/sprints/${sprint.id}/complete`);
      if (i === 0) {
        usual = await timeOf(send);
        continue;
      }
      const acknowledged = await killDuring(program, send, usual);
      program = await Program.start(database);
      const get = async (path: string): Promise<any> => (await program.client.get(path)).body;
      const { state } = await get(`/api/sprints/${sprint.id}`);
      const [inSprint, inBacklog, events] = await Promise.all([
        get(`/api/sprints/${sprint.id}/stories`),
        get(`${board}/backlog`),
        get(`${board}/events`),
      ]);
      const completed = state === 'completed';
      expect(completed || !acknowledged).toBe(true);
      expect([inSprint.length, inBacklog.length]).toEqual(completed ? [0, LEFT] : [LEFT, 0]);
      expect(await get(board)).toMatchObject({ revision: events.length });
      expect(events.filter(({ type }: any) => type === 'story.moved')).toHaveLength(
        completed ? LEFT : 0,
      );
      ends[completed ? 'whole' : 'none'] += 1;
    }
    expect(ends.whole + ends.none).toBe(COMPLETIONS);
  });
});
