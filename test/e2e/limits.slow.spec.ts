import { once } from 'node:events';
import type { Server, Socket } from 'node:net';
import { connect } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { Authenticator } from '../../src/auth/authenticator';
import { Upload } from '../../src/http/input/upload';
import type { TestApp } from '../support/app';
import { startApp } from '../support/app';
import { afterwards, promised } from '../support/faults';
import { insertRows, storyRow } from '../support/fill';
import { fingerprint } from '../support/fingerprint';
import { made2xx, Workspace } from '../support/make';
import { expectErrors, expectProblem } from '../support/problems';
import { send, sendBytes } from '../support/http';
import { onStatement } from '../support/statements';
import { upload } from '../support/upload';

const JSON_TYPE = { 'content-type': 'application/json' };

let service: TestApp | undefined;
const start = async (environment: Record<string, string>): Promise<TestApp> => {
  service = await startApp({ environment });
  return service;
};
afterEach(async () => {
  await service?.close();
  service = undefined;
});

describe('a setting limits', () => {
  it('the bytes of a body', async () => {
    const { client, url } = await start({ BODY_LIMIT: '2048' });
    const body = (bytes: number): string => JSON.stringify({ name: 'A' }).padEnd(bytes);
    const post = (raw: string, headers = {}) =>
      client.post('/api/boards', undefined, { raw, headers: { ...JSON_TYPE, ...headers } });
    expect((await post(body(2048))).status).toBe(201);
    expectProblem(await post(body(2049)), 413, 'content_too_large');
    const chunk = body(2049);
    const chunked = await sendBytes(
      url,
      'POST /api/boards HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n' +
        'Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n' +
        `${chunk.length.toString(16)}\r\n${chunk}\r\n0\r\n\r\n`,
    );
    expect(chunked.status).toBe(413);
    expect(JSON.parse(chunked.text)).toMatchObject({ code: 'content_too_large' });
  });

  it('the characters of a URL', async () => {
    const { url } = await start({ URL_LIMIT: '1024' });
    const ask = (length: number) => send(url + '/api/boards?x='.padEnd(length, 'x'));
    expect((await ask(1024)).status).toBe(400);
    for (const length of [1025, 30_000, 40_000]) {
      const answer = await ask(length);
      expect(answer.status).toBe(414);
      expect(JSON.parse(answer.text)).toMatchObject({ code: 'uri_too_long' });
    }
  });

  it('the bytes and the number of headers', async () => {
    const { url } = await start({ HEADER_LIMIT: '4096', HEADER_FIELDS: '50' });
    const ask = async (headers: Record<string, string>): Promise<number> =>
      (await send(`${url}/api/boards`, { headers })).status;
    expect(await ask({ 'x-long': 'x'.repeat(3000) })).toBe(200);
    expect(await ask({ 'x-long': 'x'.repeat(5000) })).toBe(431);
    const fields = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, i) => [`x-${i}`, '1']));
    expect(await ask(fields(45))).toBe(200);
    expect(await ask(fields(51))).toBe(431);
  });

  it('the length of X-Forwarded-For, whose addresses take time to read', async () => {
    const { url } = await start({ TRUST_PROXY: '127.0.0.1' });
    const ask = async (addresses: number): Promise<number> => {
      const headers = { 'x-forwarded-for': Array(addresses).fill('127.0.0.1').join(', ') };
      return (await send(`${url}/api/boards`, { headers })).status;
    };
    expect(await ask(50)).not.toBe(431);
    expect(await ask(100)).toBe(431);
  });

  it('the time in which a request arrives', async () => {
    const { url } = await start({ HEADERS_TIMEOUT_MS: '100', REQUEST_TIMEOUT_MS: '200' });
    for (const part of [
      'GET /api/boards HTTP/1.1\r\nHost: localhost\r\nX-Slow: ',
      'POST /api/boards HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\n{',
    ]) {
      const answer = await sendBytes(url, part);
      expect(answer.status).toBe(408);
      expect(JSON.parse(answer.text)).toMatchObject({ code: 'request_timeout' });
    }
  });

  /** Opens connections that send nothing, from 127.0.0.1. */
  const openIdle = (url: string, length: number): Promise<Socket[]> => {
    const open = () =>
      new Promise<Socket>((resolve) => {
        const socket = connect(Number(new URL(url).port), '127.0.0.1', () => resolve(socket));
        // Surplus ones are reset.
        socket.on('error', () => undefined);
        afterwards(() => socket.destroy());
      });
    return Promise.all(Array.from({ length }, open));
  };

  it('the number of connections', async () => {
    const { url } = await start({ MAX_CONNECTIONS: '3' });
    const sockets = await openIdle(url, 3);
    const answer = await send(`${url}/api/boards`);
    expect(answer.status).toBe(503);
    expect(JSON.parse(answer.text)).toMatchObject({ code: 'overloaded' });
    expect(answer.headers).toMatchObject({ connection: 'close', 'retry-after': '1' });
    expect((await send(`${url}/health/live`)).status).toBe(200);
    const closed = new Promise((resolve) => sockets[0]?.once('close', resolve));
    sockets[0]?.destroy();
    await closed;
    while ((await send(`${url}/api/boards`)).status === 503);
  });

  it('the number of connections of one address to 90 %, so that others can connect', async () => {
    const { url } = await start({ MAX_CONNECTIONS: '10' });
    const from = async (localAddress: string, path = '/api/boards'): Promise<number> =>
      (await send(url + path, { localAddress })).status;
    await openIdle(url, 9);
    expect([await from('127.0.0.1'), await from('127.0.0.2')]).toEqual([503, 200]);
    expect(await from('127.0.0.1', '/health/live')).toBe(200);
    const surplus = await openIdle(url, 101);
    while (!surplus.some(({ closed }) => closed)) await setImmediate();
    expect(await from('127.0.0.2')).toBe(200);
  });

  it('not the connections of a trusted proxy, which all clients share, to 90 %', async () => {
    const { url } = await start({ MAX_CONNECTIONS: '10', TRUST_PROXY: '10.0.0.0/8, 127.0.0.1' });
    await openIdle(url, 9);
    expect((await send(`${url}/api/boards`)).status).toBe(200);
  });
});

