import { OPERATOR } from '../../src/cli/application';
import { Database } from '../../src/database/database';
import { UnitOfWork } from '../../src/database/unit-of-work';
import { useApp } from '../support/app';
import { sendBytes } from '../support/http';
import { boardPath, freshName, Workspace } from '../support/make';
import { expectErrors, expectProblem } from '../support/problems';

const JSON_TYPE = { 'content-type': 'application/json' };
const FORM_TYPE = { 'content-type': 'application/x-www-form-urlencoded' };

const service = useApp();
let board: Workspace;
let sprint: any;
let story: any;
let task: any;
beforeEach(async () => {
  board = await Workspace.create(service.client);
  sprint = await board.sprint('2020-01-01');
  story = await board.story(sprint);
  task = await board.task(story);
});

const put = (raw: string | Buffer, headers: Record<string, string>): Promise<any> =>
  service.client.put(`/api/stories/${story.id}`, undefined, { raw, headers });

describe('a form', () => {
  it('can express all values of JSON: decimal strings are numbers, an empty value is null, repeated names are a list', async () => {
    const { client } = service;
    const made = await client.post(`/api/sprints/${sprint.id}/stories`, undefined, {
      form: 'title=A+b%C3%A9%26c&seq=-3&priority=&points=2.5&labels=x&labels=y+z&external_id=E-1&status=done',
    });
    expect(made.status).toBe(201);
    expect(made.body).toMatchObject({
      title: 'A bé&c',
      seq: -3,
      priority: null,
      points: 2.5,
      labels: ['x', 'y z'],
      external_id: 'E-1',
      status: 'done',
    });
    const changed = await client.put(`/api/stories/${made.body.id}`, undefined, {
      form: 'points=&labels=one&sprint_id=&seq=7',
    });
    expect(changed.body).toMatchObject({ points: null, labels: ['one'], sprint_id: null, seq: 7 });
    const emptied = await client.patch(`/api/stories/${made.body.id}`, undefined, {
      form: 'labels=',
    });
    expect(emptied.body.labels).toEqual([]);
  });

  it('is rejected for a scalar that is given twice', async () => {
    for (const form of [
      'title=a&title=b',
      'title=a&title=a',
      'title=a&seq=1&seq=2',
      'title=a&priority=&priority=1',
    ]) {
      const answer = await service.client.post(`${board.path}/backlog`, undefined, { form });
      expect(answer.status).toBe(400);
      expect(answer.body.errors).toEqual([
        { pointer: expect.any(String), code: 'duplicate', detail: expect.any(String) },
      ]);
    }
    const { id } = await board.story(null);
    for (const form of [`id=${id}&id=${id}`, 'version=1&version=1']) {
      const answer = await service.client.put(`/api/stories/${id}`, undefined, { form });
      expect([answer.status, answer.body.errors?.[0].code]).toEqual([400, 'duplicate']);
    }
  });

  it('is rejected for broken percent-encoding and invalid UTF-8', async () => {
    for (const raw of [
      'title=%',
      'title=%zz',
      'title=%FF',
      'title=%ED%A0%80',
      'title=%C0%80',
      '%E9=1',
    ]) {
      expectProblem(await put(raw, FORM_TYPE), 400, 'malformed_body');
    }
    expectProblem(await put(Buffer.from([0x61, 0x3d, 0xff]), FORM_TYPE), 400, 'malformed_body');
    expectErrors(await put('title=%00', FORM_TYPE), '/title invalid_text');
    expectErrors(
      await put('title[]=a&a[b]=c&__proto__=1&=x', FORM_TYPE),
      '/title[] unknown_field',
      '/a[b] unknown_field',
      '/__proto__ unknown_field',
      '/ unknown_field',
    );
  });

  it('of separators only has no fields', async () => {
    for (const raw of ['&', '&&&']) {
      expect((await put(raw, FORM_TYPE)).body).toEqual(story);
    }
  });
});

