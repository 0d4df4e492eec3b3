import type { Socket } from 'node:net';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { TestApp } from '../support/app';
import { startApp } from '../support/app';
import { promised } from '../support/faults';

let service: TestApp;
beforeEach(async () => {
  service = await startApp({
    engine: 'sqlite',
    environment: {
      HEADERS_TIMEOUT_MS: '500',
      REQUEST_TIMEOUT_MS: '1000',
      UPLOAD_TIMEOUT_MS: '3000',
    },
  });
});
afterEach(() => service.close());

const POST = 'POST /api/boards/Slow/sprints HTTP/1.1\r\nHost: localhost\r\n';
/** Beginnings of requests that never arrive completely. */
const STARTS = [
  '',
  'GET /api/boards HTTP/1.1\r\nHost: localhost\r\nX-Slow: ',
  `${POST}Content-Type: application/json\r\nContent-Length: 100000\r\n\r\n{`,
  `${POST}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n40000\r\n`,
];

/** Opens a connection that sends the beginning of a request and then single bytes. */
function sendSlowly(i: number): { socket: Socket; stop: () => void } {
  const start = STARTS[i % STARTS.length] ?? '';
  // The client does not close its side when the server closes the connection.
  const socket = connect({ port: Number(new URL(service.url).port), allowHalfOpen: true });
  socket.on('error', () => undefined).setEncoding('utf8');
  socket.write(start);
  const timer = setInterval(() => start !== '' && socket.writable && socket.write('x'), 200);
  const stop = (): void => {
    clearInterval(timer);
    socket.destroy();
  };
  return { socket, stop };
}

const openConnections = (): Promise<number> =>
  new Promise((resolve) => {
    service.app.getHttpServer().getConnections((_: unknown, open: number) => resolve(open));
  });

/** Closes the client's connections and waits until the server has none. */
async function untilClosed(withinMs: number): Promise<void> {
  service.client.close();
  const end = Date.now() + withinMs;
  while ((await openConnections()) > 0 && Date.now() < end) await sleep(20);
  expect(await openConnections()).toBe(0);
}

it('answers 500 clients that send slowly with 408, closes them, and serves others meanwhile', async () => {
  const texts: string[] = [];
  const clients = Array.from({ length: 500 }, (_, i) => {
    const client = sendSlowly(i);
    texts[i] = '';
    client.socket.on('data', (part: string) => (texts[i] += part));
    return client;
  });
  for (let times = 0; times < 40; times += 1) {
    expect((await service.client.get('/api/boards')).status).toBe(200);
    await sleep(20);
  }
  await untilClosed(promised(8000));
  for (const { stop } of clients) stop();
  for (const [i, text] of texts.entries()) {
    // A client that has sent nothing may get no response.
    if (i % STARTS.length === 0 && text === '') continue;
    expect(text).toMatch(/^HTTP\/1\.1 408 /);
    expect(text).toContain('"code":"request_timeout"');
  }
});

it('closes clients that send slowly and read nothing', async () => {
  const clients = Array.from({ length: 200 }, (_, i) => {
    const client = sendSlowly(i);
    client.socket.pause();
    return client;
  });
  while ((await openConnections()) < clients.length) await sleep(5);
  await untilClosed(promised(8000));
  for (const { stop } of clients) stop();
});

describe('an upload', () => {
  const IMPORT = 'POST /api/boards/Slow/import?format=csv HTTP/1.1\r\nHost: localhost\r\n';
  const HEADERS = 'Content-Type: text/csv\r\nContent-Length: 100000\r\n\r\n';

  /** Sends a file in pieces, and returns the response and the milliseconds until then. */
  async function upload(pieces: string[], everyMs: number): Promise<{ text: string; ms: number }> {
    const socket = connect({ port: Number(new URL(service.url).port) }).setEncoding('utf8');
    let text = '';
    socket.on('error', () => undefined).on('data', (part: string) => (text += part));
    const closed = new Promise((resolve) => socket.once('close', resolve));
    const start = performance.now();
    socket.write(IMPORT + HEADERS);
    const timer = setInterval(() => {
      const next = pieces.shift();
      if (next !== undefined) socket.write(next);
    }, everyMs);
    await closed;
    clearInterval(timer);
    return { text, ms: performance.now() - start };
  }

  it('that pauses for longer than other requests may take is answered with 408', async () => {
    const { text, ms } = await upload(['title\n', 'a\n'], 100);
    expect(text).toMatch(/^HTTP\/1\.1 408 /);
    expect(text).toContain('"code":"request_timeout"');
    expect(ms).toBeLessThan(2900);
  });

  it('that makes progress may take longer than other requests, but has a time limit', async () => {
    const { text, ms } = await upload(Array(1000).fill('title\n'), 200);
    expect(text).toMatch(/^HTTP\/1\.1 408 /);
    expect(ms).toBeGreaterThan(2500);
    expect((await service.client.get('/api/boards/Slow')).status).toBe(404);
  });
});
