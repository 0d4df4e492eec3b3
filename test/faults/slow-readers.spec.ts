import type { Socket } from 'node:net';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { SprintCache } from '../../src/sprints/sprint-cache';
import type { TestApp } from '../support/app';
import { startApp, useApp } from '../support/app';
import { Client } from '../support/client';
import { afterwards, LONG } from '../support/faults';
import { fillBacklog, fillLog, insertRows, storyRow } from '../support/fill';
import { made2xx } from '../support/make';
import { noOpenStreams } from '../support/reading';

/** A list that is longer than what sockets take without a reader. */
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

/** Asks for a list and reads no more than its beginning. */
async function idler(
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

/** So many idlers that some of them are rejected. */
const idlers = (authorization?: string) =>
  Promise.all(Array.from({ length: 20 }, () => idler(service, LIST, authorization)));

describe('clients that do not read their long lists', () => {
  it('do not keep others from being served', async () => {
    const slow = await idlers();
    // Those that cannot be served get 503; none is cut off in the middle.
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

  it('keep at most 8 MiB of a sprint that is to be cached, and nothing when they are gone', async () => {
    const sprint = await made2xx(
      service.client.post('/api/boards/Full/sprints', { start_date: '2020-01-01' }),
    );
    const { body: board } = await service.client.get('/api/boards/Full');
    const rest = { description: DESCRIPTION, sprint_id: sprint.id as number };
    await insertRows(service, 'stories', 130, (i) => storyRow(board.id as number, i, rest));
    const cache = service.app.get<SprintCache, { keptBytes: number }>(SprintCache);
    let most = 0;
    const watch = setInterval(() => (most = Math.max(most, cache.keptBytes)), 1);
    afterwards(() => clearInterval(watch));
    const slow = await Promise.all(
      Array.from({ length: 12 }, (_, i) =>
        idler(service, '/api/boards/Full/sprints/current', '', `127.0.0.${1 + (i % 3)}`),
      ),
    );
    // On a busy machine some may be rejected.
    expect(slow.map(({ status }) => status)).toContain(200);
    await sleep(200);
    for (const { socket } of slow) socket.destroy();
    await noOpenStreams(service);
    expect(most).toBeGreaterThan(0);
    expect(most).toBeLessThanOrEqual(8 * 1024 * 1024);
    expect(cache.keptBytes).toBe(0);
  });

  it('take no more than the share of one address, so another address gets its whole list', async () => {
    const slow = await idlers();
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

  it('take no more than the share of one token, so another token gets its whole list', async () => {
    const { token } = await made2xx(
      service.client.post('/api/tokens', { name: 'slow', scope: 'admin' }),
    );
    const admin = service.client.with({ authorization: `Bearer ${token}` });
    const { id, ...other } = await made2xx(
      admin.post('/api/tokens', { name: 'other', scope: 'read' }),
    );
    const slow = await idlers(`Bearer ${token}`);
    expect(slow.filter(({ status }) => status === 200).length).toBeLessThan(20);
    const reader = service.client.with({ authorization: `Bearer ${other.token}` });
    expect((await reader.get(LIST)).body).toHaveLength(STORIES);
    for (const { socket } of slow) socket.destroy();
    await made2xx(admin.delete(`/api/tokens/${id}`));
    await made2xx(admin.delete(`/api/tokens/${id - 1}`));
    await noOpenStreams(service);
  });

  it('are disconnected, whichever list they do not read', async () => {
    const hasty = await startApp({
      database: service.database,
      environment: { READER_TIMEOUT_MS: '300' },
    });
    afterwards(() => hasty.close());
    const lists = [
      LIST,
      `${LIST}?limit=500`,
      `${BOARD}/stories?sort=title`,
      `${BOARD}/events?limit=500`,
    ];
    for (const path of lists) {
      const { status } = await idler(hasty, path);
      expect([path, status]).toEqual([path, 200]);
      while ((await connectionsOf(hasty)) > 0) await sleep(10);
    }
    await noOpenStreams(hasty);
  });

  // Node.js waits a second period if the kernel took anything in the first.
  (LONG ? it : it.skip)('are disconnected after 15 to 30 s', async () => {
    service.client.close();
    const before = performance.now();
    await idler();
    while ((await connectionsOf(service)) > 0) await sleep(100);
    const seconds = (performance.now() - before) / 1000;
    expect(seconds).toBeGreaterThan(15);
    expect(seconds).toBeLessThan(32);
  });
});
