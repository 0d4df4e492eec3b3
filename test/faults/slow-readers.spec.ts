import { once } from 'node:events';
import { Agent } from 'node:http';
import type { Socket } from 'node:net';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { Database } from '../../src/database/database';
import { SprintsInFull } from '../../src/sprints/sprints-in-full.service';
import type { TestApp } from '../support/app';
import { startApp, useApp } from '../support/app';
import { Client } from '../support/client';
import { Stream } from '../support/event-stream';
import { afterwards, LONG } from '../support/faults';
import { fillBacklog, fillLog, insertRows, storyRow } from '../support/fill';
import { made2xx } from '../support/make';
import type { Reading } from '../support/reading';
import { noOpenStreams, readList } from '../support/reading';
import { onStatement } from '../support/statements';

/** Enough stories that the list exceeds the buffers of a socket. */
const STORIES = 600;
const DESCRIPTION = 'x'.repeat(30_000);
const BOARD = '/api/boards/Long';
const LIST = `${BOARD}/backlog`;

const service = useApp({ environment: { DATABASE_POOL: '4' } });
beforeAll(async () => {
  await made2xx(service.client.post('/api/boards', { name: 'Long' }));
  await fillBacklog(service, BOARD, STORIES, { description: DESCRIPTION });
  await fillLog(service, BOARD, STORIES, { description: DESCRIPTION });
});

const connectionsOf = ({ app }: TestApp): Promise<number> =>
  new Promise((resolve) => {
    app.getHttpServer().getConnections((_: unknown, open: number) => resolve(open));
  });

