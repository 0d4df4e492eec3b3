import type { IncomingMessage } from 'node:http';
import { Agent, request } from 'node:http';
import { DataSource } from 'typeorm';
import { Database, unavailable } from '../../src/database/database';
import type { TestApp } from '../support/app';
import { startApp } from '../support/app';
import { Client } from '../support/client';
import { Workspace } from '../support/make';
import { expectProblem } from '../support/problems';
import { Program } from '../support/program';

/** Stories of the backlog, each of about 1.3 KiB: whole, it is far more than the process may grow. */
const STORIES = 100_000;
const DESCRIPTION = 'As a team we plan a sprint. '.repeat(36);
const MIB = 1024 * 1024;

let service: TestApp;
let board: Workspace;
let backlog: string;

/** Puts stories into the backlog, past the service. */
async function fill(boardId: number, count: number): Promise<void> {
  const dataSource = service.app.get(DataSource);
  const columns =
    'board_id, title, description, seq, status, labels, search, created_at, updated_at, version';
  const now = '2026-11-21 12:00:00.000';
  const rows = 500;
  for (let start = 0; start < count; start += rows) {
    await dataSource.query(
      `INSERT INTO stories (${columns}) VALUES ${Array(rows).fill('(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)').join(', ')}`,
      Array.from({ length: rows }, (_, i) => [
        boardId,
        `Story ${start + i}`,
        DESCRIPTION,
        start + i + 1,
        'todo',
        '[]',
        '',
        now,
        now,
        1,
      ]).flat(),
    );
  }
}

beforeAll(async () => {
  service = await startApp({ raw: true });
  board = await Workspace.create(service.client);
  backlog = service.url + board.path + '/backlog';
  const { id } = (await service.client.get(board.path)).body;
  await fill(id as number, STORIES);
}, 120_000);
afterAll(() => service.close());

/** How many stories begin in a piece of an answer; no text of ours has this in it. */
function count(piece: Buffer): number {
  let found = 0;
  for (let at = piece.indexOf('{"id":'); at >= 0; at = piece.indexOf('{"id":', at + 6)) found += 1;
  return found;
}

interface Reading {
  status: number;
  bytes: number;
  stories: number;
  complete: boolean;
}

type OnData = (bytes: number, stop: () => void) => Promise<void> | void;

/** Reads a list as it comes and keeps nothing of it; `onData` may hold it up or give up on it. */
function read(url: string, options: { agent?: Agent; onData?: OnData } = {}): Promise<Reading> {
  return new Promise((resolve, reject) => {
    const call = request(url, { agent: options.agent ?? false }, (response) => {
      resolve(readAll(response, options.onData));
    });
    call.on('error', reject);
    call.end();
  });
}

async function readAll(response: IncomingMessage, onData?: OnData): Promise<Reading> {
  const reading = { status: response.statusCode ?? 0, bytes: 0, stories: 0, complete: false };
  let tail = Buffer.alloc(0);
  try {
    for await (const piece of response as AsyncIterable<Buffer>) {
      reading.bytes += piece.length;
      // Where one piece ends and the next begins a story may begin, too.
      reading.stories += count(piece) + count(Buffer.concat([tail, piece.subarray(0, 5)]));
      tail = Buffer.from(piece.subarray(-5));
      await onData?.(reading.bytes, () => response.destroy());
    }
    reading.complete = response.complete;
  } catch {
    // Cut off, by either side.
  }
  return reading;
}

/** Waits until no connection to the database is in use. */
async function quiet(): Promise<void> {
  for (const end = Date.now() + 10_000; Date.now() < end;) {
    const { text } = await service.client.get('/metrics');
    if (
      /^database_connections_busy 0$/m.test(text) &&
      /^database_connections_waiting 0$/m.test(text)
    )
      return;
  }
  throw new Error('a connection to the database is still in use');
}