describe('a string of combining marks', () => {
  /** Returns combining marks of which normalization must swap each pair. */
  const marks = (count: number): string => '\u0301\u0316'.repeat(count / 2);

  it('is rejected quickly as a name that is too long', async () => {
    const { client } = await start({});
    const before = performance.now();
    expectErrors(
      await client.post('/api/boards', { name: `a${marks(500_000)}` }),
      '/name too_long',
    );
    expect(performance.now() - before).toBeLessThan(promised(1000));
    const composed = '\u1f82'.repeat(100);
    const made = await client.post('/api/boards', {
      name: ` ${' '.repeat(5000)}${composed.normalize('NFD')}\n`,
    });
    expect([made.status, made.body.name]).toEqual([201, composed]);
  });

  it('is valid as a description and can be searched', async () => {
    const { client } = await start({});
    const before = performance.now();
    for (let i = 0; i < 5; i += 1) {
      const description = `a${marks(32_766)} b`.slice(0, 32_767);
      await made2xx(client.post('/api/boards/Marks/backlog', { title: `${i}`, description }));
    }
    expect(performance.now() - before).toBeLessThan(promised(1000));
    const found = await client.get(
      `/api/boards/Marks/stories?q=${encodeURIComponent(`A${marks(90)}`)}`,
    );
    expect(found.body).toHaveLength(5);
  });
});