describe('a JSON body', () => {
  it('is rejected if it is not JSON in UTF-8', async () => {
    for (const raw of [
      '{',
      '}',
      '{"title":}',
      '{"title":"a",}',
      "{'title':'a'}",
      '{"title":"a"}}',
      '{"a":1}\0',
      'NaN',
      '{"seq":01}',
      '{"title":"\t"}',
      '{"title":"\\x41"}',
      '\ufeff{',
      'undefined',
      '// x\n{}',
      '{"a":.5}',
      '{title:"a"}',
      Buffer.from('{"title":"\xff"}', 'latin1'),
      Buffer.from('{"title":"a"}', 'utf16le'),
      Buffer.from([0x7b, 0x22, 0xed, 0xa0, 0x80, 0x22, 0x3a, 0x31, 0x7d]),
    ]) {
      expectProblem(await put(raw, JSON_TYPE), 400, 'malformed_body');
    }
  });

  it('is rejected if it is not an object', async () => {
    for (const raw of ['[]', '[{"title":"a"}]', '"title"', '5', 'true', 'null']) {
      expectErrors(await put(raw, JSON_TYPE), ' invalid_type');
    }
  });

  it('uses the last value of a field that is given twice', async () => {
    const answer = await put('{"title":"a","title":5,"title":"b"}', JSON_TYPE);
    expect(answer.body.title).toBe('b');
    expectErrors(await put('{"title":"a","title":5}', JSON_TYPE), '/title invalid_type');
  });

  it('is rejected for unknown fields, whatever their names', async () => {
    expectErrors(
      await put(
        '{"__proto__":{"title":"x"},"constructor":{"prototype":{}},"toString":1,"":2,"Title":"x"}',
        JSON_TYPE,
      ),
      '/__proto__ unknown_field',
      '/constructor unknown_field',
      '/toString unknown_field',
      '/ unknown_field',
      '/Title unknown_field',
    );
    expect(({} as any).title).toBeUndefined();
  });

  it('is rejected with pointers of RFC 6901, even where no field is known', async () => {
    const { client } = service;
    const errors = ['/a~1b unknown_field', '/c~0d unknown_field'];
    const fields = { 'a/b': 1, 'c~d': 1 };
    expectErrors(await client.put(`/api/stories/${story.id}`, fields), ...errors);
    expectErrors(await client.call('DELETE', `/api/stories/${story.id}`, fields), ...errors);
    const parts = new FormData();
    parts.append('a/b', 'x');
    const encoded = new Response(parts);
    const imported = await client.post(`${board.path}/import`, undefined, {
      raw: Buffer.from(await encoded.arrayBuffer()),
      headers: { 'content-type': encoded.headers.get('content-type') ?? '' },
    });
    expectErrors(imported, '/a~1b unknown_field');
  });

  it('is rejected if it is deeper than 32 or has more than 1,000 fields', async () => {
    const deep = (depth: number): string =>
      `{"x":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`;
    expectErrors(await put(deep(32), JSON_TYPE), '/x unknown_field');
    for (const depth of [33, 1000, 100_000]) {
      expectErrors(await put(deep(depth), JSON_TYPE), ' too_deep');
      expectErrors(
        await put(`${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`, JSON_TYPE),
        ' too_deep',
      );
    }
    const wide = (count: number): string =>
      JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, i) => [`f${i}`, 1])));
    expect((await put(wide(1000), JSON_TYPE)).body.errors).toHaveLength(1000);
    expectErrors(await put(wide(1001), JSON_TYPE), ' too_many');
    expectErrors(
      await put(Array.from({ length: 1001 }, (_, i) => `f${i}=1`).join('&'), FORM_TYPE),
      ' too_many',
    );
  });

  it('is rejected if it has more than 50,000 values, which would take long to validate', async () => {
    const list = (count: number): string => `{"title":[${'1,'.repeat(count - 1)}1]}`;
    expectErrors(await put(list(49_999), JSON_TYPE), '/title invalid_type');
    expectErrors(await put(list(50_000), JSON_TYPE), ' too_many');
    expectErrors(await put('title=x&'.repeat(50_000), FORM_TYPE), ' too_many');
    const nested = `{"title":[${'[[[]]],'.repeat(20_000)}[]]}`;
    expectErrors(await put(nested, JSON_TYPE), ' too_many');
  });

  it('is not parsed if it is too deep or has too many values, which would block the service', async () => {
    const parse = jest.spyOn(JSON, 'parse');
    const parsed = (): number => parse.mock.calls.filter(([text]) => text.length > 100_000).length;
    for (const [raw, code] of [
      [`${'['.repeat(100_000)}${']'.repeat(100_000)}`, 'too_deep'],
      [`{"title":"\\\\\\"]","labels":[${'{},'.repeat(100_000)}{}]}`, 'too_many'],
      [`{${Array.from({ length: 60_000 }, (_, i) => `"k${i}":0`).join()}}`, 'too_many'],
    ] as const) {
      expectErrors(await put(raw, JSON_TYPE), ` ${code}`);
    }
    expect(parsed()).toBe(0);
    // Brackets and commas in a text do not count.
    expectErrors(
      await put(JSON.stringify({ title: '[,{"\\'.repeat(50_000) }), JSON_TYPE),
      '/title too_long',
    );
    expect(parsed()).toBe(1);
  });

  it('has one error for a list that is too long, and one for each wrong item of another list', async () => {
    const { client } = service;
    for (const count of [8, 40_000]) {
      const working_days = Array.from({ length: count }, () => 'mon');
      expectErrors(await client.patch(board.path, { working_days }), '/working_days too_many');
    }
    expectErrors(
      await client.patch(board.path, { working_days: ['mon', 'x', 'mon'] }),
      '/working_days/1 invalid_value',
      '/working_days/2 duplicate',
    );
  });

  it('has 1 MiB at most', async () => {
    const filled = (bytes: number): string => `{"description":"${'x'.repeat(bytes - 18)}"}`;
    expectErrors(await put(filled(1024 * 1024), JSON_TYPE), '/description too_long');
    expectProblem(await put(filled(1024 * 1024 + 1), JSON_TYPE), 413, 'content_too_large');
  });

  it.each([
    ['Content-Length: 3000000\r\n\r\n', ''],
    ['Transfer-Encoding: chunked\r\n\r\n2dc6c0\r\n', '\r\n0\r\n\r\n'],
  ])(
    'is read to its end if it is longer, for clients that send all of it first: %j',
    async (head, end) => {
      const { status, text } = await sendBytes(
        service.url,
        `POST ${board.path}/backlog HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n` +
          `${head}${'x'.repeat(3_000_000)}${end}` +
          'GET /health/live HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n',
      );
      expect(status).toBe(413);
      expect(text).toContain('HTTP/1.1 200 OK');
    },
  );
});