/** Requests a list and reads only its beginning. */
async function idleReader(
  { url } = service,
  path = LIST,
  authorization = '',
  localAddress = '127.0.0.1',
): Promise<{ socket: Socket; status: number }> {
  const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1', localAddress });
  afterwards(() => socket.destroy());
  const header = authorization && `Authorization: ${authorization}\r\n`;
  socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n${header}\r\n`);
  const status = await new Promise<number>((resolve) => {
    socket.once('data', (data: Buffer) => {
      socket.pause();
      resolve(Number(data.toString('latin1', 9, 12)));
    });
  });
  socket.on('error', () => undefined);
  return { socket, status };
}

/** Starts an instance on the same database that disconnects idle readers soon. */
async function startWithTimeout(): Promise<TestApp> {
  const instance = await startApp({
    database: service.database,
    environment: { READER_TIMEOUT_MS: '300' },
  });
  afterwards(() => instance.close());
  return instance;
}

/** Opens so many idle readers that some are rejected. */
const idleReaders = (authorization?: string) =>
  Promise.all(Array.from({ length: 20 }, () => idleReader(service, LIST, authorization)));

describe('clients that do not read their long lists', () => {
  it('do not delay other clients', async () => {
    const slow = await idleReaders();
    // Rejected clients get 503; no response is cut off.
    expect(new Set(slow.map(({ status }) => status))).toEqual(new Set([200, 503]));
    const { client } = service;
    for (let i = 0; i < 20; i += 1) {
      const answers = await Promise.all([
        client.get('/api/boards'),
        client.post('/api/boards/Other/backlog', { title: 'x' }),
        client.get(BOARD),
      ]);
      expect(answers.map(({ status }) => status)).toEqual([200, 201, 200]);
    }
    for (const { socket } of slow) socket.destroy();
    expect((await client.get(LIST)).body).toHaveLength(STORIES);
    await noOpenStreams(service);
  });

  it('keep a sprint in memory once, at most 4 MiB of it, and nothing once they disconnect', async () => {
    const sprint = await made2xx(
      service.client.post('/api/boards/Full/sprints', { start_date: '2020-01-01' }),
    );
    const { body: board } = await service.client.get('/api/boards/Full');
    const rest = { description: DESCRIPTION, sprint_id: sprint.id as number };
    await insertRows(service, 'stories', 130, (i) => storyRow(board.id as number, i, rest));
    const cache = service.app.get<SprintsInFull, { keptBytes: number }>(SprintsInFull);
    let most = 0;
    const watch = setInterval(() => (most = Math.max(most, cache.keptBytes)), 1);
    afterwards(() => clearInterval(watch));
    const slow = await Promise.all(
      Array.from({ length: 12 }, (_, i) =>
        idleReader(service, '/api/boards/Full/sprints/current', '', `127.0.0.${1 + (i % 3)}`),
      ),
    );
    // On a busy machine some clients may be rejected.
    expect(slow.map(({ status }) => status)).toContain(200);
    await sleep(200);
    for (const { socket } of slow) socket.destroy();
    await noOpenStreams(service);
    expect(most).toBeGreaterThan(0);
    expect(most).toBeLessThanOrEqual(4 * 1024 * 1024);
    expect(cache.keptBytes).toBe(0);
  });

  it('use only the share of one address, so a client of another address gets its whole list', async () => {
    const slow = await idleReaders();
    expect(slow.filter(({ status }) => status === 200).length).toBeLessThan(20);
    const other = new Client(service.url, { localAddress: '127.0.0.2' });
    afterwards(() => other.close());
    for (const path of [LIST, `${BOARD}/stories?sort=-title`, `${LIST}?q=story`]) {
      const answer = await other.get(path);
      expect([path, answer.status, answer.body.length]).toEqual([path, 200, STORIES]);
    }
    for (const { socket } of slow) socket.destroy();
    await noOpenStreams(service);
  });

  it('use only the share of one token, so a client with another token gets its whole list', async () => {
    const { token } = await made2xx(
      service.client.post('/api/tokens', { name: 'slow', scope: 'admin' }),
    );
    const admin = service.client.with({ authorization: `Bearer ${token}` });
    const { id, ...other } = await made2xx(
      admin.post('/api/tokens', { name: 'other', scope: 'read' }),
    );
    const slow = await idleReaders(`Bearer ${token}`);
    expect(slow.filter(({ status }) => status === 200).length).toBeLessThan(20);
    const reader = service.client.with({ authorization: `Bearer ${other.token}` });
    expect((await reader.get(LIST)).body).toHaveLength(STORIES);
    for (const { socket } of slow) socket.destroy();
    await made2xx(admin.delete(`/api/tokens/${id}`));
    await made2xx(admin.delete(`/api/tokens/${id - 1}`));
    await noOpenStreams(service);
  });

  it('are disconnected from every kind of list', async () => {
    const serviceWithTimeout = await startWithTimeout();
    const lists = [
      LIST,
      `${LIST}?limit=500`,
      `${BOARD}/stories?sort=title`,
      `${BOARD}/events?limit=500`,
    ];
    for (const path of lists) {
      const { status } = await idleReader(serviceWithTimeout, path);
      expect([path, status]).toEqual([path, 200]);
      while ((await connectionsOf(serviceWithTimeout)) > 0) await sleep(10);
    }
    await noOpenStreams(serviceWithTimeout);
  });

  it('are disconnected from a list that they requested together with an import', async () => {
    const serviceWithTimeout = await startWithTimeout();
    const socket = connect(Number(new URL(serviceWithTimeout.url).port)).pause();
    socket.on('error', () => undefined);
    afterwards(() => socket.destroy());
    socket.write(
      `POST ${BOARD}/import HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/csv\r\nContent-Length: 1\r\n\r\nx` +
        `GET ${LIST} HTTP/1.1\r\nHost: localhost\r\n\r\n`,
    );
    const database = serviceWithTimeout.app.get(Database);
    while (database.openSnapshots === 0) await sleep(10);
    while ((await connectionsOf(serviceWithTimeout)) > 0) await sleep(10);
    await noOpenStreams(serviceWithTimeout);
  });

  it('are disconnected even if they send another request while they read nothing', async () => {
    const serviceWithTimeout = await startWithTimeout();
    const socket = connect(Number(new URL(serviceWithTimeout.url).port));
    socket.on('error', () => undefined);
    afterwards(() => socket.destroy());
    socket.write(`GET ${LIST} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
    await once(socket, 'data');
    socket.pause();
    socket.write('GET /api/boards HTTP/1.1\r\nHost: localhost\r\n\r\n');
    while ((await connectionsOf(serviceWithTimeout)) > 0) await sleep(10);
    await noOpenStreams(serviceWithTimeout);
  });

  it('are disconnected before a stream of events on which nothing happens', async () => {
    const serviceWithTimeout = await startWithTimeout();
    const stream = await Stream.open(`${serviceWithTimeout.url}${BOARD}/stream`);
    afterwards(() => stream.close());
    await idleReader(serviceWithTimeout);
    while ((await connectionsOf(serviceWithTimeout)) > 1) await sleep(10);
    await made2xx(serviceWithTimeout.client.put(BOARD, { time_zone: 'Asia/Tokyo' }));
    await stream.until(({ events }) => events.some(({ event }) => event === 'board.updated'));
  });

  // Node.js waits for a second period if the kernel accepted any bytes in the first.
  (LONG ? it : it.skip)('are disconnected after 15 to 30 s', async () => {
    service.client.close();
    const before = performance.now();
    await idleReader();
    while ((await connectionsOf(service)) > 0) await sleep(100);
    const seconds = (performance.now() - before) / 1000;
    expect(seconds).toBeGreaterThan(15);
    expect(seconds).toBeLessThan(32);
  });
});

