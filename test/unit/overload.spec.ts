import Fastify from 'fastify';
import { Agent } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { LimitedSnapshots } from '../../src/database/limited-snapshots';
import { Slots, SlotsOfClients } from '../../src/database/slots';
import { acceptFirst } from '../../src/http/limits/connections';
import { limitLoad } from '../../src/http/limits/overload';
import { Problem } from '../../src/http/problem';
import { sendProblem } from '../../src/http/problem.filter';
import { send } from '../support/http';

/** Number of clients that send without a pause, and of clients that connect in the meantime. */
const CLIENTS = 60;
/** Number of responses after which the clients stop. */
const MOST = 100 * CLIENTS;

it('accepts new connections before it reads further requests of open ones', async () => {
  const server = Fastify();
  acceptFirst(server);
  server.get('/', () => {
    for (const end = performance.now() + 0.5; performance.now() < end;);
    return '';
  });
  await server.listen({ port: 0, host: '127.0.0.1', backlog: 4096 });
  const url = `http://127.0.0.1:${(server.server.address() as AddressInfo).port}/`;
  const agents = [1, 2].map(() => new Agent({ keepAlive: true, maxSockets: CLIENTS }));
  const call = (agent?: Agent): Promise<unknown> => send(url, { method: 'GET', agent });
  let answered = 0;
  let stopping = false;
  const running = Array.from({ length: CLIENTS }, async () => {
    for (; !stopping && answered < MOST; answered += 1) await call(agents[0]);
  });
  while (answered < 10 * CLIENTS) await setImmediate();

  const before = answered;
  await Promise.all(Array.from({ length: CLIENTS }, () => call(agents[1])));
  // If each turn of the event loop accepted one connection, each client could send up to CLIENTS requests.
  expect((answered - before) / CLIENTS).toBeLessThan(CLIENTS / 6);

  stopping = true;
  await Promise.all(running);
  for (const agent of agents) agent.destroy();
  await server.close();
});

it('rejects a request at once if it would probably wait too long for a slot', async () => {
  const slots = new Slots(1, 10, 20);
  const work = async (): Promise<void> => {
    const release = await slots.acquire();
    const end = performance.now() + 300;
    while (performance.now() < end) await setImmediate();
    release();
  };
  await work();
  const running = work();
  await expect(slots.acquire()).rejects.toMatchObject({ code: 'overloaded' });
  expect(slots.used).toBe(1);
  await running;
  (await slots.acquire())();
});

it('measures how long a slot is used until it is released first, even if it is released again', async () => {
  const slots = new Slots(1, 1, 20);
  const releaseAgain = await slots.acquire();
  releaseAgain();
  const end = performance.now() + 300;
  while (performance.now() < end) await setImmediate();
  releaseAgain();
  const release = await slots.acquire();
  const waiting = slots.acquire();
  release();
  (await waiting)();
});

it('rejects a request at once if as many as allowed wait for a slot', async () => {
  const slots = new Slots(1, 1, 10_000);
  const release = await slots.acquire();
  const second = slots.acquire();
  const rejected = expect(slots.acquire()).rejects.toMatchObject({ code: 'overloaded' });
  release();
  (await second)();
  await rejected;
});

it('ends the wait for a slot at once when it is aborted, and the next request gets the slot', async () => {
  const slots = new Slots(1, 1, 10_000);
  const release = await slots.acquire();
  const connection = new AbortController();
  const ended = expect(slots.acquire(connection.signal)).rejects.toMatchObject({
    name: 'AbortError',
  });
  connection.abort();
  await ended;
  const next = slots.acquire();
  await expect(slots.acquire(connection.signal)).rejects.toMatchObject({ name: 'AbortError' });
  release();
  (await next)();
  expect(slots.used).toBe(0);
});

it('gives a slot at once to the first that still waits, however many have left the queue', async () => {
  const slots = new Slots(1, 1, 10_000);
  const release = await slots.acquire();
  for (let i = 0; i < 1000; i += 1) {
    const connection = new AbortController();
    const ended = slots.acquire(connection.signal).catch(() => undefined);
    connection.abort();
    await ended;
  }
  let isAcquired = false;
  const next = slots.acquire().finally(() => (isAcquired = true));
  release();
  // Each one that is still in the queue would take the slot and release it.
  for (let i = 0; i < 100 && !isAcquired; i += 1) await Promise.resolve();
  expect(isAcquired).toBe(true);
  (await next)();
});

it('counts the slots of a client, even if one of them is released again', async () => {
  const slots = new SlotsOfClients(() => new Slots(1, 0, 20));
  const release = await slots.acquire('ada');
  release();
  const releaseNext = await slots.acquire('ada');
  release();
  await expect(slots.acquire('ada')).rejects.toMatchObject({ code: 'overloaded' });
  releaseNext();
  (await slots.acquire('ada'))();
});

