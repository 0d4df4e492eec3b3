import { ExpiredKeys } from '../../src/database/expired-keys';
import { Database } from '../../src/database/database';
import { startApp, useApp } from '../support/app';
import type { Answer } from '../support/client';
import { insertRows } from '../support/fill';
import { made2xx, Workspace } from '../support/make';
import { onStatement } from '../support/statements';

const service = useApp();
afterEach(() => service.clock.set());

const post = (
  path: string,
  key: string,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> =>
  service.client.post(path, body, { headers: { 'Idempotency-Key': key, ...headers } });

/** The parts of a response that must be equal when it is sent again. */
const seen = ({ status, text, headers }: Answer) => ({
  status,
  text,
  etag: headers.get('etag'),
  location: headers.get('location'),
  type: headers.get('content-type'),
});

const replayed = ({ headers }: Answer) => headers.get('idempotent-replayed') === 'true';

const storiesOf = async (board: string): Promise<{ title: string }[]> =>
  (await service.client.get(`/api/boards/${board}/backlog`)).body;

describe('a request with an Idempotency-Key', () => {
  it('is performed once and gets the same response, however often it is sent at once', async () => {
    const keys = Array.from({ length: 60 }, (_, i) => `at-once-${i}`);
    const answers: Answer[] = [];
    for (let round = 0; round < keys.length; round += 20) {
      answers.push(
        ...(await Promise.all(
          keys
            .slice(round, round + 20)
            .flatMap((key) =>
              Array.from({ length: 5 }, () =>
                post('/api/boards/Crowd/backlog', key, { title: key }),
              ),
            ),
        )),
      );
    }
    for (const [i, key] of keys.entries()) {
      const five = answers.slice(i * 5, i * 5 + 5);
      expect(five.map(({ status }) => status)).toEqual([201, 201, 201, 201, 201]);
      expect(new Set(five.map((answer) => JSON.stringify(seen(answer)))).size).toBe(1);
      expect(five.filter(replayed)).toHaveLength(4);
      expect(five[0]?.body.title).toBe(key);
    }
    expect((await storiesOf('Crowd')).map(({ title }) => title).sort()).toEqual([...keys].sort());
  });

  it('gets the same response however long it is', async () => {
    const { client } = service;
    // In JSON each of these characters takes six bytes; a statement may have 16 MiB.
    const description = `😀${'\u0001'.repeat(32_700)}`;
    const ids: number[] = [];
    for (let i = 0; i < 90; i += 1) {
      const made = await client.post('/api/boards/Long/backlog', { title: `${i}`, description });
      ids.push(made.body.id as number);
    }
    const move = () =>
      post('/api/boards/Long/stories/move', 'long', { story_ids: [...ids].reverse() });
    const first = await move();
    const second = await move();
    expect(first.status).toBe(200);
    expect(first.text.length).toBeGreaterThan(16 * 1024 * 1024);
    expect([replayed(first), replayed(second)]).toEqual([false, true]);
    expect(second.text === first.text).toBe(true);
    expect(seen(second).etag).toBe(seen(first).etag);
    // The stored responses are deleted with their keys.
    service.clock.set('2099-03-01T00:00:00.000Z');
    await service.app.get(ExpiredKeys).delete();
    service.clock.set();
    expect(await service.app.get(Database).query('SELECT part FROM idempotency_parts')).toEqual([]);
  });

  it('gets the same response even if it is stored in parts that begin within a character', async () => {
    // The longest text of a story that is stored with the response.
    const description = '😀'.repeat(250);
    const labels = Array.from({ length: 20 }, (_, i) => `${i}${'😀'.repeat(24)}`);
    // The titles differ by one character, so one of the responses is divided within a pair of surrogates.
    for (const key of ['a', 'aa']) {
      const operations = Array.from({ length: 400 }, (_, i) => {
        const set = { title: i === 0 ? key : 'x', description, labels };
        return { op: 'create', type: 'story', set };
      });
      const send = (): Promise<Answer> =>
        post('/api/boards/Parts/batch', `parts-${key}`, { operations });
      const [first, second] = [await send(), await send()];
      expect([first.status, replayed(second), second.text === first.text]).toEqual([
        200,
        true,
        true,
      ]);
    }
  });

  it('creates one board, however often it is sent at once', async () => {
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => post('/api/boards', 'one-board', { name: 'Once' })),
    );
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201, 201]);
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
  });

  it('gets its first response even if the resource was changed or deleted', async () => {
    const body = { title: 'ephemeral' };
    const first = await post('/api/boards/Later/backlog', 'later', body);
    await service.client.put(`/api/stories/${first.body.id}`, { title: 'changed' });
    expect(seen(await post('/api/boards/Later/backlog', 'later', body))).toEqual(seen(first));
    await service.client.delete(`/api/stories/${first.body.id}`);
    const again = await post('/api/boards/Later/backlog', 'later', body);
    expect(seen(again)).toEqual(seen(first));
    expect(replayed(first)).toBe(false);
    expect(replayed(again)).toBe(true);
    expect(await storiesOf('Later')).toEqual([]);
  });

  it('gets its first response even if its path no longer names a sprint', async () => {
    service.clock.set('2026-11-21T12:00:00.000Z');
    const board = await Workspace.create(service.client);
    const sprint = await board.sprint('2026-11-16', { end_date: '2026-11-29' });
    const path = `${board.path}/sprints/current/stories`;
    const first = await post(path, 'current', { title: 'by word' });
    expect(first.body.sprint_id).toBe(sprint.id);
    await made2xx(service.client.post(`/api/sprints/${sprint.id}/complete`));
    const again = await post(path, 'current', { title: 'by word' });
    expect(seen(again)).toEqual(seen(first));
    expect(replayed(again)).toBe(true);
    const other = await post(path, 'another', { title: 'by word' });
    expect([other.status, other.body.code]).toEqual([404, 'no_current_sprint']);
  });

  it('gets its first response from another instance', async () => {
    const body = { title: 'restarted' };
    const first = await post('/api/boards/Restart/backlog', 'restart', body);
    const other = await startApp({ database: service.database });
    const again = await other.client.post('/api/boards/Restart/backlog', body, {
      headers: { 'Idempotency-Key': 'restart' },
    });
    await other.close();
    expect(seen(again)).toEqual(seen(first));
    expect(replayed(again)).toBe(true);
    expect(await storiesOf('Restart')).toHaveLength(1);
  });

  it('is rejected if the key belongs to another request', async () => {
    const path = '/api/boards/Other/backlog';
    await post(path, 'taken', { title: 'first' });
    for (const [where, body] of [
      [path, { title: 'second' }],
      [path, { title: 'first', seq: 1 }],
      ['/api/boards/Another/backlog', { title: 'first' }],
    ] as const) {
      const rejected = await post(where, 'taken', body);
      expect(rejected.status).toBe(422);
      expect(rejected.body.code).toBe('idempotency_key_reused');
    }
    expect(await storiesOf('Other')).toHaveLength(1);
    expect((await service.client.get('/api/boards/Another')).status).toBe(404);
  });

  it('is rejected if the key belongs to a request with another query', async () => {
    const send = (query: string) =>
      service.client.post(`/api/boards/Query/import${query}`, undefined, {
        raw: 'title\nnew',
        headers: { 'idempotency-key': 'query', 'content-type': 'text/csv' },
      });
    expect((await send('')).status).toBe(200);
    const { status, body } = await send('?format=csv');
    expect([status, body.code]).toEqual([422, 'idempotency_key_reused']);
    expect(await storiesOf('Query')).toHaveLength(1);
  });

  it('is the same request with or without a trailing slash', async () => {
    await post('/api/boards/Slash/backlog', 'slash', { title: 'one' });
    const again = await post('/api/boards/Slash/backlog/', 'slash', { title: 'one' });
    expect(replayed(again)).toBe(true);
  });

  it('that is rejected leaves the key unused', async () => {
    const path = '/api/boards/Free/backlog';
    expect((await post(path, 'free', { title: '' })).status).toBe(400);
    await service.client.post(path, { title: 'in the way', external_id: 'X-1' });
    const conflict = await post(path, 'free', { title: 'mine', external_id: 'X-1' });
    expect(conflict.status).toBe(409);
    const done = await post(path, 'free', { title: 'mine', external_id: 'X-2' });
    expect(done.status).toBe(201);
    expect(replayed(done)).toBe(false);
  });

  it('that is rejected five times at once leaves the key unused', async () => {
    const path = '/api/boards/Refused/backlog';
    await service.client.post(path, { title: 'in the way', external_id: 'X-1' });
    const rejections = await Promise.all(
      Array.from({ length: 5 }, () => post(path, 'refused', { title: 'mine', external_id: 'X-1' })),
    );
    expect(rejections.map(({ status }) => status)).toEqual([409, 409, 409, 409, 409]);
    expect((await post(path, 'refused', { title: 'mine' })).status).toBe(201);
  });

  it('has a key of 1 to 255 visible characters, which is case-sensitive', async () => {
    const path = '/api/boards/Keys/backlog';
    for (const key of ['a', 'A', '!"#$%&', 'k'.repeat(255)]) {
      const made = await post(path, key, { title: 'one each' });
      expect(made.status).toBe(201);
      expect(replayed(made)).toBe(false);
    }
    for (const key of ['', 'k'.repeat(256), 'a b', 'ä']) {
      const rejected = await post(path, key, { title: 'none' });
      expect(rejected.status).toBe(400);
      expect(rejected.body.errors).toEqual([
        { header: 'Idempotency-Key', code: 'invalid_key', detail: expect.any(String) },
      ]);
    }
    expect(await storiesOf('Keys')).toHaveLength(4);
  });

  it('is 404 if its path does not exist, even if the key is invalid', async () => {
    expect((await post('/api/sprints/999999/stories', '', { title: 'x' })).status).toBe(404);
    expect((await post('/api/sprints/999999/stories', 'k', { title: 'x' })).status).toBe(404);
  });
});