describe('a name that is repeated', () => {
  it('is rejected quickly in a form and in a query', async () => {
    const { client } = await start({});
    const before = performance.now();
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    for (const [count, error] of [
      [49_999, '/name duplicate'],
      [100_000, ' too_many'],
    ] as const) {
      const raw = 'name&'.repeat(count);
      expectErrors(await client.post('/api/boards', undefined, { raw, headers }), error);
    }
    const query = await client.get(`/api/boards?${'q&'.repeat(4000)}`, { undocumented: true });
    expectErrors(query, 'q unknown_field');
    expect(performance.now() - before).toBeLessThan(promised(1000));
  });
});

it('a batch on SQLite ends after DATABASE_DEADLINE_MS, because other changes wait for it', async () => {
  service = await startApp({ engine: 'sqlite', environment: { DATABASE_DEADLINE_MS: '1000' } });
  const { client } = service;
  const board = await Workspace.create(client);
  const { id } = await made2xx(client.get(board.path));
  const dates = { start_date: '2026-11-16', end_date: '2026-11-29' };
  const sprint = await board.sprint(dates.start_date, dates);
  await insertRows(service, 'stories', 1000, (i) => storyRow(id, i, { sprint_id: sprint.id }));
  const before = await fingerprint(client);
  // Each completion moves all stories to the next sprint.
  const operations = Array.from({ length: 400 }, (_, i) => [
    { op: 'create', type: 'sprint', as: `s${i}`, set: dates },
    {
      op: 'complete',
      type: 'sprint',
      id: i === 0 ? sprint.id : `$s${i - 1}`,
      set: { unfinished: `$s${i}` },
    },
  ]).flat();
  for (const rest of [{}, { dry_run: true }]) {
    const answer = await client.post(`${board.path}/batch`, { operations, ...rest });
    expectProblem(answer, 413, 'batch_too_large');
  }
  expect(await fingerprint(client)).toBe(before);
  await made2xx(client.post(`${board.path}/batch`, { operations: operations.slice(0, 4) }));
});

it('an Accept header with many quotes is answered quickly', async () => {
  const { url } = await start({});
  const before = performance.now();
  const accept = '"'.repeat(15_001) + ','.repeat(16_000);
  expect((await send(url, { headers: { accept } })).status).toBe(406);
  expect(performance.now() - before).toBeLessThan(promised(1000));
});

it('a body that is nested too deep is rejected with an Idempotency-Key, too', async () => {
  const { client } = await start({});
  const raw = `{"name":${'['.repeat(100_000)}${']'.repeat(100_000)}}`;
  const headers = { ...JSON_TYPE, 'idempotency-key': 'deep' };
  expectErrors(await client.post('/api/boards', undefined, { raw, headers }), ' too_deep');
});