it('counts no snapshot that could not be opened or is closed', async () => {
  let isAway = true;
  const snapshots = new LimitedSnapshots(() =>
    isAway
      ? Promise.reject(new Error('away'))
      : Promise.resolve({ query: () => Promise.resolve([]), close: () => Promise.resolve() }),
  );
  // More than the limits.
  for (let i = 0; i < 25; i += 1) {
    await expect(snapshots.open({ key: 'ada' }, 'list')).rejects.toThrow('away');
  }
  isAway = false;
  for (let i = 0; i < 25; i += 1) await (await snapshots.open({ key: 'ada' }, 'list')).close();
  expect(snapshots.count).toBe(0);
});

it('limits the requests of one network, so that others are served', async () => {
  const server = Fastify();
  limitLoad(server);
  const waiting: (() => void)[] = [];
  server.route({
    method: ['GET', 'POST'],
    url: '/',
    handler: () => new Promise((resolve) => waiting.push(() => resolve('done'))),
  });
  const send = async (count: number, method: 'GET' | 'POST', network: string) => {
    const before = waiting.length;
    const sent = Array.from({ length: count }, (_, i) =>
      server.inject({ method, url: '/', remoteAddress: `${network}::${1 + (i % 9)}` }),
    );
    const rejected = sent.map(async (one) => (await one).statusCode === 503);
    return { accepted: () => waiting.length - before, rejected };
  };
  const all: Promise<boolean>[] = [];
  for (const [method, most, left] of [
    ['GET', 90, 10],
    ['POST', 304, 16],
  ] as const) {
    for (const [network, expected] of [
      ['2001:db8:0:1', most],
      ['2001:db8:0:2', left],
    ] as const) {
      const { accepted, rejected } = await send(most + 5, method, network);
      while (accepted() < expected) await setImmediate();
      all.push(...rejected);
      await Promise.race(rejected);
      expect([method, network, accepted()]).toEqual([method, network, expected]);
    }
  }
  for (const answer of waiting) answer();
  const rejections = (await Promise.all(all)).filter(Boolean);
  expect(rejections).toHaveLength(all.length - 100 - 320);
  await server.close();
});

it('starts few changes of a burst before the requests of other clients', async () => {
  const server = Fastify();
  // Does what the authentication does.
  server.addHook('onRequest', async (request) => {
    const tokenId = Number(request.headers.authorization ?? 0);
    request.access = { actor: 'ada', tokenId, scope: 'write' };
  });
  limitLoad(server);
  const handled: string[] = [];
  server.route<{ Params: { name: string } }>({
    method: ['GET', 'POST'],
    url: '/:name',
    handler: ({ params: { name } }) => {
      handled.push(name);
      for (const end = performance.now() + 1; performance.now() < end;);
      return '';
    },
  });
  const send = (
    method: 'GET' | 'POST',
    url: string,
    remoteAddress: string,
    authorization?: string,
  ): Promise<unknown> =>
    server.inject({
      method,
      url,
      remoteAddress,
      headers: authorization === undefined ? {} : { authorization },
    });
  await server.ready();
  const burst = Array.from({ length: 300 }, () => send('POST', '/burst', '10.0.0.1'));
  while (handled.length === 0) await setImmediate();
  await Promise.all([
    send('POST', '/change', '10.0.0.2'),
    // A different token from the same address.
    send('POST', '/change', '10.0.0.1', '7'),
    send('GET', '/read', '10.0.0.3'),
  ]);
  // Each change takes 1 ms, and requests of others start after 10 ms.
  expect(handled.length).toBeLessThan(100);
  await Promise.all(burst);
  expect(handled).toHaveLength(303);
  await server.close();
});

it('rejects a read before it is handled if the same read has just found no slot', async () => {
  const server = Fastify();
  limitLoad(server);
  let handled = 0;
  server.route({
    method: ['GET', 'POST'],
    url: '/*',
    handler: (request, reply) => {
      handled += 1;
      sendProblem(request, reply, new Problem('overloaded'));
    },
  });
  const call = async (
    url: string,
    token: string,
    method: 'GET' | 'POST' = 'GET',
  ): Promise<boolean> => {
    const before = handled;
    const answer = await server.inject({ method, url, headers: { authorization: token } });
    expect(answer.statusCode).toBe(503);
    expect(answer.json()).toMatchObject({ code: 'overloaded' });
    return handled > before;
  };
  const first = call('/list?q=a', 'ada');
  while (handled === 0) await setImmediate();
  expect(await call('/list?q=a', 'ada')).toBe(false);
  expect(await first).toBe(true);
  // A client that sends the request again after its rejection is not handled either.
  while (await call('/list?q=c', 'ada'));
  expect(await call('/list?q=b', 'ada')).toBe(true);
  expect(await call('/list?q=a', 'bob')).toBe(true);
  expect(await call('/list?q=a', 'ada', 'POST')).toBe(true);
  expect(await call('/list?q=a', 'ada', 'POST')).toBe(true);
  // After a time the read is handled again.
  while (!(await call('/list?q=a', 'ada'))) await setImmediate();
  await server.close();
});