describe('a content type', () => {
  it('is application/json or a form in UTF-8, in any case', async () => {
    for (const type of [
      'application/json',
      'APPLICATION/JSON',
      'application/json; charset=utf-8',
      'application/json;charset="UTF-8"',
      'application/json; charset=utf8',
    ]) {
      expect((await put('{"title":"x"}', { 'content-type': type })).status).toBe(200);
    }
    expect(
      (await put('title=x', { 'content-type': 'application/x-www-form-urlencoded; charset=UTF-8' }))
        .status,
    ).toBe(200);
    for (const encoding of ['identity', 'IDENTITY']) {
      const headers = { ...JSON_TYPE, 'content-encoding': encoding };
      expect((await put('{"title":"x"}', headers)).status).toBe(200);
    }
  });

  it('of any other kind is rejected with 415, whatever the body is', async () => {
    for (const type of [
      'text/plain',
      'text/json',
      'application/xml',
      'multipart/form-data; boundary=x',
      'application/merge-patch+json',
      'application/json; charset=latin1',
      'application/json; charset=utf-16',
      'application/jsonx',
      'image/png',
      '*/*',
    ]) {
      for (const body of ['{"title":"x"}', '{']) {
        expectProblem(await put(body, { 'content-type': type }), 415, 'unsupported_media_type');
      }
    }
    for (const encoding of ['gzip', 'br', 'deflate', 'x']) {
      const headers = { ...JSON_TYPE, 'content-encoding': encoding };
      expectProblem(await put('{"title":"x"}', headers), 415, 'unsupported_media_type');
    }
  });

  it('does not matter without a body', async () => {
    const { client } = service;
    for (const type of [
      'application/json',
      'text/plain',
      'application/x-www-form-urlencoded',
      'application/xml',
    ]) {
      const other = await board.story(sprint);
      const deleted = await client.delete(`/api/stories/${other.id}`, {
        headers: { 'content-type': type },
      });
      expect(deleted.body).toEqual({ deleted: true, id: other.id, tasks_deleted: 0 });
    }
    expect(
      (await client.put(`/api/stories/${story.id}`, undefined, { headers: JSON_TYPE })).body,
    ).toEqual(story);
    expectErrors(
      await client.post(`${board.path}/backlog`, undefined, { headers: JSON_TYPE }),
      '/title required',
    );
    expectErrors(await client.post(`${board.path}/backlog`), '/title required');
  });

  it('matters for a DELETE with fields, which must not be ignored', async () => {
    const { client } = service;
    const path = `/api/stories/${story.id}`;
    const withBody = (raw: string, headers: Record<string, string>): Promise<any> =>
      client.call('DELETE', path, undefined, { raw, headers });
    expectErrors(await withBody('{"force":true}', JSON_TYPE), '/force unknown_field');
    expectProblem(
      await withBody('x', { 'content-type': 'text/plain' }),
      415,
      'unsupported_media_type',
    );
    expect((await withBody('{}', JSON_TYPE)).status).toBe(200);
  });
});

