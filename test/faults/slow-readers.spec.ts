import type { Socket } from 'node:net';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { TestApp } from '../support/app';
import { startApp } from '../support/app';
import { afterwards, LONG } from '../support/faults';
import { loadClient } from '../support/load';

/** A list that is longer than what waits unread between a server and a client. */
const STORIES = 600;
const DESCRIPTION = 'x'.repeat(30_000);
const LIST = '/api/boards/Long/backlog';

jest.setTimeout(60_000);

let service: TestApp;
beforeAll(async () => {
  service = await startApp({ environment: { DATABASE_POOL: '4' } });
  const client = loadClient(service.url, 4);
  const left = Array.from({ length: STORIES }, (_, i) => i);
  await Promise.all(
    [1, 2, 3, 4].map(async () => {
      for (let i = left.pop(); i !== undefined; i = left.pop()) {
        await client.post(LIST, { title: `${i}`, description: DESCRIPTION });
      }
    }),
  );
});
afterAll(() => service.close());

/** Connections that are open. Node tells of the end of one only to whoever reads from it. */
const connectionsOf = ({ app }: TestApp): Promise<number> =>
  new Promise((resolve) => {
    app.getHttpServer().getConnections((_: unknown, open: number) => resolve(open));
  });

/** Asks for the list and reads no more than its beginning. */
async function idler({ url } = service, path = LIST): Promise<{ socket: Socket; status: number }> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  afterwards(() => socket.destroy());
  socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
  const status = await new Promise<number>((resolve) => {
    socket.once('data', (data: Buffer) => {
      socket.pause();
      resolve(Number(data.toString('latin1', 9, 12)));
    });
  });
  socket.on('error', () => undefined);
  return { socket, status };
}

describe('clients that do not read their long lists', () => {
  it('keep nobody else from being served', async () => {
    const idlers = await Promise.all(Array.from({ length: 20 }, () => idler()));
    // Some have begun; the others are told to come again, and not cut off in the middle.
    expect(new Set(idlers.map(({ status }) => status))).toEqual(new Set([200, 503]));
    const client = loadClient(service.url);
    for (let i = 0; i < 20; i += 1) {
      const answers = await Promise.all([
        client.get('/api/boards'),
        client.post('/api/boards/Other/backlog', { title: 'x' }),
        client.get('/api/boards/Long'),
      ]);
      expect(answers.map(({ status }) => status)).toEqual([200, 201, 200]);
    }
    for (const { socket } of idlers) socket.destroy();
    // Whoever reads gets all of it, now that there is room.
    const whole = await client.get(LIST);
    expect([whole.status, whole.body.length]).toEqual([200, STORIES]);
  });

  it('are cut off whatever it is that they do not read', async () => {
    const hasty = await startApp({
      database: service.database,
      environment: { READER_TIMEOUT_MS: '300' },
    });
    afterwards(() => hasty.close());
    for (const path of [LIST, `${LIST}?limit=500`, '/api/boards/Long/events?limit=500']) {
      const { status } = await idler(hasty, path);
      expect([path, status]).toEqual([path, 200]);
      while ((await connectionsOf(hasty)) > 0) await sleep(10);
    }
  });

  (LONG ? it : it.skip)('are cut off after 15 s, and not before', async () => {
    const before = performance.now();
    await idler();
    while ((await connectionsOf(service)) > 0) await sleep(100);
    const seconds = (performance.now() - before) / 1000;
    expect(seconds).toBeGreaterThan(15);
    expect(seconds).toBeLessThan(25);
  });
});
