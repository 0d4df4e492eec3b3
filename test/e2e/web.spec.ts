import { once } from 'node:events';
import type { ReadStream } from 'node:fs';
import fs, { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import type { TestApp } from '../support/app';
import { startApp } from '../support/app';
import { send } from '../support/http';

const PAGE = '<!doctype html><script type="module" src="/assets/main-ABC123.js"></script>';
const SCRIPT = 'console.log("the board");\n'.repeat(100);

const log: string[] = [];
let folder: string;
let service: TestApp;
let token: Record<string, string>;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sprintline-web-'));
  mkdirSync(join(folder, 'assets'));
  writeFileSync(join(folder, 'index.html'), PAGE);
  writeFileSync(join(folder, 'service-worker.js'), SCRIPT);
  writeFileSync(join(folder, 'favicon.svg'), '<svg xmlns="http://www.w3.org/2000/svg"/>');
  const script = join(folder, 'assets/main-ABC123.js');
  writeFileSync(script, SCRIPT);
  writeFileSync(`${script}.br`, brotliCompressSync(SCRIPT));
  writeFileSync(`${script}.gz`, gzipSync(SCRIPT));
  service = await startApp({ web: folder, log, environment: { LOG_LEVEL: 'error' } });
  const made = await service.client.post('/api/tokens', { name: 'Root', scope: 'admin' });
  token = { authorization: `Bearer ${made.body.token}` };
});
afterAll(async () => {
  await service.close();
  rmSync(folder, { recursive: true });
});

const get = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  send(service.url + path, { headers, method });