describe('a request that takes longer than READER_TIMEOUT_MS', () => {
  it('keeps its connection', async () => {
    const serviceWithTimeout = await startWithTimeout();
    let letGoOn = (): void => undefined;
    const mayGoOn = new Promise<void>((resolve) => (letGoOn = resolve));
    const hasBegun = new Promise<void>((resolve) => {
      const stop = onStatement({
        before: ({ sql }) => {
          if (!sql.startsWith('INSERT INTO')) return undefined;
          resolve();
          return mayGoOn;
        },
      });
      afterwards(stop);
    });
    const answer = serviceWithTimeout.client.post(LIST, { title: 'Takes long' });
    await hasBegun;
    // The service closes a connection without a request after READER_TIMEOUT_MS.
    const unused = connect(Number(new URL(serviceWithTimeout.url).port)).resume();
    await once(unused, 'close');
    letGoOn();
    expect((await answer).status).toBe(201);
  });
});

describe('the response to a change of many long stories', () => {
  /** Creates a board with stories, and requests a move of all of them without reading more than its status. */
  async function moveUnread(name: string) {
    const board = `/api/boards/${name}`;
    await made2xx(service.client.post('/api/boards', { name }));
    await fillBacklog(service, board, STORIES, { description: DESCRIPTION });
    const stories: any[] = (await service.client.get(`${board}/backlog`)).body;
    const socket = connect(Number(new URL(service.url).port));
    afterwards(() => socket.destroy());
    const body = JSON.stringify({ story_ids: stories.map(({ id }) => id as number).reverse() });
    socket.write(
      `POST ${board}/stories/move HTTP/1.0\r\nHost: localhost\r\nContent-Type: application/json\r\n` +
        `Content-Length: ${body.length}\r\n\r\n${body}`,
    );
    await once(socket, 'readable');
    return { board, stories, socket };
  }

  it('is in memory only in part while its client reads nothing', async () => {
    let long = 0;
    const stop = onStatement({
      after: (_statement, result) => {
        if (!Array.isArray(result)) return;
        for (const { description } of result) if (description === DESCRIPTION) long += 1;
      },
    });
    afterwards(stop);
    const { socket } = await moveUnread('Unread');
    long -= STORIES;
    // As long as the buffers of the socket take something.
    for (let before = -1; before < long;) {
      before = long;
      for (let i = 0; i < 20; i += 1) await made2xx(service.client.get(BOARD));
    }
    expect(long).toBeGreaterThan(0);
    expect(long).toBeLessThan(STORIES);
    socket.destroy();
  });

  it('has the stories as the change left them, even if they were changed before it was read', async () => {
    const { board, stories, socket } = await moveUnread('Later');
    const { client } = service;
    const [deleted, updated, moved, both] = stories.map(({ id }) => `/api/stories/${id}`);
    await made2xx(client.delete(deleted as string));
    for (const description of ['shorter', null]) {
      await made2xx(client.put(updated as string, { description }));
    }
    await made2xx(client.post('/api/boards/Elsewhere/sprints', { start_date: '2026-11-23' }));
    const [{ id: elsewhere }] = (await client.get('/api/boards/Elsewhere/sprints')).body;
    for (const path of [moved, both]) {
      await made2xx(client.put(path as string, { sprint_id: elsewhere, points: 3 }));
    }
    await made2xx(client.put(both as string, { description: 'changed there' }));
    const [, body = ''] = (await text(socket)).split('\r\n\r\n');
    const seqs = new Map<number, number>();
    const shown = (JSON.parse(body) as any[]).map(({ seq, updated_at: _, version, ...rest }) => {
      seqs.set(rest.id as number, seq as number);
      // One of them keeps its position.
      expect([rest.id, version]).toEqual([rest.id, rest.id === stories[0].id ? 1 : 2]);
      return rest;
    });
    const before = stories.map(({ seq: _, updated_at: __, version: ___, ...rest }) => rest);
    expect(shown).toEqual(before.reverse());
    expect([...seqs.values()]).toEqual([...seqs.values()].sort((a, b) => a - b));
    expect((await client.get(`${board}/backlog?limit=1`)).body[0].id).toBe(stories.at(-1).id);
  });
});