describe('bodies that are arriving', () => {
  /** Begins a request, by default with a body of 1 MiB, and returns its connection and its response. */
  const begin = (url: string, token: string, rest = 'Content-Length: 1048576\r\n\r\n{') => {
    const socket = connect(Number(new URL(url).port)).setEncoding('utf8');
    const answered = new Promise<string>((resolve) => socket.once('data', resolve));
    socket.write(
      'POST /api/boards HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n' +
        `Authorization: Bearer ${token}\r\n${rest}`,
    );
    return { socket, answered };
  };

  it('have at most 128 MiB of one client', async () => {
    const { client, url } = await start({});
    const { token } = await made2xx(client.post('/api/tokens', { name: 'a', scope: 'admin' }));
    const admin = client.with({ authorization: `Bearer ${token}` });
    const other = await made2xx(admin.post('/api/tokens', { name: 'b', scope: 'write' }));
    const requests = Array.from({ length: 129 }, () => begin(url, other.token as string));
    try {
      const first = await Promise.race(requests.map(({ answered }) => answered));
      expect(first).toMatch(/^HTTP\/1\.1 503 [^]*"code":"overloaded"/);
      expect((await admin.post('/api/boards', { name: 'Mine' })).status).toBe(201);
    } finally {
      for (const { socket } of requests) socket.destroy();
    }
  });

  it('of unknown length count as they arrive', async () => {
    const { client, url } = await start({});
    const { token } = await made2xx(client.post('/api/tokens', { name: 'a', scope: 'admin' }));
    const admin = client.with({ authorization: `Bearer ${token}` });
    const chunked = 'Transfer-Encoding: chunked\r\n\r\n1\r\n{';
    const requests = Array.from({ length: 200 }, () => begin(url, token as string, chunked));
    try {
      await Promise.all(requests.map(({ socket }) => once(socket, 'connect')));
      // Served on a connection that was accepted after all of them.
      expect((await admin.get('/api/boards')).status).toBe(200);
      for (const [i, { socket }] of requests.entries()) {
        const rest = `"name":"B${i}"}`;
        socket.write(`\r\n${rest.length.toString(16)}\r\n${rest}\r\n0\r\n\r\n`);
      }
      for (const { answered } of requests) expect(await answered).toMatch(/^HTTP\/1\.1 201 /);
    } finally {
      for (const { socket } of requests) socket.destroy();
    }
  });

  it('of a request that reads no body may be cut off', async () => {
    const { app, client, url } = await start({});
    await made2xx(client.post('/api/boards', { name: 'A' }));
    const server = app.getHttpServer() as Server;
    const socket = connect(Number(new URL(url).port)).setEncoding('utf8');
    const [connection] = (await once(server, 'connection')) as [Socket];
    const closed = new Promise((resolve) => connection.once('close', resolve));
    socket.write(
      'GET /api/boards/A/stream HTTP/1.1\r\nHost: localhost\r\n' +
        'Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n',
    );
    const [response] = (await once(socket, 'data')) as [string];
    expect(response).toMatch(/^HTTP\/1\.1 200 /);
    socket.resetAndDestroy();
    await closed;
    expect((await client.get('/api/boards')).status).toBe(200);
  });

  it('do not count after they have arrived', async () => {
    const { client } = await start({});
    for (let i = 0; i < 130; i += 1) {
      const raw = JSON.stringify({ name: `B${i}` }).padEnd(1024 * 1024);
      const answer = await client.post('/api/boards', undefined, { raw, headers: JSON_TYPE });
      expect(answer.status).toBe(201);
    }
  });

  it('do not count if the connection is closed before they are read', async () => {
    const { app, client, url } = await start({});
    const { token } = await made2xx(client.post('/api/tokens', { name: 'a', scope: 'admin' }));
    const admin = client.with({ authorization: `Bearer ${token}` });
    const authenticator = app.get(Authenticator);
    const authenticate = authenticator.authenticate.bind(authenticator);
    const spy = jest.spyOn(authenticator, 'authenticate');
    for (let i = 0; i < 130; i += 1) {
      const asked = new Promise<void>((resolve) => {
        spy.mockImplementationOnce(async (request) => {
          const access = await authenticate(request);
          const closed = new Promise((done) => request.raw.socket.once('close', done));
          resolve();
          await closed;
          return access;
        });
      });
      const { socket } = begin(url, token as string);
      await asked;
      socket.destroy();
    }
    expect((await admin.post('/api/boards', { name: 'A' })).status).toBe(201);
  });

  it('without a token are short', async () => {
    const { client, url } = await start({});
    await made2xx(client.post('/api/tokens', { name: 'a', scope: 'admin' }));
    const raw = JSON.stringify({ token: 'x' }).padEnd(5000);
    const answer = await client.post('/api/session', undefined, { raw, headers: JSON_TYPE });
    expectProblem(answer, 413, 'content_too_large');
    const socket = connect(Number(new URL(url).port)).setEncoding('utf8');
    socket.write(
      'POST /health/missing HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000\r\n\r\n{',
    );
    const [missing] = (await once(socket, 'data')) as [string];
    socket.destroy();
    expect(missing).toMatch(/^HTTP\/1\.1 404 /);
  });
});