describe('a backlog of 100,000 stories', () => {
  it('is answered whole while memory grows by less than 100 MiB and others are answered promptly', async () => {
    const [first] = (await service.client.get(`${board.path}/backlog?limit=1`)).body;
    // A process of its own, so that nothing but the service is measured.
    const program = await Program.start(service.database);
    const client = new Client(program.url);
    for (let i = 0; i < 200; i += 1) await client.get(`/api/stories/${first.id}`);
    const before = program.memory;
    let grown = 0;
    let reading = true;
    const others = (async () => {
      const waits: number[] = [];
      while (reading) {
        const start = performance.now();
        const answer = await client.get(`/api/stories/${first.id}`);
        waits.push(performance.now() - start);
        expect(answer.status).toBe(200);
        grown = Math.max(grown, program.memory - before);
      }
      return waits.sort((a, b) => a - b);
    })();
    const list = await read(program.url + board.path + '/backlog');
    reading = false;
    const waits = await others;
    await program.end('SIGKILL');
    expect(list).toMatchObject({ status: 200, stories: STORIES, complete: true });
    expect(list.bytes).toBeGreaterThan(120 * MIB);
    expect(grown).toBeLessThan(100 * MIB);
    expect(waits.length).toBeGreaterThan(20);
    expect(waits[Math.floor(waits.length * 0.9)]).toBeLessThan(500);
  }, 120_000);

  it('is sorted once, whatever it is sorted by', async () => {
    const seconds = async (work: () => Promise<void>): Promise<number> => {
      const before = performance.now();
      await work();
      return (performance.now() - before) / 1000;
    };
    const unsorted = await seconds(async () => void (await read(backlog)));
    for (const sort of ['-title', 'priority,-points', 'updated_at,-seq']) {
      const sorted = await seconds(async () => {
        const list = await read(`${backlog}?sort=${sort}`);
        expect(list).toMatchObject({ status: 200, stories: STORIES, complete: true });
      });
      // Sorted for each part of it, it took twenty times as long.
      expect(sorted).toBeLessThan(6 * unsorted);
    }
    const titles: string[] = (
      await service.client.get(`${board.path}/backlog?sort=-title&fields=title`, {
        undocumented: true,
      })
    ).body.map(({ title }: any) => title as string);
    expect(titles).toEqual(
      Array.from({ length: STORIES }, (_, i) => `Story ${i}`)
        .sort()
        .reverse(),
    );
  }, 120_000);

  it('frees what it holds when its reader goes away, at any moment', async () => {
    for (const bytes of [0, 1, 100_000, 5_000_000]) {
      const list = await read(backlog, {
        onData: (had, stop) => (had >= bytes ? stop() : undefined),
      });
      expect(list.complete).toBe(false);
    }
    // Before anything is answered, too.
    await Promise.all(
      Array.from({ length: 10 }, async (_, i) => {
        const call = request(backlog, { agent: false });
        call.on('error', () => undefined);
        call.end();
        await new Promise((resolve) => setTimeout(resolve, i * 3));
        call.destroy();
      }),
    );
    await quiet();
  });

  it('waits for a slow reader without keeping others from the database', async () => {
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    const begun = new Set<boolean>();
    const slow = (stop: boolean): Promise<Reading> =>
      read(backlog, {
        onData: async (bytes, leave) => {
          if (bytes < MIB) begun.add(stop);
          await held;
          if (stop) leave();
        },
      });
    const readers = [slow(false), slow(true)];
    while (begun.size < 2) await service.client.get('/health/live');
    for (let i = 0; i < 20; i += 1) {
      const made = await service.client.post('/api/boards/Other/backlog', { title: 'x' });
      expect(made.status).toBe(201);
      expect((await service.client.get('/api/boards/Other/stories')).status).toBe(200);
    }
    // Those who read slowly see the list as it was when they began.
    await service.client.post(`${board.path}/backlog`, { title: 'later' });
    release();
    expect((await Promise.all(readers))[0]).toMatchObject({ stories: STORIES, complete: true });
    const { body } = await service.client.get<any[]>(`${board.path}/backlog?sort=-seq&limit=1`);
    expect(body[0].title).toBe('later');
    await service.client.delete(`/api/stories/${body[0].id}`);
    await quiet();
  }, 120_000);

  it('is read in pages by those who prefer it', async () => {
    const first = await service.client.get<any[]>(`${board.path}/backlog?limit=1000&fields=seq`, {
      undocumented: true,
    });
    const next = /<([^>]+)>/.exec(first.headers.get('link') ?? '')?.[1] ?? '';
    const second = await service.client.get<any[]>(next, { undocumented: true });
    expect([first.body[999].seq, second.body[0].seq]).toEqual([1000, 1001]);
  });

  it('has a tag that spares a client from reading it again', async () => {
    const head = await service.client.call('HEAD', `${board.path}/backlog?limit=1`);
    const headers = { 'if-none-match': head.headers.get('etag') as string };
    const start = performance.now();
    expect((await service.client.get(`${board.path}/backlog`, { headers })).status).toBe(304);
    expect(performance.now() - start).toBeLessThan(500);
  });
});

describe('a long list', () => {
  let path: string;
  beforeAll(async () => {
    const other = await Workspace.create(service.client);
    await fill((await service.client.get(other.path)).body.id as number, 2000);
    path = `${other.path}/backlog`;
  });

  it('is cut off where the database fails in the middle, so that nobody takes a part for the whole', async () => {
    const database = service.app.get(Database);
    const stream = database.stream.bind(database);
    const failing = jest.spyOn(database, 'stream').mockImplementation((work) => {
      let reads = 0;
      return stream((reader) =>
        work({
          query: (...statement) => {
            reads += 1;
            return reads < 3 ? reader.query(...statement) : Promise.reject(new Error('away'));
          },
        }),
      );
    });
    const list = await read(service.url + path);
    failing.mockRestore();
    expect(list).toMatchObject({ status: 200, complete: false });
    expect(list.stories).toBeGreaterThan(0);
    expect(list.stories).toBeLessThan(2000);
    await quiet();
    expect(await read(service.url + path)).toMatchObject({ stories: 2000, complete: true });
  });

  it('is refused in order where the database fails before it begins', async () => {
    const database = service.app.get(Database);
    const failing = jest.spyOn(database, 'stream').mockRejectedValue(unavailable());
    const answer = await service.client.get(path);
    failing.mockRestore();
    expectProblem(answer, 503, 'database_unavailable');
    expect(answer.headers.get('retry-after')).toBe('1');
  });

  it('is read again and again over one connection', async () => {
    const warnings: Error[] = [];
    const note = (warning: Error): void => void warnings.push(warning);
    process.on('warning', note);
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    for (let i = 0; i < 12; i += 1) {
      const list = await read(service.url + path, { agent });
      expect(list).toMatchObject({ stories: 2000, complete: true });
    }
    agent.destroy();
    process.off('warning', note);
    expect(warnings).toEqual([]);
  });
});
