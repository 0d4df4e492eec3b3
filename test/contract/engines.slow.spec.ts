import { Agent } from 'node:http';
import type { TestApp } from '../support/app';
import { startApp } from '../support/app';
import type { EngineName } from '../support/databases';
import type { Hostile } from '../support/hostile';
import { HOSTILE, ODD_TEXTS } from '../support/hostile';
import type { RawResponse } from '../support/http';
import { send } from '../support/http';

/** Returns the parts of a response that must be equal: without the request id and the random part of a tag. */
function comparableParts({ status, headers, text }: RawResponse): unknown {
  const { location, allow, link, 'content-type': type, 'x-total-count': total } = headers;
  const etag = headers.etag?.replace(/^("\d+\.\d+)\..*"$/, '$1"');
  const body = text.replace(/"request_id":"[^"]*"/, '"request_id":"…"');
  return { status, etag, location, allow, link, type, total, body };
}

const json = (method: string, path: string, body?: unknown): Hostile => ({
  name: '',
  method,
  path,
  ...(body !== undefined && {
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  }),
});

/** The requests of a team in a month. Both engines assign the same ids to the same requests. */
function* work(): Generator<Hostile & { at?: string }> {
  const board = '/api/boards/Same';
  const day = (i: number): string => `2026-11-${String(i).padStart(2, '0')}`;
  yield {
    ...json('POST', '/api/boards', { name: 'Same', time_zone: 'Pacific/Auckland' }),
    at: '2026-11-01T11:30:00Z',
  };
  for (const name of ['b', 'B', 'é', 'e\u0301', 'z', '😀', '\uffee', 'b\u00a0c', 'b c'])
    yield json('POST', '/api/boards', { name });
  yield json('GET', '/api/boards');
  for (const [start, end] of [
    [2, 13],
    [16, 27],
    [9, null],
    [23, null],
    [23, 23],
  ] as const) {
    yield json('POST', `${board}/sprints`, {
      start_date: day(start),
      end_date: end && day(end),
      name: `S${start}`,
      goal: 'ß',
    });
  }
  for (const [i, text] of ODD_TEXTS.entries()) {
    const list = i % 3 ? `/api/sprints/${1 + (i % 5)}/stories` : `${board}/backlog`;
    yield json('POST', list, {
      title: text,
      description: text.repeat(3),
      ...(i % 2 && {
        seq: (i % 7) - 3,
        points: i / 4,
        priority: i % 5,
        labels: [text, `l${i % 3}`],
        assignee: text,
        external_id: `E${i % 40}`,
      }),
    });
    if (i % 4 === 0) yield json('POST', `/api/stories/${i + 1}/tasks`, { title: text, seq: i % 3 });
  }
  for (let i = 1; i <= 50; i += 1) {
    yield {
      ...json(
        'PUT',
        `/api/stories/${i}`,
        [
          { status: 'done' },
          { sprint_id: 1 + (i % 6) },
          { sprint_id: null, points: 0.07 },
          { external_id: `E${i}` },
          { title: 'x', version: i % 3 },
        ][i % 5],
      ),
      at: `2026-11-${day(1 + (i % 28)).slice(8)}T12:00:00Z`,
    };
    if (i % 10 === 0) yield json('POST', `/api/stories/${i}/move`, { position: 'first' });
    if (i % 15 === 0)
      yield json('POST', `${board}/stories/move`, { story_ids: [i, i - 1, i - 2], sprint_id: 2 });
    if (i % 17 === 0) yield json('DELETE', `/api/stories/${i}`);
    if (i % 6 === 0) yield json('PATCH', `/api/tasks/${i / 6}`, { status: 'done', assignee: 'İ' });
  }
  for (const at of [
    '2026-11-01T10:59:59Z',
    '2026-11-15T11:00:00Z',
    '2026-11-28T11:00:00Z',
    '2027-01-01T00:00:00Z',
  ]) {
    for (const path of [
      'sprints',
      'sprints?state=active',
      'sprints?state=ended',
      'sprints/current',
      'sprints/next',
      'sprints/previous/stories',
    ]) {
      yield { ...json('GET', `${board}/${path}`), at };
    }
  }
  const queries = [
    '',
    '?count=true&limit=7',
    '?sort=title',
    '?sort=-title,points',
    '?sort=-priority,-points,created_at',
    '?label=l1&label=l2',
    '?assignee=',
    '?priority=1&priority=',
    '?q=drop',
    '?q=%25',
    '?q=%C3%9F',
    '?q=%C4%B0',
    '?updated_since=2026-11-20T00:00:00Z',
    '?fields=id,seq&sort=-seq',
    '?status=done&count=true',
  ];
  for (const query of queries) yield json('GET', `${board}/stories${query}`);
  yield json('DELETE', '/api/sprints/2');
  yield json('DELETE', '/api/sprints/3');
  yield json('PUT', board, { name: 'Renamed' });
  yield json('POST', '/api/boards/Renamed/backlog', { title: 'last', seq: 2147483647 });
  yield json('POST', '/api/boards/Renamed/backlog', { title: 'beyond' });
  for (let i = 1; i <= 20; i += 1) yield json('GET', `/api/stories/${i}/history`);
  for (const rest of [
    '',
    '/sprints',
    '/stories',
    '/backlog',
    '/events',
    '/events?after=50&limit=5',
  ])
    yield json('GET', `/api/boards/Renamed${rest}`);
  yield json('DELETE', '/api/boards/Renamed');
  yield json('DELETE', '/api/boards/b?force=true');
}

(process.env.TEST_MYSQL_URL ? describe : describe.skip)('SQLite and MySQL', () => {
  const agent = new Agent({ keepAlive: true, maxSockets: 16 });
  let services: Record<EngineName, TestApp>;
  beforeAll(async () => {
    services = {
      sqlite: await startApp({ engine: 'sqlite' }),
      mysql: await startApp({ engine: 'mysql' }),
    };
  });
  afterAll(async () => {
    agent.destroy();
    for (const service of Object.values(services)) await service.close();
  });

  /** Sends a request to both services and returns the difference of the responses. */
  async function compare(call: Hostile): Promise<string | undefined> {
    const answers = await Promise.all(
      Object.values(services).map(async ({ url }) =>
        JSON.stringify(comparableParts(await send(url + call.path, { ...call, agent }))),
      ),
    );
    if (answers[0] === answers[1]) return undefined;
    return `${call.method} ${call.path} ${String(call.body).slice(0, 200)}\n  ${answers.join('\n  ').slice(0, 3000)}`;
  }

  it('answer the same requests with the same status and the same body', async () => {
    const different: string[] = [];
    for (const { at, ...call } of work()) {
      if (at) for (const { clock } of Object.values(services)) clock.set(at);
      const difference = await compare(call);
      if (difference) different.push(difference);
    }
    expect(different).toEqual([]);
  }, 60_000);

  it('reject hostile requests with the same responses', async () => {
    for (const { clock } of Object.values(services)) clock.set('2026-11-21T12:00:00Z');
    const made: Record<string, string> = { board: 'Target' };
    for (const [name, path, body] of [
      ['sprint', '/api/boards/Target/sprints', { start_date: '2020-01-01' }],
      ['story', '/api/sprints/{sprint}/stories', { title: 'x' }],
      ['task', '/api/stories/{story}/tasks', { title: 'x' }],
    ] as const) {
      const filled = path.replace(/\{(\w+)\}/, (_, key: string) => made[key] ?? '');
      for (const { client } of Object.values(services))
        made[name] = String((await client.post(filled, body)).body.id);
    }
    const different: string[] = [];
    for (let start = 0; start < HOSTILE.length; start += 16) {
      const compared = await Promise.all(
        HOSTILE.slice(start, start + 16).map(({ path, ...call }) =>
          compare({
            ...call,
            path: path.replace(
              /\{(board|sprint|story|task)\}/g,
              (_, name: string) => made[name] ?? '',
            ),
          }),
        ),
      );
      different.push(...compared.filter((difference) => difference !== undefined));
    }
    expect(different).toEqual([]);
  });
});