describe('of several errors', () => {
  it('the order is 404, 415, 400 for the body, 412, 409', async () => {
    const { client } = service;
    await board.story(null, { external_id: 'taken' });
    const stale = { 'if-match': '"stale"' };
    const text = { 'content-type': 'text/plain' };
    const call = (path: string, raw: string, headers: Record<string, string>): Promise<any> =>
      client.put(path, undefined, { raw, headers });
    const path = `/api/stories/${story.id}`;
    for (const raw of ['x', '{', '{"title":""}']) {
      for (const headers of [text, JSON_TYPE, stale]) {
        expectProblem(await call('/api/stories/999999', raw, headers), 404, 'story_not_found');
        expectProblem(await call('/api/sprints/x', raw, headers), 404, 'sprint_not_found');
        expectProblem(await call('/api/tasks/0', raw, headers), 404, 'task_not_found');
        expectProblem(await call(boardPath(freshName()), raw, headers), 404, 'board_not_found');
      }
    }
    expectProblem(await call(path, '{', { ...text, ...stale }), 415, 'unsupported_media_type');
    expectProblem(await call(path, '{', { ...JSON_TYPE, ...stale }), 400, 'malformed_body');
    expectErrors(
      await call(path, '{"title":"","version":9}', { ...JSON_TYPE, ...stale }),
      '/title blank',
    );
    const conflict = '{"external_id":"taken","sprint_id":999999}';
    expectProblem(
      await call(path, conflict, { ...JSON_TYPE, ...stale }),
      412,
      'precondition_failed',
    );
    expectProblem(await call(path, conflict, JSON_TYPE), 409, 'external_id_taken');
    expectErrors(await call(path, '{"sprint_id":999999}', JSON_TYPE), '/sprint_id not_found');
  });

  it('404 precedes errors of body and query, including for current, next and previous', async () => {
    const { client } = service;
    const empty = await Workspace.create(client);
    for (const word of ['current', 'next', 'previous']) {
      const path = `${empty.path}/sprints/${word}/stories`;
      expectProblem(await client.post(path, {}), 404, `no_${word}_sprint`);
      expectProblem(
        await client.post(path, undefined, { raw: 'x', headers: { 'content-type': 'text/plain' } }),
        404,
        `no_${word}_sprint`,
      );
      expectProblem(await client.get(`${path}?nope=1`), 404, `no_${word}_sprint`);
      expectProblem(
        await client.get(`${empty.path}/sprints/${word}?nope=1`),
        404,
        `no_${word}_sprint`,
      );
    }
    expectProblem(
      await client.get(`${boardPath(freshName())}/backlog?limit=x`),
      404,
      'board_not_found',
    );
    expectProblem(await client.post('/api/sprints/999999/stories', {}), 404, 'sprint_not_found');
    expectProblem(await client.post('/api/stories/999999/tasks', {}), 404, 'story_not_found');
  });

  it('all of a query are reported at once, or all of a body', async () => {
    const { client } = service;
    const path = `${board.path}/backlog`;
    expectErrors(
      await client.post(`${path}?page=2&y=1`, { title: 'x' }),
      'page unknown_field',
      'y unknown_field',
    );
    expectErrors(await client.post(path, { title: '', x: 1 }), '/title blank', '/x unknown_field');
  });

  it('of numbers name their field or parameter', async () => {
    const { client } = service;
    const path = `${board.path}/backlog`;
    const fields = { title: 'numbers', seq: 1.5, priority: 3_000_000_000, points: 'many' };
    const answers = [await client.post(path, fields), await client.get(`${path}?limit=abc`)];
    const details = answers.map(({ body }) => body.errors.map(({ detail }: any) => detail).sort());
    expect(details).toEqual([
      [
        'points must be a number',
        'priority must be from -2147483648 to 2147483647',
        'seq must be an integer',
      ],
      ['limit must be an integer'],
    ]);
  });
});

