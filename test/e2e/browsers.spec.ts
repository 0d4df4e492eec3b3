import type { TestApp } from '../support/app';
import { startApp } from '../support/app';
import { afterwards } from '../support/faults';
import { send, sendBytes } from '../support/http';

const SPRINT = JSON.stringify({ start_date: '2026-11-23' });
const JSON_TYPE = { 'content-type': 'application/json' };

let service: TestApp;
beforeAll(async () => {
  service = await startApp({
    environment: {
      ALLOWED_HOSTS: 'planner.example.org, 10.1.2.3, fd00::7',
      CORS_ORIGINS: 'https://app.example.org',
    },
  });
});
afterAll(() => service.close());

/** Posts a sprint as a web page would. */
const write = (headers: Record<string, string>, board = 'Written') =>
  send(`${service.url}/api/boards/${board}/sprints`, {
    method: 'POST',
    headers: { ...JSON_TYPE, ...headers },
    body: SPRINT,
  });

describe('a foreign host name', () => {
  it.each([
    'evil.example',
    'evil.example:3000',
    'localhost.evil.example',
    '127.0.0.1.evil.example',
  ])('is rejected with 421: %s', async (host) => {
    const answer = await send(`${service.url}/api/boards`, { headers: { host } });
    expect(answer.status).toBe(421);
    expect(JSON.parse(answer.text)).toMatchObject({ code: 'misdirected_request' });
    expect((await write({ host })).status).toBe(421);
  });

  it.each([
    'localhost',
    'LOCALHOST:3000',
    '127.0.0.1:1',
    '[::1]',
    '[::1]:3000',
    'planner.example.org:8443',
    '10.1.2.3',
    '[fd00::7]:3000',
  ])('is not %s', async (host) => {
    expect((await send(`${service.url}/api/boards`, { headers: { host } })).status).toBe(200);
  });

  it('is accepted for /health, which balancers call by address', async () => {
    const host = '10.9.8.7:3000';
    expect((await send(`${service.url}/health/ready`, { headers: { host } })).status).toBe(200);
    expect((await send(`${service.url}/metrics`, { headers: { host } })).status).toBe(421);
  });

  it('is rejected even if other machines can reach the service, if ALLOWED_HOSTS is set', async () => {
    const ALLOWED_HOSTS = 'planner.example.org';
    const open = await startApp({ environment: { HOST: '0.0.0.0', ALLOWED_HOSTS } });
    const statusFor = async (host: string): Promise<number> =>
      (await send(`${open.url}/api/boards`, { headers: { host } })).status;
    const statuses = [await statusFor('evil.example'), await statusFor(ALLOWED_HOSTS)];
    await open.close();
    expect(statuses).toEqual([421, 401]);
  });

  it.each([
    ['192.0.2.7', '192.0.2.7:3000'],
    ['2001:DB8:0::7', '[2001:db8::7]:3000'],
  ])('is accepted if it is the address of HOST=%s', async (HOST, host) => {
    const open = await startApp({ environment: { HOST, AUTH: 'off' } });
    afterwards(() => open.close());
    const statusFor = async (name: string): Promise<number> =>
      (await send(`${open.url}/api/boards`, { headers: { host: name } })).status;
    expect([await statusFor(host), await statusFor('192.0.2.8')]).toEqual([200, 421]);
  });

  it.each(['', '127.0.0.1'])(
    'is not read from X-Forwarded-Host, with TRUST_PROXY=%s',
    async (TRUST_PROXY) => {
      const environment = { AUTH: 'off', ALLOWED_HOSTS: 'planner.example.org', TRUST_PROXY };
      const open = await startApp({ environment });
      afterwards(() => open.close());
      const statusOf = async (host: string, forwarded: string, rest = {}): Promise<number> => {
        const headers = { ...JSON_TYPE, host, 'x-forwarded-host': forwarded, ...rest };
        const options = { method: 'POST', headers, body: '{"name":"Forwarded"}' };
        return (await send(`${open.url}/api/boards`, options)).status;
      };
      expect(await statusOf('evil.example', 'planner.example.org')).toBe(421);
      // A browser without `Sec-Fetch-Site` only shows the origin of a page.
      const page = { origin: 'http://evil.example' };
      expect(await statusOf('planner.example.org', 'evil.example', page)).toBe(403);
      expect(await statusOf('planner.example.org', 'evil.example')).toBe(201);
      const bytes =
        'GET /api/boards HTTP/1.1\r\nConnection: close\r\nX-Forwarded-Host: localhost\r\n';
      for (const host of ['', 'Host:\r\n']) {
        expect((await sendBytes(open.url, `${bytes}${host}\r\n`)).status).toBe(400);
      }
    },
  );

  it('is that of the request target, if it has one', async () => {
    const get = (target: string, host: string) =>
      sendBytes(
        service.url,
        `GET ${target} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`,
      );
    for (const target of [
      'http://evil.example/api/boards',
      'HTTP://evil.example:3000/api/boards',
      'http://localhost@evil.example/api/boards',
      'http://evil.example',
    ]) {
      const answer = await get(target, 'localhost');
      expect([target, answer.status]).toEqual([target, 421]);
    }
    const missing = await get('http://localhost:3000/api/boards/Missing?x=1', 'evil.example');
    expect([missing.status, JSON.parse(missing.text).instance]).toEqual([
      404,
      '/api/boards/Missing',
    ]);
    expect((await get('http://localhost/api/boards', 'localhost')).status).toBe(200);
    expect((await get('https://10.9.8.7/health/ready', 'localhost')).status).toBe(200);
  });

  it('may be missing in HTTP/1.0', async () => {
    for (const [target, status] of [
      ['/api/boards', 200],
      ['http://localhost/api/boards', 200],
      ['http://evil.example/api/boards', 421],
    ] as const) {
      const answer = await sendBytes(service.url, `GET ${target} HTTP/1.0\r\n\r\n`);
      expect([target, answer.status]).toEqual([target, status]);
    }
  });

  it('is rejected, as is a missing Host header', async () => {
    for (const target of ['/api/boards', 'http://localhost/api/boards']) {
      const answer = await sendBytes(
        service.url,
        `GET ${target} HTTP/1.1\r\nConnection: close\r\n\r\n`,
      );
      expect(answer.status).toBe(400);
      expect(JSON.parse(answer.text)).toMatchObject({ code: 'bad_request' });
    }
  });
});

