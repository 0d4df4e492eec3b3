import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { useApp } from '../support/app';
import { boardPath, freshName, Workspace } from '../support/make';
import { expectErrors, expectProblem } from '../support/problems';
import { onStatement } from '../support/statements';
import { upload } from '../support/upload';

const service = useApp();
let board: Workspace;
let sprint: any;
let story: any;
let task: any;
beforeEach(async () => {
  service.clock.set('2026-11-21T12:00:00Z');
  board = await Workspace.create(service.client);
  sprint = await board.sprint('2026-11-16', { end_date: '2026-11-27' });
  story = await board.story(sprint);
  task = await board.task(story);
});

const tagOf = async (path: string): Promise<string> => {
  const tag = (await service.client.get(path)).headers.get('etag');
  expect(tag).toMatch(/^"[\x21\x23-\x7e]+"$/);
  return tag as string;
};

const singles = (): Record<string, string> => ({
  board: board.path,
  sprint: `/api/sprints/${sprint.id}`,
  story: `/api/stories/${story.id}`,
  task: `/api/tasks/${task.id}`,
});

const lists = (): string[] => [
  '/api/boards',
  `${board.path}/sprints`,
  `${board.path}/backlog`,
  `${board.path}/stories`,
  `${board.path}/events`,
  `${board.path}/sprints/current`,
  `${board.path}/sprints/current/stories`,
  `/api/sprints/${sprint.id}/stories`,
  `/api/stories/${story.id}/tasks`,
  `/api/stories/${story.id}/history`,
];

