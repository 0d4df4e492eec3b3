import { Agent } from 'node:http';
import type { TestApp } from '../support/app';
import { startApp } from '../support/app';
import { fingerprint } from '../support/fingerprint';
import type { Hostile } from '../support/hostile';
import { HOSTILE, ODD_TEXTS } from '../support/hostile';
import { made2xx, Workspace } from '../support/make';
import type { RawResponse } from '../support/http';
import { send, sendBytes } from '../support/http';

const agent = new Agent({ keepAlive: true, maxSockets: 16 });
let service: TestApp;
let board: Workspace;
let names: Record<string, string>;
beforeAll(async () => {
  service = await startApp();
  board = await Workspace.create(service.client);
  const sprint = await board.sprint('2020-01-01', { end_date: '2020-01-14' });
  const story = await board.story(sprint);
  const task = await board.task(story);
  names = {
    board: encodeURIComponent(board.name),
    sprint: String(sprint.id),
    story: String(story.id),
    task: String(task.id),
  };
});
afterAll(async () => {
  agent.destroy();
  await service.close();
});

const sendHostile = ({ path, method, headers, body }: Hostile): Promise<RawResponse> => {
  const filled = path.replace(
    /\{(board|sprint|story|task)\}/g,
    (_, name: string) => names[name] ?? '',
  );
  return send(service.url + filled, { method, headers, body, agent, timeout: 5000 });
};