describe('an identifier', () => {
  it('that is not a safe positive integer is not found', async () => {
    const { client } = service;
    for (const id of [
      '0',
      '-1',
      '+1',
      '01',
      '1.0',
      '1e0',
      '0x1',
      'abc',
      '%00',
      '%201',
      '1%20',
      '１',
      '٣',
      'null',
      '9007199254740992',
      '9'.repeat(30),
      "1'--",
      '1;',
      '1%0A',
      'NaN',
      '%F0%9F%98%80',
      '..',
      '2147483648',
      '4294967297',
    ]) {
      for (const [path, code] of [
        [`/api/sprints/${id}`, 'sprint_not_found'],
        [`/api/sprints/${id}/stories`, 'sprint_not_found'],
        [`/api/stories/${id}`, 'story_not_found'],
        [`/api/stories/${id}/tasks`, 'story_not_found'],
        [`/api/tasks/${id}`, 'task_not_found'],
      ] as const) {
        const answer = await client.get(path);
        // `fetch` resolves dots.
        expect([path, answer.status]).toEqual([path, 404]);
        if (id !== '..') expectProblem(answer, 404, code);
      }
      if (id === '..') continue;
      expectProblem(await client.put(`/api/tasks/${id}`, { title: 'x' }), 404, 'task_not_found');
      expectProblem(await client.delete(`/api/sprints/${id}`), 404, 'sprint_not_found');
    }
  });
});

/** One path of every route, with its methods. */
const paths = (): [string, string][] => [
  ['/api/boards', 'GET, HEAD, OPTIONS, POST'],
  [board.path, 'DELETE, GET, HEAD, OPTIONS, PATCH, PUT'],
  [`${board.path}/sprints`, 'GET, HEAD, OPTIONS, POST'],
  [`${board.path}/backlog`, 'GET, HEAD, OPTIONS, POST'],
  [`${board.path}/stories`, 'GET, HEAD, OPTIONS'],
  [`${board.path}/events`, 'GET, HEAD, OPTIONS'],
  [`${board.path}/sprints/current`, 'GET, HEAD, OPTIONS'],
  [`${board.path}/sprints/current/stories`, 'GET, HEAD, OPTIONS, POST'],
  [`/api/sprints/${sprint.id}`, 'DELETE, GET, HEAD, OPTIONS, PATCH, PUT'],
  [`/api/sprints/${sprint.id}/stories`, 'GET, HEAD, OPTIONS, POST'],
  [`/api/stories/${story.id}`, 'DELETE, GET, HEAD, OPTIONS, PATCH, PUT'],
  [`/api/stories/${story.id}/tasks`, 'GET, HEAD, OPTIONS, POST'],
  [`/api/stories/${story.id}/history`, 'GET, HEAD, OPTIONS'],
  [`/api/tasks/${task.id}`, 'DELETE, GET, HEAD, OPTIONS, PATCH, PUT'],
  ['/health/live', 'GET, HEAD, OPTIONS'],
  ['/health/ready', 'GET, HEAD, OPTIONS'],
  ['/metrics', 'GET, HEAD, OPTIONS'],
  ['/openapi.json', 'GET, HEAD, OPTIONS'],
];