describe('long responses in memory', () => {
  const MIB = 1024 * 1024;
  /** A story with 5 kB and no long description. */
  const WIDE = {
    title: '\u5bbd'.repeat(255),
    description: '\u5bbd'.repeat(333),
    labels: JSON.stringify(Array.from({ length: 20 }, (_, i) => `${i}`.padEnd(50, '\u5bbd'))),
  };
  const WIDE_STORIES = 1000;

  /** Moves all stories of a board and reads only the beginning of the response. */
  async function moveWithoutReading(board: string, ids: number[], localAddress: string) {
    const { port } = new URL(service.url);
    const socket = connect({ port: Number(port), host: '127.0.0.1', localAddress });
    socket.on('error', () => undefined);
    afterwards(() => socket.destroy());
    const body = JSON.stringify({ story_ids: ids.reverse() });
    socket.write(
      `POST ${board}/stories/move HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n` +
        `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
    await once(socket, 'readable');
    return socket;
  }

  /** Whether the rest of a response arrives, too. */
  async function arrives(socket: Socket): Promise<boolean> {
    const response = await text(socket).catch(() => '');
    const [, length] = /content-length: (\d+)/i.exec(response) ?? [];
    if (length === undefined) return response.endsWith('\r\n0\r\n\r\n');
    const [head = ''] = response.split('\r\n\r\n', 1);
    return Buffer.byteLength(response) === head.length + 4 + Number(length);
  }

  it.each([
    ['written at once', 'Wide', 'short'],
    ['written in parts', 'Mixed', DESCRIPTION],
  ])('have at most 16 MiB together, if they are %s', async (_, name, description) => {
    const board = `/api/boards/${name}`;
    await made2xx(service.client.post('/api/boards', { name }));
    await fillBacklog(service, board, WIDE_STORIES - 1, WIDE);
    await made2xx(service.client.post(`${board}/backlog`, { title: 'Last', description }));
    const { body: stories } = await service.client.get(`${board}/backlog`);
    const ids = stories.map(({ id }: { id: number }) => id) as number[];
    const length = Buffer.byteLength(JSON.stringify(stories));
    expect(length).toBeGreaterThan(4 * MIB);

    const idle: Socket[] = [];
    for (let i = 0; i < 9; i += 1) {
      idle.push(await moveWithoutReading(board, ids, `127.0.0.${10 + i}`));
    }
    // A client that reads gets its responses, although the limit is reached.
    for (let i = 0; i < 3; i += 1) {
      const { body } = await service.client.post(`${board}/stories/move`, { story_ids: ids });
      expect(body).toHaveLength(WIDE_STORIES);
    }
    const arrived = await Promise.all(idle.map(arrives));
    expect(arrived.filter(Boolean).length * length).toBeLessThan(16 * MIB);
    // The connections that had been idle longest were closed.
    expect(arrived).toEqual([...arrived].sort());
    expect(arrived.at(-1)).toBe(true);
  });

  it('count once if many clients read the same one', async () => {
    const sprint = await made2xx(
      service.client.post('/api/boards/Shared/sprints', { start_date: '2020-01-01' }),
    );
    const { body: board } = await service.client.get('/api/boards/Shared');
    const rest = { ...WIDE, sprint_id: sprint.id as number };
    await insertRows(service, 'stories', 700, (i) => storyRow(board.id as number, i, rest));
    const url = `${service.url}/api/boards/Shared/sprints/current`;
    await readList(url);
    const agent = new Agent({ keepAlive: true });
    afterwards(() => agent.destroy());
    let closed = 0;
    const watch = (socket: Socket): unknown => socket.once('close', () => (closed += 1));
    service.app.getHttpServer().on('connection', watch);
    afterwards(() => service.app.getHttpServer().off('connection', watch));
    let begun = 0;
    let letAllGoOn: () => void;
    const allHaveBegun = new Promise<void>((resolve) => (letAllGoOn = resolve));
    const reader = (): Promise<Reading> => {
      let isFirst = true;
      const onData = (): Promise<void> => {
        begun += Number(isFirst);
        isFirst = false;
        if (begun === 12) letAllGoOn();
        return allHaveBegun;
      };
      return readList(url, { agent, onData });
    };
    const readings = await Promise.all(Array.from({ length: 12 }, reader));
    expect(readings.map(({ complete }) => complete)).toEqual(Array(12).fill(true));
    expect(12 * readings[0]!.bytes).toBeGreaterThan(16 * MIB);
    expect(closed).toBe(0);
  });
});