/** Internals that no response may contain: libraries, paths, errors of the database. */
const INTERNALS =
  /node_modules|typeorm|libsql|mysql|maria|\bpg_|SQLITE_|ER_[A-Z]|errno|\bat [\w.<>]+ \(|\.[jt]s:\d|\/(home|work|tmp|usr|root)\/|SELECT .* FROM|INSERT INTO|UPDATE .* SET|Exception|TypeError|SyntaxError|Unexpected token/i;

/** Returns the defect of an error response, if it has one. */
function defectOf({ status, headers, text }: RawResponse, expected?: number): string | undefined {
  if (status >= 500) return 'a failure of the server';
  if (status < 400) return 'no error';
  if (expected !== undefined && status !== expected) return `not ${expected}`;
  if (headers['content-type'] !== 'application/problem+json') return `a ${headers['content-type']}`;
  const problem = JSON.parse(text);
  const { type, title, detail, instance, code, errors } = problem;
  const whole =
    problem.status === status &&
    [type, title, detail, instance, code].every((member) => typeof member === 'string') &&
    type === `urn:sprintline:problem:${code}`;
  if (!whole) return 'not a complete problem document';
  if (headers['x-request-id'] !== problem.request_id) return 'another X-Request-Id';
  if (code === 'invalid_request') {
    const complete = (errors as Record<string, unknown>[]).every(
      (error) =>
        ['pointer', 'parameter', 'header'].filter((place) => typeof error[place] === 'string')
          .length === 1 &&
        typeof error.code === 'string' &&
        typeof error.detail === 'string',
    );
    if (errors.length === 0 || !complete) return 'errors without a place';
  }
  if (INTERNALS.test(JSON.stringify({ ...problem, instance: '' }))) return 'a leak';
  return undefined;
}

describe('hostile requests', () => {
  it('number more than a thousand', () => {
    expect(HOSTILE.length).toBeGreaterThan(1000);
    expect(new Set(HOSTILE.map(({ name, method }) => `${method} ${name}`)).size).toBeGreaterThan(
      900,
    );
  });

  it('are all rejected with a problem document, and change nothing', async () => {
    const before = await fingerprint(service.client);
    const wrong: string[] = [];
    for (let start = 0; start < HOSTILE.length; start += 16) {
      await Promise.all(
        HOSTILE.slice(start, start + 16).map(async (hostile) => {
          const answer = await sendHostile(hostile);
          const defect = defectOf(answer, hostile.status);
          if (defect)
            wrong.push(
              `${hostile.method} ${hostile.name}: ${defect}: ${answer.status} ${answer.text.slice(0, 300)}`,
            );
        }),
      );
    }
    expect(wrong).toEqual([]);
    expect(await fingerprint(service.client)).toBe(before);
  });
});

describe('odd strings', () => {
  it('are stored, found and shown unchanged', async () => {
    const { client } = service;
    const own = await Workspace.create(client);
    for (const text of ODD_TEXTS) {
      const members = {
        title: text,
        description: text,
        assignee: text,
        labels: [text],
        external_id: text,
      };
      const story = await own.story(null, members);
      expect(story).toMatchObject(members);
      for (const filter of ['assignee', 'label', 'external_id']) {
        const found = await client.get(`${own.path}/stories?${filter}=${encodeURIComponent(text)}`);
        expect([text, filter, found.body]).toEqual([text, filter, [story]]);
      }
      if (text.trim() === text && !/\s/.test(text)) {
        const found = await client.get<any[]>(`${own.path}/stories?q=${encodeURIComponent(text)}`);
        expect([text, found.body.some(({ id }) => id === story.id)]).toEqual([text, true]);
      }
    }
    expect((await client.get(`${own.path}/stories`)).body).toHaveLength(ODD_TEXTS.length);
  });

  it('are names of different boards', async () => {
    const { client } = service;
    const texts = ODD_TEXTS.filter(
      (text) =>
        text.normalize('NFC').trim() === text && !/\p{Cc}/u.test(text) && !/^\.{0,2}$/.test(text),
    );
    expect(texts.length).toBeGreaterThan(40);
    for (const text of texts) {
      const made = await client.post('/api/boards', { name: text });
      expect([text, made.status]).toEqual([text, 201]);
      const found = await client.get(`/api/boards/${encodeURIComponent(text)}`);
      expect(found.body).toEqual(made.body);
    }
  });
});

describe('malformed HTTP', () => {
  const HOST = 'Host: localhost\r\n';
  const POST = (fields: string, body: string): string =>
    `POST /api/boards/Raw/backlog HTTP/1.1\r\n${HOST}Content-Type: application/json\r\n${fields}\r\n${body}`;
  /** Name, bytes, and the status; 0 if the connection may be closed without a response. */
  const CASES: [string, string, number][] = [
    ['garbage', '\x00\x01\x02\xff\xfe\r\n\r\n', 400],
    ['a TLS hello', '\x16\x03\x01\x00\xa5\x01\x00\x00\xa1\x03\x03', 400],
    ['HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400],
    ['HTTP/0.9', 'GET /\r\n\r\n', 400],
    ['HTTP/3.0', `GET / HTTP/3.0\r\n${HOST}\r\n`, 400],
    ['another protocol', 'SSH-2.0-OpenSSH\r\n\r\n', 400],
    ['a method in lower case', `get /api/boards HTTP/1.1\r\n${HOST}\r\n`, 400],
    ['an invalid method', `FOO /api/boards HTTP/1.1\r\n${HOST}\r\n`, 400],
    ['a long method', `${'A'.repeat(5000)} / HTTP/1.1\r\n${HOST}\r\n`, 400],
    ['a space in the path', `GET /api/boards/a b HTTP/1.1\r\n${HOST}\r\n`, 400],
    ['NUL in the path', `GET /api/boards/a\x00b HTTP/1.1\r\n${HOST}\r\n`, 400],
    ['no path', `GET  HTTP/1.1\r\n${HOST}\r\n`, 400],
    ['a path without a slash', `GET api/boards HTTP/1.1\r\n${HOST}\r\n`, 400],
    ['no host', 'GET /api/boards HTTP/1.1\r\nConnection: close\r\n\r\n', 400],
    ['two hosts', `GET /api/boards HTTP/1.1\r\n${HOST}${HOST}Connection: close\r\n\r\n`, 400],
    [
      'two hosts in HTTP/1.0',
      'GET /api/boards HTTP/1.0\r\nhost: localhost\r\nHOST: evil.example\r\n\r\n',
      400,
    ],
    ['a header without a colon', `GET / HTTP/1.1\r\n${HOST}X\r\n\r\n`, 400],
    ['a space in the name of a header', `GET / HTTP/1.1\r\n${HOST}X Y: 1\r\n\r\n`, 400],
    ['a space before the colon', `GET / HTTP/1.1\r\n${HOST}X : 1\r\n\r\n`, 400],
    ['NUL in a header', `GET / HTTP/1.1\r\n${HOST}X: a\x00b\r\n\r\n`, 400],
    ['CR in a header', `GET / HTTP/1.1\r\n${HOST}X: a\rb\r\n\r\n`, 400],
    ['a header without a name', `GET / HTTP/1.1\r\n${HOST}: x\r\n\r\n`, 400],
    ['a folded header', `GET / HTTP/1.1\r\n${HOST}X: a\r\n\x01b\r\n\r\n`, 400],
    ['a header of 100 KB', `GET / HTTP/1.1\r\n${HOST}X: ${'x'.repeat(100_000)}\r\n\r\n`, 431],
    ['a URL of 100 KB', `GET /${'x'.repeat(100_000)} HTTP/1.1\r\n${HOST}\r\n`, 414],
    [
      '1,000 fields',
      `GET / HTTP/1.1\r\n${HOST}Connection: close\r\n${'X: 1\r\n'.repeat(1000)}\r\n`,
      431,
    ],
    [
      '5,000 fields',
      `GET / HTTP/1.1\r\n${HOST}Connection: close\r\n${'X: 1\r\n'.repeat(5000)}\r\n`,
      431,
    ],
    ['a negative length', POST('Content-Length: -1\r\n', '{}'), 400],
    ['a length that is not a number', POST('Content-Length: x\r\n', '{}'), 400],
    ['a length with a sign', POST('Content-Length: +2\r\n', '{}'), 400],
    ['a huge length', POST(`Content-Length: ${'9'.repeat(30)}\r\n`, '{}'), 400],
    ['a length of 1 GB', POST(`Connection: close\r\nContent-Length: ${1 << 30}\r\n`, '{'), 413],
    ['two lengths', POST('Content-Length: 2\r\nContent-Length: 3\r\n', '{}x'), 400],
    [
      'a length and chunks',
      POST('Content-Length: 2\r\nTransfer-Encoding: chunked\r\n', '0\r\n\r\n'),
      400,
    ],
    ['an unknown transfer coding', POST('Transfer-Encoding: x\r\n', '{}'), 400],
    [
      'chunked before another transfer coding',
      POST('Transfer-Encoding: chunked, identity\r\n', '0\r\n\r\n'),
      400,
    ],
    ['a chunk without a size', POST('Transfer-Encoding: chunked\r\n', 'x\r\n{}\r\n0\r\n\r\n'), 400],
    ['a negative chunk size', POST('Transfer-Encoding: chunked\r\n', '-1\r\n{}\r\n0\r\n\r\n'), 400],
    [
      'a huge chunk size',
      POST('Transfer-Encoding: chunked\r\n', `${'f'.repeat(30)}\r\n{}\r\n`),
      400,
    ],
    ['a tunnel', `CONNECT example.com:443 HTTP/1.1\r\n${HOST}\r\n`, 0],
    ['headers that never end', `GET / HTTP/1.1\r\n${HOST}X: `, 408],
    ['a body that never ends', POST('Content-Length: 500\r\n', '{"title":'), 408],
    ['a chunk that never ends', POST('Transfer-Encoding: chunked\r\n', '5\r\n{'), 408],
  ];

  it('is answered with a problem document and a closed connection, and changes nothing', async () => {
    const serviceWithTimeouts = await startApp({
      environment: { HEADERS_TIMEOUT_MS: '1000', REQUEST_TIMEOUT_MS: '1500' },
    });
    const before = await fingerprint(serviceWithTimeouts.client);
    const wrong: string[] = [];
    await Promise.all(
      CASES.map(async ([name, bytes, status]) => {
        const answer = await sendBytes(serviceWithTimeouts.url, bytes);
        const silent = Number.isNaN(answer.status);
        const defect = silent
          ? status === 0
            ? undefined
            : 'no response'
          : defectOf(answer, status || undefined);
        if (defect) wrong.push(`${name}: ${defect}: ${answer.status} ${answer.text.slice(0, 200)}`);
      }),
    );
    expect(wrong).toEqual([]);
    expect(await fingerprint(serviceWithTimeouts.client)).toBe(before);
    expect((await serviceWithTimeouts.client.get('/health/ready')).status).toBe(200);
    await serviceWithTimeouts.close();
  }, 60_000);

  it.each([
    ['garbage after a request', '\r\n', '\x00\x01\x02\xff\xfe\r\n\r\n'],
    ['a body that never arrives', 'Content-Length: 5\r\n\r\n', ''],
  ])('is never answered within another response: %s', async (_, fields, rest) => {
    const environment = { HEADERS_TIMEOUT_MS: '1000', REQUEST_TIMEOUT_MS: '1500' };
    const withTimeouts = await startApp({ environment });
    await made2xx(withTimeouts.client.post('/api/boards', { name: 'Live' }));
    const { text } = await sendBytes(
      withTimeouts.url,
      `GET /api/boards/Live/stream HTTP/1.1\r\n${HOST}${fields}`,
      rest,
    );
    expect(text).toContain('retry:');
    expect(text).not.toContain('HTTP/1.1');
    await withTimeouts.close();
  });

  it.each([
    ['garbage', 'GARBAGE\r\n\r\n'],
    ['a header of 40 KB', `GET / HTTP/1.1\r\n${HOST}X: ${'x'.repeat(40_000)}\r\n\r\n`],
    ['two lengths', POST('Content-Length: 2\r\nContent-Length: 3\r\n', '{}x')],
  ])('after complete requests does not replace their responses: %s', async (name, bytes) => {
    const board = await Workspace.create(service.client);
    const create = (title: string): string => {
      const body = JSON.stringify({ title });
      return (
        `POST ${board.path}/backlog HTTP/1.1\r\n${HOST}Content-Type: application/json\r\n` +
        `Content-Length: ${body.length}\r\n\r\n${body}`
      );
    };
    const { status, text } = await sendBytes(service.url, create('one') + create('two') + bytes);
    const later = [...text.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, code]) => Number(code));
    expect([name, status, ...later.slice(0, 1)]).toEqual([name, 201, 201]);
    const { body } = await service.client.get(`${board.path}/backlog`);
    // Both run at once, in any order.
    expect(body.map(({ title }: { title: string }) => title).sort()).toEqual(['one', 'two']);
  });
});