describe('imports', () => {
  it('of one client occupy at most half of the slots', async () => {
    const { client, url } = await start({});
    const make = (scope: string, from = client) =>
      made2xx(from.post('/api/tokens', { name: scope, scope }));
    const admin = await make('admin');
    const others = client.with({ authorization: `Bearer ${admin.token}` });
    const { token } = await make('write', others);
    const read = jest.spyOn(Upload.prototype, 'read');
    const uploads = Array.from({ length: 4 }, (_, i) => {
      const socket = connect(Number(new URL(url).port)).setEncoding('utf8');
      const answered = new Promise<string>((resolve) => socket.once('data', resolve));
      socket.write(
        `POST /api/boards/Slow-${i}/import HTTP/1.1\r\nHost: localhost\r\n` +
          `Authorization: Bearer ${token}\r\nContent-Type: text/csv\r\nContent-Length: 8\r\n\r\ntitle\n`,
      );
      return { socket, answered };
    });
    try {
      while (read.mock.calls.length < 2) await setImmediate();
      const answer = await upload(others, 'Fast', 'title\na\n');
      expect(answer.status).toBe(200);
      expect(read).toHaveBeenCalledTimes(3);
      // The other two uploads start when the first two end.
      for (const { socket } of uploads) socket.write('a\n');
      for (const { answered } of uploads) expect(await answered).toMatch(/^HTTP\/1\.1 200 /);
      expect(read).toHaveBeenCalledTimes(5);
    } finally {
      for (const { socket } of uploads) socket.destroy();
      read.mockRestore();
    }
  });
});

it('the reports of one client leave snapshots to others', async () => {
  const { client, url } = await start({});
  const [slow, other] = await Promise.all(
    ['Slow', 'Other'].map((name) =>
      made2xx(client.post(`/api/boards/${name}/sprints`, { start_date: '2026-11-02' })),
    ),
  );
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  let held = 0;
  const stop = onStatement({
    before: async ({ sql, parameters }) => {
      if (!sql.includes('DISTINCT entity_id') || parameters[0] !== slow?.id) return;
      held += 1;
      await released;
    },
  });
  const reports = Array.from({ length: 40 }, () => send(`${url}/api/sprints/${slow?.id}/report`));
  while (held < 10) await setImmediate();
  const { status } = await send(`${url}/api/sprints/${other?.id}/report`, {
    localAddress: '127.0.0.2',
  });
  expect([status, held]).toEqual([200, 10]);
  release();
  await Promise.all(reports);
  stop();
});