describe('a write from a web page', () => {
  it.each<[string, Record<string, string>]>([
    ['another site', { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }],
    ['another port of this machine', { 'sec-fetch-site': 'same-site' }],
    ['another site, in an old browser', { origin: 'https://evil.example' }],
    ['a sandboxed frame', { origin: 'null' }],
    ['another port, in an old browser', { origin: 'http://127.0.0.1:1' }],
  ])('of %s is rejected with 403, and changes nothing', async (_, headers) => {
    const answer = await write(headers, 'Attacked');
    expect(answer.status).toBe(403);
    expect(JSON.parse(answer.text)).toMatchObject({ code: 'cross_site_request' });
    expect((await service.client.get('/api/boards/Attacked')).status).toBe(404);
  });

  it('that is a form, which needs no preflight, is rejected too', async () => {
    const answer = await send(`${service.url}/api/boards/Attacked/sprints`, {
      method: 'POST',
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        'sec-fetch-site': 'cross-site',
        'sec-fetch-mode': 'navigate',
      },
      body: 'start_date=2026-11-23',
    });
    expect(answer.status).toBe(403);
  });

  it('of the same origin is accepted', async () => {
    const { host } = new URL(service.url);
    expect((await write({ 'sec-fetch-site': 'same-origin' })).status).toBe(201);
    expect((await write({ 'sec-fetch-site': 'none' })).status).toBe(201);
    expect((await write({ origin: `http://${host}` })).status).toBe(201);
  });

  it('by a program, without an origin, is accepted', async () => {
    expect((await write({})).status).toBe(201);
  });
});

describe('CORS', () => {
  const preflight = (origin: string) =>
    send(`${service.url}/api/stories/1`, {
      method: 'OPTIONS',
      headers: { origin, 'access-control-request-method': 'PUT' },
    });

  it('is on for the listed origins', async () => {
    const origin = 'https://app.example.org';
    const allowed = await preflight(origin);
    expect(allowed.status).toBe(204);
    expect(allowed.headers).toMatchObject({
      'access-control-allow-origin': origin,
      'access-control-allow-methods': 'DELETE, GET, HEAD, OPTIONS, PATCH, PUT',
      vary: 'Origin',
    });
    const list = (names = ''): string[] => names.toLowerCase().split(/, */).sort();
    expect(list(allowed.headers['access-control-allow-headers'])).toEqual([
      ...['authorization', 'content-type', 'idempotency-key', 'if-match', 'if-none-match'],
      // A stream is resumed with the first.
      ...['last-event-id', 'x-request-id'],
    ]);
    const answer = await write({ origin, 'sec-fetch-site': 'cross-site' });
    expect(answer.status).toBe(201);
    expect(answer.headers['access-control-allow-origin']).toBe(origin);
    expect(list(answer.headers['access-control-expose-headers'])).toEqual([
      ...['etag', 'idempotent-replayed', 'link', 'location', 'ratelimit', 'ratelimit-policy'],
      ...['retry-after', 'www-authenticate', 'x-board-revision', 'x-request-id', 'x-total-count'],
    ]);
    // A page has a token of its own, not the cookie of a session.
    for (const { headers } of [allowed, answer]) {
      expect(headers).not.toHaveProperty('access-control-allow-credentials');
    }
  });

  it('does not answer OPTIONS that is no preflight', async () => {
    const options = (path: string, headers = {}) =>
      send(service.url + path, { method: 'OPTIONS', headers });
    const plain = await options('/api/boards');
    expect([plain.status, plain.headers.allow]).toEqual([204, 'GET, HEAD, OPTIONS, POST']);
    expect((await options('/api/nope')).status).toBe(404);
    expect((await options('/api/boards', { host: 'evil.example' })).status).toBe(421);
  });

  it('is off for all other origins', async () => {
    const rejected = await preflight('https://evil.example');
    expect(rejected.headers).not.toHaveProperty('access-control-allow-origin');
    const read = await send(`${service.url}/api/boards`, {
      headers: { origin: 'https://evil.example' },
    });
    expect(read.headers).not.toHaveProperty('access-control-allow-origin');
  });

  it('is off by default', async () => {
    const plain = await startApp();
    const read = await send(`${plain.url}/api/boards`, {
      headers: { origin: 'https://app.example.org' },
    });
    await plain.close();
    expect(Object.keys(read.headers).filter((name) => name.startsWith('access-control'))).toEqual(
      [],
    );
  });
});