describe('every path', () => {
  it('answers HEAD like GET, without the body', async () => {
    for (const [path] of paths()) {
      if (path === '/metrics') continue;
      const get = await service.client.get(path, { undocumented: path === '/openapi.json' });
      const head = await service.client.call('HEAD', path, undefined, { undocumented: true });
      expect([path, head.status, head.text]).toEqual([path, get.status, '']);
      for (const name of ['etag', 'content-type', 'content-length']) {
        expect([path, name, head.headers.get(name)]).toEqual([path, name, get.headers.get(name)]);
      }
    }
    expect((await service.client.call('HEAD', '/api/stories/999999')).status).toBe(404);
  });

  it('lists its methods in Allow, for OPTIONS and for methods that it does not have', async () => {
    for (const [path, allow] of paths()) {
      const options = await service.client.call('OPTIONS', path);
      expect([path, options.status, options.headers.get('allow'), options.text]).toEqual([
        path,
        204,
        allow,
        '',
      ]);
      for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'PROPFIND', 'PURGE', 'LOCK']) {
        if (allow.split(', ').includes(method)) continue;
        const answer = await service.client.call(method, path);
        expectProblem(answer, 405, 'method_not_allowed');
        expect(answer.headers.get('allow')).toBe(allow);
      }
    }
  });

  it('is the same with a trailing slash', async () => {
    for (const [path] of paths()) {
      if (path === '/metrics') continue;
      const undocumented = path === '/openapi.json';
      const bare = await service.client.get(path, { undocumented });
      const slashed = await service.client.get(`${path}/`, { undocumented });
      expect([path, slashed.status, slashed.text]).toEqual([path, 200, bare.text]);
    }
    const made = await service.client.post(`/api/sprints/${sprint.id}/stories/`, { title: 'x' });
    expect(made.status).toBe(201);
    expect((await service.client.delete(`/api/stories/${made.body.id}/`)).status).toBe(200);
  });

  it('that does not exist is 404 with any method', async () => {
    for (const path of [
      '/api',
      '/api/',
      '/nope',
      '/api/nope',
      '/api/stories',
      '/api/sprints',
      '/api/tasks',
      `${board.path}/nope`,
      '/API/boards',
      '/api//boards',
      '/api/boards//',
      '/api/boards//backlog',
      '/api/stories//tasks',
      '/.env',
      '/favicon.ico',
    ]) {
      for (const method of ['GET', 'POST', 'OPTIONS', 'DELETE', 'PROPFIND']) {
        expectProblem(await service.client.call(method, path), 404, 'route_not_found');
      }
    }
  });

  it('answers in JSON, or with 406 if the client does not accept it', async () => {
    const { client } = service;
    const accept = (value: string, path = `/api/stories/${story.id}`): Promise<any> =>
      client.get(path, { headers: { accept: value } });
    for (const value of [
      '*/*',
      'application/json',
      'application/*',
      'text/html, application/json;q=0.1',
      'application/json; charset=utf-8',
      '',
    ]) {
      const answer = await accept(value);
      expect([value, answer.status]).toEqual([value, 200]);
      expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
    }
    for (const value of ['text/html', 'application/xml', 'application/json;q=0', 'image/*']) {
      expectProblem(await accept(value), 406, 'not_acceptable');
      expectProblem(await accept(value, '/api/stories/999999'), 404, 'story_not_found');
    }
    const rejected = await client.put(
      `/api/stories/${story.id}`,
      { title: 'x' },
      { headers: { accept: 'text/html' } },
    );
    expectProblem(rejected, 406, 'not_acceptable');
    expect((await client.get(`/api/stories/${story.id}`)).body).toEqual(story);
  });

  it('rejects parameters and a body that it does not have', async () => {
    const { client } = service;
    for (const path of [
      `/api/stories/${story.id}`,
      board.path,
      `${board.path}/sprints/current`,
      `/api/tasks/${task.id}`,
    ]) {
      expectErrors(
        await client.get(`${path}?page=1&__proto__=x`),
        'page unknown_field',
        '__proto__ unknown_field',
      );
    }
    expectErrors(
      await client.post(`${board.path}/backlog?force=true`, { title: 'x' }),
      'force unknown_field',
    );
    expectProblem(await client.get(`${board.path}/stories?q=%zz`), 400, 'bad_request');
    expectProblem(await client.get(`${board.path}/stories?q=%FF`), 400, 'bad_request');
  });

  it('is rejected if its encoding is broken or it is too long', async () => {
    const { client } = service;
    for (const path of [
      '/%',
      '/api/stories/%',
      '/api/stories/%zz',
      '/api/boards/%FF/backlog',
      '/api/boards/%C3',
    ]) {
      const answer = await client.get(path);
      expect([path, answer.status]).toEqual([path, 400]);
      expectProblem(answer, 400, 'bad_request');
    }
    expectProblem(await client.get(`/api/boards?q=${'x'.repeat(8192)}`), 414, 'uri_too_long');
    expectProblem(await client.get(`/api/boards/${'x'.repeat(9000)}`), 414, 'uri_too_long');
    expectProblem(await client.get(`/api/boards/${'x'.repeat(5000)}/backlog`), 414, 'uri_too_long');
  });
});