describe('the rate limit', () => {
  it('is off by default', async () => {
    const { client } = await start({});
    expect((await client.get('/api/boards')).headers.get('ratelimit')).toBeNull();
  });

  it('applies to each token, and to each address without one', async () => {
    const { client } = await start({ RATE_LIMIT: '4' });
    const make = (scope: string, from = client) =>
      made2xx(from.post('/api/tokens', { name: scope, scope }));
    const bearing = ({ token }: { token: string }) =>
      client.with({ authorization: `Bearer ${token}` });
    const admin = bearing(await make('admin'));
    const reader = bearing(await make('read', admin));

    for (const left of [3, 2, 1, 0]) {
      const answer = await reader.get('/api/boards');
      expect(answer.status).toBe(200);
      expect(answer.headers.get('ratelimit-policy')).toBe('"default";q=4;w=60');
      expect(answer.headers.get('ratelimit')).toMatch(new RegExp(`^"default";r=${left};t=\\d+$`));
    }
    const rejected = await reader.get('/api/boards');
    expectProblem(rejected, 429, 'too_many_requests');
    expect(Number(rejected.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(rejected.headers.get('ratelimit')).toMatch(/^"default";r=0;t=/);
    expect((await admin.get('/api/boards')).status).toBe(200);
    expect((await client.get('/health/ready')).status).toBe(200);

    // Requests with a wrong token count for their address; the creation of the first token counted, too.
    const guesses = [];
    for (let i = 0; i < 5; i += 1) guesses.push((await client.get('/api/boards')).status);
    expect(guesses).toEqual([401, 401, 401, 429, 429]);
  });

  it('counts requests that are forbidden for their token or their origin', async () => {
    const { client } = await start({ RATE_LIMIT: '3' });
    const evil = { headers: { origin: 'https://evil.example' } };
    const writes = [];
    for (let i = 0; i < 2; i += 1) {
      writes.push((await client.post('/api/boards/Mine/backlog', { title: 'x' }, evil)).status);
    }
    // The third request of this address creates a token for one board only.
    const admin = { name: 'admin', scope: 'admin' };
    const { token } = await made2xx(client.post('/api/tokens', admin));
    const bearing = (secret: string) => client.with({ authorization: `Bearer ${secret}` });
    const limited = await made2xx(
      bearing(token).post('/api/tokens', { name: 'reader', scope: 'read', boards: ['Mine'] }),
    );
    expect(writes).toEqual([403, 403]);
    expectProblem(await client.get('/api/boards'), 429, 'too_many_requests');

    const reader = bearing(limited.token);
    const answers = [
      await reader.get('/api/boards/Hers'),
      await reader.post('/api/boards/Mine/backlog', { title: 'x' }),
      await reader.get('/api/boards'),
      await reader.get('/api/boards/Hers'),
    ];
    expect(answers.map(({ status }) => status)).toEqual([404, 403, 200, 429]);
    expect(answers.map(({ headers }) => headers.get('ratelimit')?.slice(0, 13))).toEqual(
      [2, 1, 0, 0].map((left) => `"default";r=${left}`),
    );
  });

  it('does not count responses with 304', async () => {
    const { client } = await start({ RATE_LIMIT: '2' });
    const { headers } = await client.get('/api/boards');
    for (let i = 0; i < 5; i += 1) {
      const again = await client.get('/api/boards', {
        headers: { 'if-none-match': headers.get('etag') ?? '' },
      });
      expect(again.status).toBe(304);
      expect(again.headers.get('ratelimit')).toMatch(/^"default";r=1;/);
    }
  });

  it('uses X-Forwarded-For from trusted proxies only', async () => {
    const from = (url: string, address: string) =>
      send(`${url}/api/boards`, { headers: { 'x-forwarded-for': address } });
    const trustingProxy = await start({ AUTH: 'off', RATE_LIMIT: '1', TRUST_PROXY: '127.0.0.1' });
    for (const address of ['192.0.2.1', '192.0.2.2', '2001:db8::1', '2001:db8:0:1::1']) {
      expect((await from(trustingProxy.url, address)).status).toBe(200);
    }
    for (const address of ['192.0.2.1', '2001:db8::2']) {
      expect((await from(trustingProxy.url, address)).status).toBe(429);
    }
    await trustingProxy.close();
    const trustingNone = await start({ AUTH: 'off', RATE_LIMIT: '1' });
    expect((await from(trustingNone.url, '192.0.2.1')).status).toBe(200);
    expect((await from(trustingNone.url, '192.0.2.2')).status).toBe(429);
  });
});

it('at most 16 requests wait behind another one of their connection', async () => {
  const { url } = await start({});
  const request = 'GET /api/boards HTTP/1.1\r\nHost: localhost\r\n';
  const requests = `${request}\r\n`.repeat(19) + `${request}Connection: close\r\n\r\n`;
  const { status, text } = await sendBytes(url, requests);
  const rest = [...text.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, code]) => Number(code));
  expect([status, ...rest]).toEqual([...Array<number>(17).fill(200), 503, 503, 503]);
  expect((await send(`${url}/api/boards`)).status).toBe(200);
});