describe('security headers', () => {
  const get = (path: string, headers?: Record<string, string>) => () =>
    send(service.url + path, { headers });
  const bytes = (text: string) => () => sendBytes(service.url, text);

  it.each([
    ['200', 200, get('/api/boards')],
    ['a page', 200, get('/docs')],
    ['a script', 200, get('/docs/swagger-ui-bundle.js')],
    ['the document', 200, get('/openapi.json')],
    ['the metrics', 200, get('/metrics')],
    ['a redirection', 302, get('/', { accept: 'application/json' })],
    ['204', 204, () => send(`${service.url}/api/boards`, { method: 'OPTIONS' })],
    ['404 of a resource', 404, get('/api/stories/999999')],
    ['404 of a route', 404, get('/nowhere')],
    ['405', 405, () => send(`${service.url}/api/boards`, { method: 'DELETE' })],
    ['400 of the router', 400, get('/api/boards/%zz')],
    ['400 of the parser', 400, bytes('NONSENSE\r\n\r\n')],
    ['413', 413, () => write({ 'content-length': String(5 * 1024 * 1024), connection: 'close' })],
    ['414', 414, get(`/api/boards/${'x'.repeat(9000)}`)],
    ['415', 415, () => write({ 'content-type': 'text/plain' })],
    ['421', 421, get('/api/boards', { host: 'evil.example' })],
    ['431', 431, get('/api/boards', { 'x-long': 'x'.repeat(40_000) })],
  ])('are on every response: %s', async (_, status, call) => {
    const answer = await call();
    expect(answer.status).toBe(status);
    expect(answer.headers).toMatchObject({
      'content-security-policy': expect.stringMatching(
        /^default-src 'none';.*frame-ancestors 'none'$/,
      ) as string,
      'cross-origin-resource-policy': 'same-origin',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
    });
    expect(answer.headers['content-security-policy']).not.toContain('unsafe');
    expect(answer.headers).not.toHaveProperty('server');
    expect(answer.headers).not.toHaveProperty('x-powered-by');
    if (status >= 400) {
      expect(answer.headers['content-type']).toMatch(/^application\/problem\+json/);
      expect(JSON.parse(answer.text)).toMatchObject({ status });
    }
  });

  it('are on 304, too', async () => {
    const { headers } = await send(`${service.url}/api/boards`);
    const answer = await send(`${service.url}/api/boards`, {
      headers: { 'if-none-match': headers.etag ?? '' },
    });
    expect(answer.status).toBe(304);
    expect(answer.headers['x-content-type-options']).toBe('nosniff');
  });
});

it('no cache gives a response of the API to another client', async () => {
  expect((await write({}, 'Node.js')).status).toBe(201);
  const etag = (await send(`${service.url}/api/boards/Node.js`)).headers.etag ?? '';
  for (const [path, headers] of [
    ['/api/boards/Node.js', {}],
    ['/api/boards/Node.js', { 'if-none-match': etag }],
    ['/api/boards/missing.css', {}],
    ['/metrics', {}],
  ] as const) {
    const answer = await send(service.url + path, { headers });
    expect(answer.headers['cache-control']).toBe('private, no-cache');
  }
});

it('the documentation page has no inline script or style, so that its policy allows all of it', async () => {
  const { text } = await send(`${service.url}/docs`);
  expect(text).not.toMatch(/<style|\sstyle=|\son\w+=|<script>/);
  const wanted = [...text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path]) => path as string);
  expect(wanted.length).toBeGreaterThan(3);
  for (const path of wanted) {
    expect((await send(service.url + path)).status).toBe(200);
  }
});