describe('the board in the browser', () => {
  it.each([
    '/',
    '/tokens',
    '/import',
    '/b/Team%20Rocket',
    '/b/Team%20Rocket/',
    '/b/%E2%9C%93%2F%3F?sprint=current',
    '/b/x/backlog',
    '/b/x/reports',
    '/b/x/settings',
    '/b/x/import',
    '/b/x/stories/7',
    '/b/x/backlog/stories/7',
    '/b/x/reports/stories/7',
    '/b/x/settings/stories/7',
  ])('has the page at %s, without a token', async (path) => {
    const answer = await get(path, { accept: 'text/html,*/*;q=0.8' });
    expect([answer.status, answer.text]).toEqual([200, PAGE]);
    expect(answer.headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-cache',
      'content-security-policy':
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; " +
        "connect-src 'self'; font-src 'self'; manifest-src 'self'; form-action 'self'; " +
        "base-uri 'none'; frame-ancestors 'none'",
      'x-content-type-options': 'nosniff',
    });
    const head = await get(path, { accept: '*/*' }, 'HEAD');
    expect([head.status, head.text]).toEqual([200, '']);
    expect(head.headers['content-length']).toBe(String(PAGE.length));
    const again = await get(path, { 'if-none-match': answer.headers.etag ?? '' });
    expect(again.status).toBe(304);
    expect(again.headers['cache-control']).toBe('no-cache');
  });

  it.each(['/b', '/b/x/nowhere', '/b/x/backlog/7', '/index.html', '/assets', '/assets/', '/x.js'])(
    'has nothing at %s',
    async (path) => {
      expect((await get(path)).status).toBe(401);
      expect((await get(path, token)).status).toBe(404);
    },
  );

  it.each(['/b', '/b/x/nowhere', '/board', '/x.js'])(
    'serves the page with 404 to a browser at %s',
    async (path) => {
      const answer = await get(path, { accept: 'text/html,*/*;q=0.8' });
      expect([answer.status, answer.text]).toEqual([404, PAGE]);
      expect(answer.headers).toMatchObject({
        'content-type': 'text/html; charset=utf-8',
        'content-security-policy': expect.stringContaining("default-src 'none'"),
      });
      const { etag = '' } = (await get('/', { accept: 'text/html' })).headers;
      const again = await get(path, { accept: 'text/html', 'if-none-match': etag });
      expect([again.status, again.text]).toEqual([404, PAGE]);
    },
  );

  it.each([
    ['/b/%E0%A4%A', '/b/%25E0%25A4%25A', 200],
    ['/%', '/%25', 404],
    ['//attacker.example/%?q=%', '/attacker.example/%25', 404],
  ])('shows its page to a browser at %s, which is malformed', async (path, next, status) => {
    const accept = 'text/html,*/*;q=0.8';
    const answer = await get(path, { accept });
    expect([answer.status, answer.headers.location]).toEqual([302, next]);
    expect((await get(next, { accept })).status).toBe(status);
  });

  it.each([
    ['/b/%E0%A4%A', '*/*'],
    ['/api/boards/%E0%A4%A', 'text/html,*/*;q=0.8'],
  ])('rejects the malformed path %s of a program or of the API', async (path, accept) => {
    const answer = await get(path, { ...token, accept });
    expect([answer.status, JSON.parse(answer.text).code]).toEqual([400, 'bad_request']);
  });

  it('serves no page under another host name', async () => {
    const answer = await get('/board', { accept: 'text/html', host: 'attacker.example' });
    expect(answer.status).toBe(421);
  });

  it.each(['/', '/b/x', '/docs', '/docs/init.js', '/openapi.json', '/service-worker.js'])(
    'answers errors of %s with a problem document',
    async (path) => {
      const answer = await get(path, { host: 'attacker.example' });
      expect([answer.status, answer.headers['content-type']]).toEqual([
        421,
        'application/problem+json',
      ]);
      expect(JSON.parse(answer.text)).toMatchObject({
        code: 'misdirected_request',
        instance: path,
      });
    },
  );

  it.each(['/api', '/api/nowhere', '/api?x=1'])('serves no page at %s', async (path) => {
    const answer = await get(path, { ...token, accept: 'text/html,*/*;q=0.8' });
    expect([answer.status, JSON.parse(answer.text).code]).toEqual([404, 'route_not_found']);
  });

  it.each([
    ['if-match', '"x"'],
    ['if-unmodified-since', 'Thu, 01 Jan 1970 00:00:00 GMT'],
  ])('answers 412 to a file with another state than in %s', async (name, value) => {
    const answer = await get('/service-worker.js', { [name]: value });
    expect([answer.status, JSON.parse(answer.text).code]).toEqual([412, 'precondition_failed']);
  });

  it('ignores Range', async () => {
    const answer = await get('/service-worker.js', { range: 'bytes=100000-' });
    expect([answer.status, answer.text]).toEqual([200, SCRIPT]);
  });

  it('has a service worker with the CSP of the page, which browsers revalidate at each visit', async () => {
    const page = await get('/b/x', { accept: 'text/html' });
    const worker = await get('/service-worker.js');
    expect([worker.status, worker.text]).toEqual([200, SCRIPT]);
    expect(worker.headers['cache-control']).toBe('no-cache');
    expect(worker.headers['content-security-policy']).toBe(page.headers['content-security-policy']);
  });

  it('has the paths of the first requests of the page in Link', async () => {
    const linksOf = async (path: string) =>
      [...((await get(path)).headers.link ?? '').matchAll(/<(\S+?)>; rel=preload; as=fetch/g)].map(
        ([, link]) => link?.replace(/\?.*/, ''),
      );
    const board = '/api/boards/%E2%9C%93%2F%3F';
    const all = ['/api/session', board, `${board}/sprints`];
    expect(await linksOf('/b/%E2%9C%93%2F%3F/backlog')).toEqual(all);
    expect(await linksOf('/b/%E2%9C%93%2F%3F')).toEqual([
      ...all,
      `${board}/sprints/current/stories`,
    ]);
    expect(await linksOf('/b/%E2%9C%93%2F%3F/stories/7?sprint=next')).toEqual([
      ...all,
      `${board}/sprints/next/stories`,
    ]);
    expect(await linksOf('/b/%E2%9C%93%2F%3F?sprint=12')).toEqual([
      ...all,
      '/api/sprints/12/stories',
    ]);
    expect(await linksOf('/b/%E2%9C%93%2F%3F?sprint=%3E')).toEqual(all);
    expect(await linksOf('/')).toEqual([]);
  });

  it('closes its files if the connection of pipelined requests is closed', async () => {
    const opening = jest.spyOn(fs, 'createReadStream');
    const server = service.app.getHttpServer();
    const requests: IncomingMessage[] = [];
    const cut = (request: IncomingMessage): void => {
      if (requests.push(request) === 3) request.socket.destroy();
    };
    server.on('request', cut);
    const socket = connect(Number(new URL(service.url).port));
    socket.write('GET /b/x HTTP/1.1\r\nHost: localhost\r\n\r\n'.repeat(3));
    while (opening.mock.calls.length < 3) await new Promise(setImmediate);
    const files = opening.mock.results.map(({ value }) => value as ReadStream);
    while (!files.every(({ closed }) => closed)) await new Promise(setImmediate);
    server.off('request', cut);
    opening.mockRestore();
  });

  it('logs no error if a client disconnects before a file is sent', async () => {
    const server = service.app.getHttpServer();
    const socket = connect(Number(new URL(service.url).port));
    const [connection] = (await once(server, 'connection')) as [Socket];
    const { createReadStream } = fs;
    const opened = new Promise<ReadStream>((resolve) => {
      jest.spyOn(fs, 'createReadStream').mockImplementationOnce((...parameters) => {
        const file = createReadStream(...parameters);
        connection.destroy();
        resolve(file);
        return file;
      });
    });
    socket.write(
      'GET /service-worker.js HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n',
    );
    const file = await opened;
    while (!file.closed) await new Promise(setImmediate);
    jest.restoreAllMocks();
    expect(log).toEqual([]);
  });

  it('rejects other methods', async () => {
    const answer = await get('/b/x', token, 'POST');
    expect([answer.status, answer.headers.allow]).toEqual([405, 'GET, HEAD, OPTIONS']);
  });

  it('redirects programs from the root to the description of the API', async () => {
    const answer = await get('/', { accept: 'application/json' });
    expect([answer.status, answer.headers.location]).toEqual([302, '/openapi.json']);
    expect(answer.headers.vary).toContain('Accept');
    expect((await get('/')).text).toBe(PAGE);
  });

  it('has assets that are cached forever, in the encoding that the browser prefers', async () => {
    const path = '/assets/main-ABC123.js';
    const plain = await get(path);
    expect([plain.status, plain.text]).toEqual([200, SCRIPT]);
    expect(plain.headers).toMatchObject({
      'cache-control': 'public, max-age=31536000, immutable',
      'content-type': expect.stringContaining('javascript'),
      'x-content-type-options': 'nosniff',
    });
    const response = await fetch(service.url + path, {
      headers: { 'accept-encoding': 'gzip, br' },
    });
    expect(response.headers.get('content-encoding')).toBe('br');
    expect(response.headers.get('vary')).toMatch(/accept-encoding/i);
    expect(response.headers.get('content-type')).toContain('javascript');
    expect(await response.text()).toBe(SCRIPT);
    const sent = await get(path, { 'accept-encoding': 'br' });
    expect(Number(sent.headers['content-length'])).toBeLessThan(SCRIPT.length);
    const icon = await get('/favicon.svg');
    expect(icon.headers).toMatchObject({
      'cache-control': 'no-cache',
      'content-type': 'image/svg+xml',
    });
  });
});

it('a message says that the board in the browser is not built', async () => {
  const bare = await startApp({ web: join(folder, 'nowhere') });
  try {
    for (const path of ['/', '/b/x']) {
      const answer = await send(bare.url + path);
      expect(answer.status).toBe(404);
      expect(JSON.parse(answer.text)).toMatchObject({
        code: 'route_not_found',
        detail: expect.stringContaining('npm run build'),
      });
    }
  } finally {
    await bare.close();
  }
});