describe('a strong tag', () => {
  it('exists for every resource and list, and for HEAD', async () => {
    for (const path of [...Object.values(singles()), ...lists()]) {
      const tag = await tagOf(path);
      const head = await service.client.call('HEAD', path);
      expect([path, head.headers.get('etag')]).toEqual([path, tag]);
    }
  });

  it('of a list is a digest, or contains one of the program’s version and its API', async () => {
    const version = createHash('sha1');
    for (const file of ['package.json', 'openapi.json']) {
      version.update(readFileSync(join(__dirname, '../..', file)));
    }
    const digest = version.digest('base64url').slice(0, 8);
    for (const path of lists()) {
      const tag = await tagOf(path);
      const isDigest = /^"[\w-]{27}"$/.test(tag);
      expect([path, isDigest || tag.includes(digest)]).toEqual([path, true]);
    }
  });

  it('of the response to a change is that of the next GET', async () => {
    const { client } = service;
    const made = await client.post(`/api/sprints/${sprint.id}/stories`, { title: 'x' });
    expect(made.headers.get('etag')).toBe(await tagOf(`/api/stories/${made.body.id}`));
    const madeBoard = await client.post('/api/boards', { name: `${board.name} b` });
    expect(madeBoard.headers.get('etag')).toBe(await tagOf(`${board.path}%20b`));
    for (const [kind, body] of [
      ['board', { time_zone: 'Asia/Tokyo' }],
      ['sprint', { goal: 'x' }],
      ['story', { title: 'x' }],
      ['task', { title: 'x' }],
    ] as const) {
      const path = singles()[kind] as string;
      for (const method of ['PUT', 'PATCH']) {
        const changed = await client.call(method, path, body);
        expect([kind, changed.headers.get('etag')]).toEqual([kind, await tagOf(path)]);
      }
    }
  });

  it('of a story changes with the story and the name of its board, and only then', async () => {
    const { client } = service;
    const path = `/api/stories/${story.id}`;
    const tag = await tagOf(path);
    await board.task(story);
    await board.story(sprint);
    await client.put(path, { title: story.title });
    service.clock.set('2027-01-01T00:00:00Z');
    expect(await tagOf(path)).toBe(tag);
    await client.put(path, { points: 1 });
    const changed = await tagOf(path);
    expect(changed).not.toBe(tag);
    await client.put(board.path, { name: `${board.name} renamed` });
    expect(await tagOf(path)).not.toBe(changed);
  });

  it('of a sprint changes with the state that is derived from the day', async () => {
    const path = `/api/sprints/${sprint.id}`;
    const active = await tagOf(path);
    service.clock.set('2026-11-22T12:00:00Z');
    expect(await tagOf(path)).toBe(active);
    service.clock.set('2026-11-28T00:00:00Z');
    const ended = await tagOf(path);
    expect(ended).not.toBe(active);
    const answer = await service.client.put(
      path,
      { goal: 'x' },
      { headers: { 'if-match': active } },
    );
    expectProblem(answer, 412, 'precondition_failed');
    service.clock.set('2026-11-27T23:59:59Z');
    expect(await tagOf(path)).toBe(active);
  });

  it('of a sprint without an end changes when a later one starts', async () => {
    const open = await board.sprint('2026-11-20');
    const path = `/api/sprints/${open.id}`;
    const before = await tagOf(path);
    await board.sprint('2026-12-01');
    expect(await tagOf(path)).toBe(before);
    service.clock.set('2026-12-01T00:00:00Z');
    expect(await tagOf(path)).not.toBe(before);
  });

  it('of a list changes whenever the list does', async () => {
    const { client } = service;
    const changes: (() => Promise<unknown>)[] = [
      () => client.put(`/api/stories/${story.id}`, { title: 'changed' }),
      () => client.put(`/api/tasks/${task.id}`, { title: 'changed' }),
      () => client.put(`/api/sprints/${sprint.id}`, { goal: 'changed' }),
      () => client.put(`/api/stories/${story.id}`, { sprint_id: null }),
      () => client.put(board.path, { time_zone: 'Asia/Tokyo' }),
    ];
    for (const change of changes) {
      const before = [];
      for (const path of lists()) before.push(await client.get(path));
      await change();
      for (const [i, path] of lists().entries()) {
        const now = await client.get(path);
        const same = now.headers.get('etag') === before[i]?.headers.get('etag');
        if (same) expect([path, now.text]).toEqual([path, before[i]?.text]);
      }
    }
  });

  it('of current, next and previous changes with the day', async () => {
    const { client } = service;
    const next = await board.sprint('2026-11-30');
    const there = await board.story(next);
    for (const [path, ids] of [
      [`${board.path}/sprints/current`, (body: any) => body.stories.map(({ id }: any) => id)],
      [`${board.path}/sprints/current/stories`, (body: any) => body.map(({ id }: any) => id)],
    ] as const) {
      service.clock.set('2026-11-21T12:00:00Z');
      const today = await client.get(path);
      expect(ids(today.body)).toEqual([story.id]);
      service.clock.set('2026-11-30T12:00:00Z');
      const headers = { 'if-none-match': today.headers.get('etag') as string };
      const later = await client.get(path, { headers });
      expect([path, later.status]).toEqual([path, 200]);
      expect(ids(later.body)).toEqual([there.id]);
    }
    service.clock.set('2026-11-21T12:00:00Z');
    const states = await client.get(`${board.path}/sprints`);
    service.clock.set('2026-11-30T12:00:00Z');
    const headers = { 'if-none-match': states.headers.get('etag') as string };
    expect((await client.get(`${board.path}/sprints`, { headers })).status).toBe(200);
  });

  it('of the list of sprints belongs to the day in the time zone that its items were read in', async () => {
    await service.client.put(board.path, { time_zone: 'Asia/Tokyo' });
    await board.sprint('2026-11-23');
    service.clock.set('2026-11-22T23:30:00Z');
    const path = `${board.path}/sprints`;
    let changed = false;
    const stop = onStatement({
      before: async ({ sql }) => {
        if (changed || !sql.includes('ORDER BY s.start_date')) return;
        changed = true;
        await service.client.put(board.path, { time_zone: 'UTC' });
      },
    });
    const { headers, body } = await service.client.get(path).finally(stop);
    expect(body.at(-1)).toMatchObject({ start_date: '2026-11-23', state: 'planned' });
    service.clock.set('2026-11-23T12:00:00Z');
    expect((await service.client.get(path)).body.at(-1).state).toBe('active');
    expect(await tagOf(path)).not.toBe(headers.get('etag'));
  });
});

