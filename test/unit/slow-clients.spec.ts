import type { Socket } from 'node:net';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { TestApp } from '../support/app';
import { startApp } from '../support/app';

let service: TestApp;
beforeAll(async () => {
  service = await startApp({ engine: 'sqlite' });
});
afterAll(() => service.close());

/** A connection that sends a byte now and then, and how it came to its end. */
function drip(port: number, start: string): Promise<{ seconds: number; text: string }> {
  return new Promise((resolve) => {
    const began = performance.now();
    const socket: Socket = connect(port, '127.0.0.1');
    let text = '';
    socket.setEncoding('utf8');
    socket.on('data', (part: string) => (text += part));
    socket.on('error', () => undefined);
    socket.write(start);
    const timer = setInterval(() => start !== '' && socket.write('x'), 500);
    socket.on('close', () => {
      clearInterval(timer);
      resolve({ seconds: (performance.now() - began) / 1000, text });
    });
  });
}

it('500 clients that drip are all turned out within 15 s, while others are served', async () => {
  const port = Number(new URL(service.url).port);
  const head = 'POST /api/boards/Slow/sprints HTTP/1.1\r\nHost: localhost\r\n';
  const starts = [
    '',
    'GET /api/boards HTTP/1.1\r\nHost: localhost\r\nX-Slow: ',
    `${head}Content-Type: application/json\r\nContent-Length: 100000\r\n\r\n{`,
    `${head}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n40000\r\n`,
  ];
  const dripping = Promise.all(
    Array.from({ length: 500 }, (_, i) => drip(port, starts[i % starts.length] ?? '')),
  );
  let over = false;
  void dripping.then(() => (over = true));
  const waits: number[] = [];
  while (!over) {
    const began = performance.now();
    expect((await service.client.get('/api/boards')).status).toBe(200);
    waits.push(performance.now() - began);
    await sleep(20);
  }
  const ends = await dripping;
  expect(Math.max(...ends.map(({ seconds }) => seconds))).toBeLessThan(15);
  for (const [i, { text }] of ends.entries()) {
    // Whoever has said nothing is told nothing.
    if (i % starts.length === 0 && text === '') continue;
    expect(text).toMatch(/^HTTP\/1\.1 408 /);
    expect(text).toContain('"code":"request_timeout"');
  }
  expect(waits.length).toBeGreaterThan(20);
  expect(Math.max(...waits)).toBeLessThan(2000);
});