describe('a response', () => {
  it('has the request id that was sent, or a new one', async () => {
    const { client } = service;
    const sent = await client.get('/api/boards', { headers: { 'x-request-id': 'a.b:c/1+2=@-_' } });
    expect(sent.headers.get('x-request-id')).toBe('a.b:c/1+2=@-_');
    for (const bad of ['a b', '<script>', 'x'.repeat(129), '', 'é']) {
      const answer = await client.get('/api/boards', { headers: { 'x-request-id': bad } });
      expect(answer.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
    }
  });

  it('to an invalid request contains the path of the request', async () => {
    const answer = await service.client.get('/api/stories/999999?x=1');
    expect(answer.body.instance).toBe('/api/stories/999999');
  });

  it('does not reveal the software of the service', async () => {
    for (const path of ['/api/boards', '/nope', '/docs']) {
      const { headers } = await service.client.get(path, { undocumented: true });
      expect([headers.get('server'), headers.get('x-powered-by')]).toEqual([null, null]);
    }
  });

  it('for the documentation loads nothing from other hosts', async () => {
    const { client } = service;
    const page = await client.get('/docs', { undocumented: true });
    expect(page.status).toBe(200);
    expect(page.headers.get('content-type')).toContain('text/html');
    const sources = [...page.text.matchAll(/(?:src|href)="([^"]+)"/g)].map(
      ([, source]) => source ?? '',
    );
    expect(sources.length).toBeGreaterThan(2);
    for (const source of sources) {
      expect(source).not.toMatch(/^(https?:)?\/\//);
      const asset = await client.get(new URL(source, `${service.url}/docs`).pathname, {
        undocumented: true,
      });
      expect([source, asset.status]).toEqual([source, 200]);
    }
    // Without it, the page sends the document to a validator on the Internet.
    const { text } = await client.get('/docs/init.js', { undocumented: true });
    expect(text).toContain('validatorUrl: null');
  });
});

describe('the metrics', () => {
  const value = async (name: string): Promise<number> => {
    const { text } = await service.client.get<string>('/metrics');
    return Number(
      text
        .split('\n')
        .find((line) => line.startsWith(`${name} `))
        ?.slice(name.length),
    );
  };

  it('count the requests by method, route and status', async () => {
    const labels = 'method="DELETE",route="/api/stories/:story_id",status="404"';
    const before = (await value(`http_request_duration_seconds_count{${labels}}`)) || 0;
    await service.client.delete('/api/stories/999999');
    expect(await value(`http_request_duration_seconds_count{${labels}}`)).toBe(before + 1);
  });

  it('count the changes that run and the snapshots that are open', async () => {
    const snapshot = await service.app.get(Database).openStream({ key: 'test' });
    expect(await value('snapshots_open')).toBe(1);
    await snapshot.close();
    expect(await value('snapshots_open')).toBe(0);
    await service.app.get(UnitOfWork).run(OPERATOR, async () => {
      expect(await value('changes_pending')).toBe(1);
    });
    expect(await value('changes_pending')).toBe(0);
  });
});

describe('the errors of a request', () => {
  it('include those of its path, and of fields that contradict each other', async () => {
    const { client } = service;
    const long = 'x'.repeat(101);
    expectErrors(
      await client.post(`/api/boards/${long}/sprints`, { start_date: '2026-11-21' }),
      'board_name too_long',
    );
    const dates = { start_date: '2026-11-21', end_date: '2026-11-20' };
    const wrong = { name: long, ...dates };
    for (const answer of [
      await client.post(`${board.path}/sprints`, wrong),
      await client.put(`/api/sprints/${sprint.id}`, wrong),
    ]) {
      expectErrors(answer, '/end_date out_of_range', '/name too_long');
    }
    // An invalid date is not compared with the other one.
    expectErrors(
      await client.post(`${board.path}/sprints`, { ...dates, start_date: 'soon' }),
      '/start_date invalid_date',
    );
    expectErrors(
      await client.post('/api/tokens', {
        scope: 'admin',
        boards: ['r'],
      }),
      '/boards not_for_admin',
      '/name required',
    );
    expectErrors(
      await client.get(`${board.path}/forecast?stories=1&points=x&trials=0`),
      'points invalid_type',
      'stories excluded',
      'trials out_of_range',
    );
    const { id } = story;
    expectErrors(
      await client.post(`${board.path}/stories/move`, {
        story_ids: [id, id],
        position: { after: id },
      }),
      '/position invalid_value',
      '/story_ids/1 duplicate',
    );
  });

  it('say what is wrong with a number, however long it is', async () => {
    const { client } = service;
    const long = '9'.repeat(20);
    const points = `1.${'0'.repeat(20)}1`;
    expectErrors(
      await client.put(`/api/stories/${story.id}`, { priority: long, sprint_id: long, points }),
      '/points too_precise',
      '/priority out_of_range',
      '/sprint_id out_of_range',
    );
    expectErrors(await client.get(`${board.path}/events?after=${long}`), 'after out_of_range');
  });

  it('say that a + of a date-time must be encoded in a query', async () => {
    const instant = '2026-11-27T00:00:00+02:00';
    const answer = await service.client.get(`${board.path}/stories?updated_since=${instant}`);
    expectErrors(answer, 'updated_since invalid_type');
    expect(answer.body.detail).toContain('%2B');
  });

  it('say which values are allowed', async () => {
    const { client } = service;
    const answers = [
      await client.get(`${board.path}/stories?updated_since=x&count=yes`),
      await client.post(`${board.path}/batch`, { operations: [] }),
      await put(JSON.stringify({ sprint_id: 'x', labels: Array(21).fill('x') }), JSON_TYPE),
    ];
    const details = answers.flatMap(({ body }) => body.errors.map(({ detail }: any) => detail));
    expect(details.sort()).toEqual([
      'count must be true or false',
      'labels must have at most 20 items',
      'operations must have at least one item',
      'sprint_id must be current, next or an id',
      'updated_since must be a date or an RFC 3339 date-time',
    ]);
  });

  it('say that a condition needs a strong entity tag', async () => {
    const { headers } = await service.client.get(`/api/stories/${story.id}`);
    const etag = String(headers.get('etag'));
    for (const tag of [`W/${etag}`, etag.slice(1, -1), 'x', '']) {
      const answer = await put('{}', { ...JSON_TYPE, 'if-match': tag });
      expectProblem(answer, 412, 'precondition_failed');
      expect(answer.body.detail).toContain('in quotes');
    }
  });

  it('say who has an external id', async () => {
    const { client } = service;
    await board.story(null, { external_id: 'E-1' });
    const answer = await client.post(`${board.path}/backlog`, { title: 'B', external_id: 'E-1' });
    expectProblem(answer, 409, 'external_id_taken');
    expect(answer.body.detail).toBe('Another story of the board has the `external_id` "E-1".');
  });

  it('are ten at most in the detail, and all in the list', async () => {
    const body = Object.fromEntries(Array.from({ length: 12 }, (_, i) => [`f${i}`, 1]));
    const answer = await service.client.put(`/api/stories/${story.id}`, body);
    expect(answer.body.errors).toHaveLength(12);
    expect(answer.body.detail).toMatch(/^The request has 12 errors: f0 .*; f9 is not a field; …$/);
  });

  it('that depend on stored rows are reported together', async () => {
    const { client } = service;
    expectErrors(
      await client.put(`/api/stories/${story.id}`, { id: story.id + 1, sprint_id: 999_999 }),
      '/id read_only',
      '/sprint_id not_found',
    );
    expectErrors(
      await client.put(`/api/sprints/${sprint.id}`, { id: sprint.id + 1, end_date: '2019-12-31' }),
      '/end_date out_of_range',
      '/id read_only',
    );
  });
});