describe('If-None-Match', () => {
  it('answers 304 without a body for the current tag', async () => {
    for (const path of [...Object.values(singles()), ...lists()]) {
      const tag = await tagOf(path);
      for (const value of [tag, `W/${tag}`, `"x", ${tag}`, '*']) {
        for (const method of ['GET', 'HEAD']) {
          const answer = await service.client.call(method, path, undefined, {
            headers: { 'if-none-match': value },
          });
          expect([path, value, answer.status, answer.text]).toEqual([path, value, 304, '']);
          // It would be the length of the 200 (RFC 9110, section 8.6).
          expect(answer.headers.get('content-length')).toBeNull();
          expect([path, value, method, answer.headers.get('etag')]).toEqual([
            path,
            value,
            method,
            tag,
          ]);
          expect(answer.headers.get('content-type')).toBeNull();
        }
      }
    }
  });

  it('answers 200 for other tags', async () => {
    for (const path of [...Object.values(singles()), ...lists()]) {
      for (const value of ['"x"', 'x', '', '"', ',', tagOf.name]) {
        const answer = await service.client.get(path, { headers: { 'if-none-match': value } });
        expect([path, value, answer.status]).toEqual([path, value, 200]);
      }
    }
  });

  it('answers 304 with the headers of a page of boards, which may change without its items', async () => {
    const path = '/api/boards?limit=1&count=true';
    const headers = { 'if-none-match': await tagOf(path) };
    await Workspace.create(service.client, 'UTC', '\u{10ffff}');
    const page = await service.client.get(path);
    const again = await service.client.get(path, { headers });
    expect([again.status, again.text]).toEqual([304, '']);
    for (const name of ['link', 'x-total-count']) {
      expect(page.headers.get(name)).not.toBeNull();
      expect(again.headers.get(name)).toBe(page.headers.get(name));
    }
  });

  it('of * does not answer 304 for a resource that does not exist', async () => {
    const answer = await service.client.get('/api/stories/999999', {
      headers: { 'if-none-match': '*' },
    });
    expectProblem(answer, 404, 'story_not_found');
    expect(answer.headers.get('etag')).toBeNull();
  });
});