describe('stored responses', () => {
  const rows = async (): Promise<number> => {
    const [row] = await service.app
      .get(Database)
      .query<{ n: number }>('SELECT COUNT(*) AS n FROM idempotency_keys');
    return Number(row?.n);
  };

  it('are kept for 24 hours', async () => {
    const path = '/api/boards/Day/backlog';
    service.clock.set('2099-01-01T12:00:00.000Z');
    const first = await post(path, 'day', { title: 'one' });
    service.clock.set('2099-01-02T11:59:59.999Z');
    await service.app.get(ExpiredKeys).delete();
    expect(seen(await post(path, 'day', { title: 'one' }))).toEqual(seen(first));
    // The response was long: its second part is in a row of its own.
    await insertRows(service, 'idempotency_parts', 1, () => ({
      token_id: 0,
      idempotency_key: 'day',
      part: 1,
      answer: 'the rest',
    }));
    // Not deleted yet, but no longer valid.
    service.clock.set('2099-01-02T12:00:00.001Z');
    const second = await post(path, 'day', { title: 'two' });
    expect(second.status).toBe(201);
    expect(second.body.id).not.toBe(first.body.id);
    expect(seen(await post(path, 'day', { title: 'two' }))).toEqual(seen(second));
  });

  it('are deleted afterwards, in chunks', async () => {
    const { app, clock } = service;
    await app.get(ExpiredKeys).delete();
    clock.set('2099-02-01T00:00:00.000Z');
    await app.get(ExpiredKeys).delete();
    expect(await rows()).toBe(0);
    // More keys of one millisecond than a chunk has.
    await insertRows(service, 'idempotency_keys', 600, (i) => ({
      token_id: 0,
      idempotency_key: `expired-${i}`,
      fingerprint: '',
      answer: '{}',
      created_at: '2099-02-01 00:00:00.000',
    }));
    clock.set('2099-02-01T23:59:59.999Z');
    await app.get(ExpiredKeys).delete();
    expect(await rows()).toBe(600);
    clock.set('2099-02-02T00:00:00.001Z');
    await app.get(ExpiredKeys).delete();
    expect(await rows()).toBe(0);
    // Two chunks of keys of different milliseconds.
    await insertRows(service, 'idempotency_keys', 600, (i) => ({
      token_id: 0,
      idempotency_key: `later-${i}`,
      fingerprint: '',
      answer: '{}',
      created_at: `2099-02-01 00:00:00.${String(i).padStart(3, '0')}`,
    }));
    clock.set('2099-02-03T00:00:00.000Z');
    await app.get(ExpiredKeys).delete();
    expect(await rows()).toBe(0);
  });

  it('that cannot be deleted are an error in the log', async () => {
    const log: string[] = [];
    const other = await startApp({ log, environment: { LOG_LEVEL: 'error' } });
    const stop = onStatement({
      before: ({ sql }) => {
        if (/^DELETE FROM .idempotency_keys/.test(sql)) throw new Error('the table is broken');
      },
    });
    try {
      await other.app.get(ExpiredKeys).run();
    } finally {
      stop();
      await other.close();
    }
    expect(log.map((line) => JSON.parse(line).msg)).toEqual(['the table is broken']);
  });

  it('that cannot be deleted because the disk is full are a warning in the log', async () => {
    const log: string[] = [];
    const other = await startApp({ log, environment: { LOG_LEVEL: 'warn' } });
    const full = Object.assign(new Error('the disk is full'), { code: 'SQLITE_FULL' });
    const stop = onStatement({
      before: ({ sql }) => {
        if (/^DELETE FROM .idempotency_keys/.test(sql)) throw full;
      },
    });
    try {
      await other.app.get(ExpiredKeys).run();
      while (log.length === 0) await new Promise(setImmediate);
    } finally {
      stop();
      await other.close();
    }
    expect(log.map((line) => JSON.parse(line).msg)).toEqual([
      'The database answers, but a statement failed: the disk is full.',
    ]);
  });

  it('are deleted every minute', async () => {
    const timers = jest.spyOn(globalThis, 'setInterval');
    const other = await startApp();
    try {
      const minutely = timers.mock.calls.filter(([, ms]) => ms === 60_000);
      const deleting = jest.spyOn(other.app.get(ExpiredKeys), 'delete').mockResolvedValue();
      for (const [run] of minutely) run();
      expect(deleting).toHaveBeenCalledTimes(1);
    } finally {
      timers.mockRestore();
      await other.close();
    }
  });
});