describe('If-Match', () => {
  const changes = {
    board: { time_zone: 'Asia/Tokyo' },
    sprint: { goal: 'x' },
    story: { points: 1 },
    task: { title: 'x' },
  };

  it('allows a change with the current tag', async () => {
    for (const [kind, body] of Object.entries(changes)) {
      const path = singles()[kind] as string;
      for (const list of [(tag: string) => tag, (tag: string) => `"x" , ${tag}`, () => '*']) {
        const headers = { 'if-match': list(await tagOf(path)) };
        expect([kind, (await service.client.put(path, body, { headers })).status]).toEqual([
          kind,
          200,
        ]);
      }
    }
  });

  it('rejects PUT, PATCH and DELETE with a stale tag', async () => {
    const { client } = service;
    for (const [kind, body] of Object.entries(changes)) {
      const path = singles()[kind] as string;
      const { text } = await client.get(path);
      const tag = await tagOf(path);
      for (const value of ['"stale"', `W/${tag}`, tag.slice(1, -1), '']) {
        const headers = { 'if-match': value };
        expectProblem(await client.put(path, body, { headers }), 412, 'precondition_failed');
        expectProblem(await client.patch(path, {}, { headers }), 412, 'precondition_failed');
        expectProblem(await client.delete(path, { headers }), 412, 'precondition_failed');
      }
      expect((await client.get(path)).text).toBe(text);
    }
  });

  it('is checked after the body, before conflicts and stored rows', async () => {
    const { client } = service;
    await board.story(null, { external_id: 'taken' });
    const headers = { 'if-match': '"stale"' };
    const path = `/api/stories/${story.id}`;
    const put = (body: object, options = {}): Promise<any> => client.put(path, body, options);
    expectErrors(await put({ title: '' }, { headers }), '/title blank');
    expectProblem(await put({ external_id: 'taken' }, { headers }), 412, 'precondition_failed');
    expectProblem(await put({ external_id: 'taken', version: 9 }), 412, 'precondition_failed');
    expectProblem(
      await put({ external_id: 'taken', sprint_id: 999999999 }),
      409,
      'external_id_taken',
    );
    expectProblem(await put({ external_id: 'taken', id: 0 }), 409, 'external_id_taken');
    expectErrors(await put({ sprint_id: 999999999 }), '/sprint_id not_found');
    const missing = await client.put('/api/stories/999999', { title: 'x' }, { headers });
    expectProblem(missing, 404, 'story_not_found');
    expectProblem(await client.delete(board.path, { headers }), 412, 'precondition_failed');
    expectProblem(await client.delete(board.path), 409, 'board_not_empty');
  });

  it('is rejected as * by an import and a batch that would create their board', async () => {
    const headers = { 'if-match': '*' };
    const name = freshName('New');
    const file = { type: 'text/csv', headers };
    expectProblem(
      await upload(service.client, name, 'title\nImported\n', file),
      412,
      'precondition_failed',
    );
    const operations = [{ op: 'create', type: 'story', set: { title: 'x' } }];
    const batch = `${boardPath(name)}/batch`;
    expectProblem(
      await service.client.post(batch, { operations }, { headers }),
      404,
      'board_not_found',
    );
    expect((await service.client.get(boardPath(name))).status).toBe(404);
  });

  it('is compared with the tag of the stories of the board by an import', async () => {
    const send = (name: string, tag: string): Promise<any> =>
      upload(service.client, name, 'title\nImported\n', {
        type: 'text/csv',
        headers: { 'if-match': tag },
      });
    const stories = `${board.path}/stories`;
    const tag = await tagOf(stories);
    expect((await send(board.name, tag)).status).toBe(200);
    expectProblem(await send(board.name, tag), 412, 'precondition_failed');
    expect((await service.client.get(stories)).body).toHaveLength(2);
    const name = freshName('New');
    expectProblem(await send(name, tag), 412, 'precondition_failed');
    expect((await service.client.get(boardPath(name))).status).toBe(404);
    const { text } = await service.client.get(`${board.path}/export?log=true`);
    const restored = await upload(service.client, name, text, {
      type: 'application/x-ndjson',
      headers: { 'if-match': tag },
    });
    expectProblem(restored, 412, 'precondition_failed');
  });

  it('allows a deletion with the current tag', async () => {
    const path = `/api/stories/${story.id}`;
    const tag = await tagOf(path);
    expect((await service.client.delete(path, { headers: { 'if-match': tag } })).status).toBe(200);
  });
});

describe('If-None-Match of a change', () => {
  const none = { headers: { 'if-none-match': '*' } };

  it('rejects it if the resource has the tag', async () => {
    const { client } = service;
    for (const path of Object.values(singles())) {
      const { text } = await client.get(path);
      const tag = await tagOf(path);
      for (const value of ['*', tag, `W/${tag}`, `"x", ${tag}`]) {
        const headers = { 'if-none-match': value };
        expectProblem(await client.put(path, {}, { headers }), 412, 'precondition_failed');
        expectProblem(await client.patch(path, {}, { headers }), 412, 'precondition_failed');
        expectProblem(await client.delete(path, { headers }), 412, 'precondition_failed');
      }
      expect((await client.get(path)).text).toBe(text);
      const headers = { 'if-none-match': '"x"' };
      expect((await client.put(path, {}, { headers })).status).toBe(200);
    }
    const missing = await client.put('/api/stories/999999', { title: 'x' }, none);
    expectProblem(missing, 404, 'story_not_found');
  });

  it('as * allows an import and a batch only if they create their board', async () => {
    const name = freshName('New');
    const file = { type: 'text/csv', ...none };
    const send = () => upload(service.client, name, 'title\nImported\n', file);
    expect((await send()).status).toBe(200);
    expectProblem(await send(), 412, 'precondition_failed');
    const other = boardPath(freshName('Other'));
    const operations = [{ op: 'create', type: 'story', set: { title: 'x' } }];
    const batch = () => service.client.post(`${other}/batch`, { operations }, none);
    expect((await batch()).status).toBe(200);
    expectProblem(await batch(), 412, 'precondition_failed');
    expect((await service.client.get(`${other}/stories`)).body).toHaveLength(1);
  });
});
