import { once } from 'node:events';
import type { Socket } from 'node:net';
import { performance } from 'node:perf_hooks';
import { setImmediate as turn } from 'node:timers/promises';
import type { ObjectLiteral } from 'typeorm';
import { Repository } from 'typeorm';
import { DeletedBoards } from '../../src/boards/deleted-boards.service';
import { UnitOfWork } from '../../src/database/unit-of-work';
import type { EventStream } from '../../src/events/event-stream';
import { EventsService } from '../../src/events/events.service';
import { StreamsService } from '../../src/events/streams.service';
import { OPEN } from '../../src/http/access';
import type { TestApp } from '../support/app';
import { startApp, useApp } from '../support/app';
import type { StreamOptions } from '../support/event-stream';
import { Stream } from '../support/event-stream';
import { send } from '../support/http';
import { fillLog } from '../support/fill';
import { made2xx, Workspace } from '../support/make';
import { expectErrors, expectProblem } from '../support/problems';
import { onStatement } from '../support/statements';

const service = useApp();

const opened: Stream[] = [];
afterEach(() => {
  for (const stream of opened.splice(0)) stream.close();
});

async function open(path: string, options?: StreamOptions, on = service): Promise<Stream> {
  const stream = await Stream.open(`${on.url}${path}`, options);
  opened.push(stream);
  return stream;
}

/** Opens a stream and waits until it has begun. */
async function openStarted(path: string, options?: StreamOptions, on = service): Promise<Stream> {
  const stream = await open(path, options, on);
  expect([path, stream.status]).toEqual([path, 200]);
  await stream.until(({ events }) => events.length > 0);
  return stream;
}

/** Changes rows without an event. */
const update = ({ app }: TestApp, sql: string, parameters: unknown[]): Promise<unknown> =>
  app.get(UnitOfWork).maintain((manager) => manager.query(sql, parameters));

const upTo = (from: number, to: number): number[] =>
  Array.from({ length: to - from }, (_, i) => from + i + 1);

describe('the stream of a board', () => {
  it('begins with "ready" at the current revision, then has each event of the log', async () => {
    const board = await Workspace.create(service.client);
    const sprint = await board.sprint('2026-11-23');
    const stream = await openStarted(`${board.path}/stream`);
    expect(stream.response.headers).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
    });
    expect(stream.response.headers).not.toHaveProperty('etag');
    expect(stream.response.headers).not.toHaveProperty('content-encoding');
    expect(stream.retry).toBe(2000);
    expect(stream.events).toMatchObject([{ id: 2, event: 'ready', data: { revision: 2 } }]);
    const story = await board.story(sprint, { title: 'Zeilen\numbruch ✓' });
    await board.task(story);
    await made2xx(service.client.put(`/api/stories/${story.id}`, { status: 'done' }));
    await stream.reaches(5);
    const log = await board.events(2);
    expect(stream.logged.map(({ data }) => data)).toEqual(log);
    expect(stream.logged.map(({ id, event }) => [id, event])).toEqual(
      log.map(({ revision, type }) => [revision, type]),
    );
  });

  it('has all events of a large change for a client that reads them', async () => {
    const board = await Workspace.create(service.client);
    const stream = await openStarted(`${board.path}/stream`);
    const set = { title: 'large', description: 'x'.repeat(1200) };
    const operations = Array.from({ length: 800 }, () => ({ op: 'create', type: 'story', set }));
    await made2xx(service.client.post(`${board.path}/batch`, { operations }));
    await stream.reaches(801);
    expect(stream.revisions).toEqual(upTo(1, 801));
  });

  it('reads long events in pages of at most 128 KiB', async () => {
    const board = await Workspace.create(service.client);
    const { id } = await board.story(null);
    for (const text of ['ä', '€', 'a', 'b']) {
      const description = text.repeat(32_767);
      await made2xx(service.client.patch(`/api/stories/${id}`, { description }));
    }
    const { id: boardId } = await made2xx(service.client.get(board.path));
    const events = service.app.get(EventsService);
    const pages: number[][] = [];
    for (let after = 0; ;) {
      const page = await events.page(boardId, after);
      if (page.length === 0) break;
      pages.push(page.map(({ revision }) => revision));
      after = page.at(-1)!.revision;
    }
    // The board, the story, and updates of 64, 160, 128 and 64 KiB.
    expect(pages).toEqual([[1, 2, 3], [4], [5], [6]]);
  });

  it('continues after a revision, or after `Last-Event-ID`, which has precedence', async () => {
    const board = await Workspace.create(service.client);
    for (let i = 0; i < 4; i += 1) await board.story(null);
    const after = await openStarted(`${board.path}/stream?after=2`);
    expect(after.events[0]).toMatchObject({ id: 2, event: 'ready', data: { revision: 5 } });
    await after.reaches(5);
    const resumed = await openStarted(`${board.path}/stream?after=1`, {
      headers: { 'last-event-id': '3' },
    });
    expect(resumed.events[0]).toMatchObject({ id: 3, event: 'ready', data: { revision: 5 } });
    await resumed.reaches(5);
    const whole = await openStarted(`${board.path}/stream?after=0`, {
      headers: { 'last-event-id': '' },
    });
    await whole.reaches(5);
    await board.story(null);
    for (const [stream, from] of [
      [after, 2],
      [resumed, 3],
      [whole, 0],
    ] as const) {
      await stream.reaches(6);
      expect(stream.revisions).toEqual(upTo(from, 6));
    }
  });

  it('sends "reset" to a client with a later revision, and continues from the current one', async () => {
    const board = await Workspace.create(service.client);
    for (const id of ['2', '99', '9'.repeat(40)]) {
      const stream = await openStarted(`${board.path}/stream`, {
        headers: { 'last-event-id': id },
      });
      expect(stream.events).toMatchObject([{ id: 1, event: 'reset', data: { revision: 1 } }]);
    }
    const current = await openStarted(`${board.path}/stream?after=1`);
    const stream = await openStarted(`${board.path}/stream?after=2`);
    await board.story(null);
    await stream.reaches(2);
    expect(stream.events.map(({ event }) => event)).toEqual(['reset', 'story.created']);
    await current.reaches(2);
    expect(current.events.map(({ event }) => event)).toEqual(['ready', 'story.created']);
  });

  it('has only events of the requested types', async () => {
    const board = await Workspace.create(service.client);
    const story = await board.story(null);
    const stream = await openStarted(
      `${board.path}/stream?after=0&type=story.updated&type=sprint.created`,
    );
    await made2xx(service.client.put(`/api/stories/${story.id}`, { title: 'Other' }));
    await board.sprint('2026-11-23');
    await stream.reaches(4);
    expect(stream.events.map(({ id, event }) => [id, event])).toEqual([
      [0, 'ready'],
      [3, 'story.updated'],
      [4, 'sprint.created'],
    ]);
  });

  it('has new events of the requested types after a log that ends with others', async () => {
    const board = await Workspace.create(service.client);
    const story = await board.story(null);
    const stream = await openStarted(`${board.path}/stream?after=0&type=story.updated`);
    const [open] = service.app.get(StreamsService)['streams'];
    while (!open?.stream.isLive) await turn();
    await made2xx(service.client.put(`/api/stories/${story.id}`, { title: 'Other' }));
    await stream.reaches(3);
    expect(stream.logged.map(({ event }) => event)).toEqual(['story.updated']);
  });

  it('goes on after another stream of the board was closed', async () => {
    const board = await Workspace.create(service.client);
    const [one, two] = [
      await openStarted(`${board.path}/stream`),
      await openStarted(`${board.path}/stream`),
    ];
    one.close();
    while (service.app.get(StreamsService).count > 1) await turn();
    await board.story(null);
    await two.reaches(2);
    expect(two.revisions).toEqual([2]);
  });

  it('continues when an earlier stream of the board, which has ended, is closed', async () => {
    const board = await Workspace.create(service.client);
    const streams = service.app.get(StreamsService);
    const ended = await streams.open(board.name, {}, { ...OPEN, clientKey: 'slow' });
    const closed = once(ended, 'close');
    try {
      ended['feed'].end();
      const stream = await openStarted(`${board.path}/stream`);
      await board.story(null);
      await stream.reaches(2);
      ended.destroy();
      await closed;
      await board.story(null);
      await stream.reaches(3);
    } finally {
      ended.destroy();
    }
  });

  it('has a long log from its beginning, even if the service reads it in chunks', async () => {
    const board = await Workspace.create(service.client);
    const sprint = await board.sprint('2026-11-23');
    const description = 'ä'.repeat(30_000);
    const ids: number[] = [];
    for (let i = 0; i < 30; i += 1) {
      const { id } = await board.story(sprint, { description });
      ids.unshift(id as number);
    }
    for (let i = 0; i < 12; i += 1) {
      const move = { story_ids: ids, position: i % 2 ? 'first' : 'last' };
      await made2xx(service.client.post(`${board.path}/stories/move`, move));
    }
    const revision = await board.revision();
    const stream = await openStarted(`${board.path}/stream?after=0`);
    await board.story(null);
    await stream.reaches(revision + 1);
    expect(stream.logged.map(({ data }) => data)).toEqual(await board.events());
  });

  it('has a change of the same process within 100 ms', async () => {
    const board = await Workspace.create(service.client);
    const stream = await openStarted(`${board.path}/stream`);
    const delays: number[] = [];
    for (let i = 0; i < 20; i += 1) {
      await board.story(null);
      const committed = performance.now();
      await stream.reaches(2 + i);
      delays.push(Math.max(0, (stream.events.at(-1)?.at ?? 0) - committed));
    }
    expect(delays.sort((a, b) => a - b)[10]).toBeLessThan(100);
  });

  it('reads the log once for all streams of a process', async () => {
    const board = await Workspace.create(service.client);
    const streams = await Promise.all(
      Array.from({ length: 10 }, () => openStarted(`${board.path}/stream`)),
    );
    let reads = 0;
    const stop = onStatement({
      before: async ({ sql }) => {
        if (/FROM .?events.? .*revision.? > /s.test(sql)) reads += 1;
      },
    });
    await board.story(null);
    await Promise.all(streams.map((stream) => stream.reaches(2)));
    stop();
    expect(reads).toBeGreaterThan(0);
    expect(reads).toBeLessThan(5);
  });

  it('has an event that is longer than a slow client may be behind', async () => {
    const board = await Workspace.create(service.client);
    await board.story(null);
    const stream = await openStarted(`${board.path}/stream`);
    await fillLog(service, board.path, 2, { title: 'x'.repeat(1_500_000) });
    await service.app.get(StreamsService).poll();
    await stream.reaches(4);
    await board.story(null);
    await stream.reaches(5);
    expect(stream.revisions).toEqual([3, 4, 5]);
  });

  it('continues when the board is renamed', async () => {
    const board = await Workspace.create(service.client);
    const stream = await openStarted(`${board.path}/stream`);
    const name = `${board.name} renamed`;
    await made2xx(service.client.put(board.path, { name }));
    await made2xx(
      service.client.post(`/api/boards/${encodeURIComponent(name)}/backlog`, { title: 'x' }),
    );
    await stream.reaches(3);
    expect(stream.logged.map(({ data }) => [data.type, data.board_name])).toEqual([
      ['board.updated', name],
      ['story.created', name],
    ]);
  });

  it('is not that of another board that has got the name meanwhile, if the client sends the id', async () => {
    const { client } = service;
    const board = await Workspace.create(client);
    const { id } = (await client.get(board.path)).body;
    const resumed = `${board.path}/stream?after=1&board_id=${id}`;
    await openStarted(resumed);
    await made2xx(client.put(board.path, { name: `${board.name} renamed` }));
    expectProblem(await client.get(resumed), 404, 'board_not_found');
    await made2xx(client.post('/api/boards', { name: board.name }));
    expectProblem(await client.get(resumed), 404, 'board_not_found');
    const other = (await client.get(board.path)).body;
    await openStarted(`${board.path}/stream?board_id=${other.id}`);
    expectErrors(await client.get(`${board.path}/stream?board_id=0`), 'board_id out_of_range');
  });

  it('ends with "board.deleted" when the board is deleted', async () => {
    const board = await Workspace.create(service.client);
    await board.story(null);
    const delays = `${board.path}/stream?after=0`;
    const stream = await openStarted(`${board.path}/stream`);
    await made2xx(service.client.delete(`${board.path}?force=true`));
    expect(await stream.ended).toBe('clean');
    expect(stream.logged).toMatchObject([
      { id: 3, event: 'board.deleted', data: { board_name: board.name, revision: 3 } },
    ]);
    expect((await open(delays)).status).toBe(404);
    await service.app.get(DeletedBoards)['purging'];
  });

  it('has the last name of a board that is deleted right after it is renamed', async () => {
    const board = await Workspace.create(service.client);
    const stream = await openStarted(`${board.path}/stream`);
    const name = `${board.name} renamed`;
    await made2xx(service.client.put(board.path, { name }));
    await stream.reaches(2);
    await made2xx(service.client.delete(`/api/boards/${encodeURIComponent(name)}`));
    expect(await stream.ended).toBe('clean');
    expect(stream.logged.map(({ data }) => [data.type, data.board_name])).toEqual([
      ['board.updated', name],
      ['board.deleted', name],
    ]);
  });

  it('has comments, so that proxies do not close an idle connection', async () => {
    const board = await Workspace.create(service.client);
    const stream = await openStarted(`${board.path}/stream`);
    const streams = service.app.get(StreamsService);
    streams.heartbeat();
    await board.story(null);
    await stream.reaches(2);
    expect(stream.comments).toBe(1);
  });

  it('has comments, too, while it reads a long log for events of other types', async () => {
    const board = await Workspace.create(service.client);
    for (let i = 0; i < 3; i += 1) await board.story(null);
    const streams = service.app.get(StreamsService);
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    const stop = onStatement({
      before: ({ sql }) => (/FROM .events. .e./.test(sql) ? released : undefined),
    });
    try {
      const path = `${board.path}/stream?after=0&type=task.created`;
      const stream = await openStarted(path);
      streams.heartbeat();
      await stream.until(({ comments }) => comments === 1);
      release();
      const story = await board.story(null);
      await board.task(story);
      await stream.reaches(6);
      expect(stream.logged.map(({ event }) => event)).toEqual(['task.created']);
    } finally {
      release();
      stop();
    }
  });

  it('is polled only while a client is connected', async () => {
    const board = await Workspace.create(service.client);
    const streams = service.app.get(StreamsService);
    while (streams.count > 0) await new Promise(setImmediate);
    (await openStarted(`${board.path}/stream`)).close();
    while (streams.count > 0) await new Promise(setImmediate);
    const find = jest.spyOn(Repository.prototype, 'find');
    await streams.poll();
    expect(find).not.toHaveBeenCalled();
    find.mockRestore();
  });

  it('may be idle for longer than the time between two comments', async () => {
    const board = await Workspace.create(service.client);
    const connected = once(service.app.getHttpServer(), 'connection') as Promise<[Socket]>;
    await openStarted(`${board.path}/stream`);
    const [{ timeout }] = await connected;
    expect(timeout).toBeGreaterThan(15_000);
  });

  it('cannot be opened on an instance that stops', async () => {
    const board = await Workspace.create(service.client);
    const stopping = await startApp({ database: service.database });
    try {
      stopping.app.get(StreamsService).close();
      const answer = await stopping.client.get(`${board.path}/stream`);
      expectProblem(answer, 503, 'shutting_down');
    } finally {
      await stopping.close();
    }
  });

  it('answers HEAD without a stream', async () => {
    const board = await Workspace.create(service.client);
    const head = await send(`${service.url}${board.path}/stream`, { method: 'HEAD' });
    expect([head.status, head.text]).toEqual([200, '']);
    expect(head.headers['content-type']).toContain('text/event-stream');
    expect(service.app.get(StreamsService).count).toBe(0);
  });

  it('rejects invalid requests before it begins', async () => {
    const { client } = service;
    const board = await Workspace.create(client);
    expectProblem(await client.get('/api/boards/Nowhere/stream'), 404, 'board_not_found');
    expectErrors(await client.get(`${board.path}/stream?after=-1`), 'after out_of_range');
    expectErrors(await client.get(`${board.path}/stream?type=x`), 'type invalid_value');
    expectErrors(await client.get(`${board.path}/stream?limit=1`), 'limit unknown_field');
    const malformed = await client.get(`${board.path}/stream`, {
      headers: { 'last-event-id': 'abc' },
    });
    expect(malformed.body.errors).toMatchObject([
      { header: 'Last-Event-ID', code: 'invalid_type' },
    ]);
    const json = await client.get(`${board.path}/stream`, {
      headers: { accept: 'application/json' },
    });
    expectProblem(json, 406, 'not_acceptable');
  });
});

describe('the limit of streams', () => {
  it('is 20 for each address; further ones get 429 until one is closed', async () => {
    const board = await Workspace.create(service.client);
    const path = `${board.path}/stream`;
    const streams = await Promise.all(Array.from({ length: 20 }, () => openStarted(path)));
    const further = await service.client.get(path);
    expectProblem(further, 429, 'too_many_streams');
    expect(further.headers.get('retry-after')).toBe('1');
    expect((await openStarted(path, { localAddress: '127.0.0.2' })).status).toBe(200);
    const metrics = await service.client.get('/metrics');
    expect(metrics.text).toContain('\nstreams_open 21\n');
    streams[0]?.close();
    const streamsOpen = service.app.get(StreamsService);
    while (streamsOpen.count > 20) await new Promise(setImmediate);
    await openStarted(path);
  });

  it('does not count requests that wait behind others on a connection that is closed', async () => {
    const board = await Workspace.create(service.client);
    const { hostname, port } = new URL(service.url);
    const { connect } = await import('node:net');
    const streams = service.app.get(StreamsService);
    const socket = connect(Number(port), hostname);
    const line = `GET ${board.path}/stream HTTP/1.1\r\nHost: localhost\r\n\r\n`;
    socket.write(line.repeat(5));
    while (streams.count < 5) await new Promise(setImmediate);
    socket.destroy();
    while (streams.count > 0) await new Promise(setImmediate);
  });

  it('is 1,000 in a process; further ones get 503', async () => {
    const board = await Workspace.create(service.client);
    const path = `${board.path}/stream`;
    const from = (i: number): StreamOptions => ({
      localAddress: `127.0.1.${1 + Math.floor(i / 20)}`,
    });
    for (let i = 0; i < 1000; i += 100) {
      await Promise.all(Array.from({ length: 100 }, (_, j) => openStarted(path, from(i + j))));
    }
    const further = await open(path, { localAddress: '127.0.2.1' });
    expect(further.status).toBe(503);
    expect(further.response.headers['retry-after']).toBe('1');
    // Streams do not occupy slots of other requests.
    await board.story(null);
    await Promise.all(opened.slice(0, 1000).map((stream) => stream.reaches(2)));
    for (const stream of opened.splice(0)) stream.close();
    const streams = service.app.get(StreamsService);
    while (streams.count > 0) await new Promise(setImmediate);
  }, 60_000);
});

describe('a stream of a token', () => {
  let locked: TestApp;
  let admin: TestApp['client'];
  beforeAll(async () => {
    locked = await startApp();
  });
  afterAll(() => locked.close());
  afterEach(() => locked.clock.set());

  const bearer = (token: string): StreamOptions => ({
    headers: { authorization: `Bearer ${token}` },
  });
  const token = (body: object): Promise<any> =>
    made2xx(admin.post('/api/tokens', { name: 'Reader', scope: 'read', ...body }));

  it('ends when the first token is created, if it has none', async () => {
    const board = await Workspace.create(locked.client);
    const stream = await openStarted(`${board.path}/stream`, {}, locked);
    const streams = locked.app.get(StreamsService);
    await streams.checkAccess();
    expect(stream.hasEnded).toBe(false);
    const root = await made2xx(locked.client.post('/api/tokens', { name: 'Root', scope: 'admin' }));
    admin = locked.client.with({ authorization: `Bearer ${root.token}` });
    await streams.checkAccess();
    expect(await stream.ended).toBe('clean');
    expect((await open(`${board.path}/stream`, {}, locked)).status).toBe(401);
  });

  it('ends when the token is deleted or expires, or loses its board', async () => {
    const board = await Workspace.create(admin);
    const path = `${board.path}/stream`;
    const deleted = await token({});
    const expiring = await token({ expires_at: new Date(Date.now() + 3_600_000).toISOString() });
    const limited = await token({ boards: [board.name] });
    const other = await token({ boards: ['Another'] });
    expect((await open(path, bearer(other.token), locked)).status).toBe(404);
    const streams = {
      deleted: await openStarted(path, bearer(deleted.token), locked),
      expiring: await openStarted(path, bearer(expiring.token), locked),
      limited: await openStarted(path, bearer(limited.token), locked),
    };
    const service = locked.app.get(StreamsService);
    await service.checkAccess();
    expect(Object.values(streams).map(({ hasEnded }) => hasEnded)).toEqual([false, false, false]);
    await made2xx(admin.delete(`/api/tokens/${deleted.id}`));
    await service.checkAccess();
    expect(await streams.deleted.ended).toBe('clean');
    locked.clock.set(new Date(Date.now() + 7_200_000).toISOString());
    await service.checkAccess();
    expect(await streams.expiring.ended).toBe('clean');
    // The token keeps access when the board is renamed.
    const renamed = await made2xx(admin.put(board.path, { name: `${board.name} 2` }));
    await service.checkAccess();
    const { revision } = await made2xx(admin.put(`${board.path} 2`, { time_zone: 'Asia/Tokyo' }));
    expect(revision).toBe(renamed.revision + 1);
    await streams.limited.reaches(revision as number);
    // Another instance renames it: the feed reads the new name only when it polls.
    await update(locked, 'UPDATE boards SET name = ? WHERE name = ?', ['Moved', renamed.name]);
    await update(locked, 'UPDATE tokens SET boards = ? WHERE id = ?', ['["Moved"]', limited.id]);
    await service.checkAccess();
    await made2xx(admin.put('/api/boards/Moved', { time_zone: 'Asia/Seoul' }));
    await streams.limited.reaches(revision + 1);
    await update(locked, 'UPDATE tokens SET boards = ? WHERE id = ?', ['["Another"]', limited.id]);
    await service.checkAccess();
    expect(await streams.limited.ended).toBe('clean');
  });
});

describe('streams of several instances', () => {
  it('have the changes of each within 700 ms', async () => {
    const second = await startApp({ database: service.database });
    try {
      const board = await Workspace.create(service.client);
      const streams = [
        await openStarted(`${board.path}/stream`),
        await openStarted(`${board.path}/stream`, {}, second),
      ];
      const delays: number[] = [];
      for (let i = 0; i < 6; i += 1) {
        const client = i % 2 ? second.client : service.client;
        await made2xx(client.post(`${board.path}/backlog`, { title: `${i}` }));
        const committed = performance.now();
        await Promise.all(streams.map((stream) => stream.reaches(2 + i)));
        delays.push(performance.now() - committed);
      }
      for (const stream of streams) expect(stream.revisions).toEqual(upTo(1, 7));
      expect(delays.sort((a, b) => a - b)[3]).toBeLessThan(700);
    } finally {
      await second.close();
    }
  });

  it('stay open if a change is committed while the changes of others are polled', async () => {
    const board = await Workspace.create(service.client);
    const stream = await openStarted(`${board.path}/stream`);
    const find = jest.spyOn(Repository.prototype, 'find');
    const polled = new Promise<void>((resolve) => {
      find.mockImplementationOnce(async function (this: Repository<ObjectLiteral>, options) {
        const rows = await this.manager.find(this.target, options);
        await board.story(null);
        await stream.reaches(2);
        resolve();
        return rows;
      });
    });
    await polled;
    find.mockRestore();
    await board.story(null);
    await stream.reaches(3);
  });

  it('have the changes of others after a poll that failed', async () => {
    const board = await Workspace.create(service.client);
    await board.story(null);
    const stream = await openStarted(`${board.path}/stream`);
    const find = jest.spyOn(Repository.prototype, 'find').mockRejectedValueOnce(new Error('down'));
    while (find.mock.calls.length === 0) await new Promise(setImmediate);
    find.mockRestore();
    await fillLog(service, board.path, 1, {});
    await stream.reaches(3);
  });

  it('end when a backup with an earlier revision is restored', async () => {
    const board = await Workspace.create(service.client);
    await board.story(null);
    const stream = await openStarted(`${board.path}/stream`);
    const { id } = await made2xx(service.client.get(board.path));
    await update(service, 'DELETE FROM events WHERE board_id = ? AND revision > 1', [id]);
    await update(service, 'UPDATE boards SET revision = 1 WHERE id = ?', [id]);
    expect(await stream.ended).toBe('clean');
    const again = await openStarted(`${board.path}/stream`, { headers: { 'last-event-id': '2' } });
    expect(again.events[0]).toMatchObject({ id: 1, event: 'reset', data: { revision: 1 } });
  });
});

describe('streams of clients that read nothing', () => {
  const LIMIT = 16 * 1024 * 1024;
  const all: EventStream[] = [];
  afterEach(() => {
    for (const stream of all.splice(0)) stream.destroy();
  });

  /** Opens 300 streams of 15 clients. */
  async function open300(board: string, after?: number): Promise<EventStream[]> {
    const streams: EventStream[] = [];
    for (let i = 0; i < 300; i += 1) {
      const caller = { ...OPEN, clientKey: `${after} ${i % 15}` };
      const stream = await service.app.get(StreamsService).open(board, { after }, caller);
      stream.read(0);
      streams.push(stream);
    }
    all.push(...streams);
    return streams;
  }

  it('are cut if they keep more than 16 MiB in memory, but live ones of one board share it', async () => {
    const board = await Workspace.create(service.client);
    const live = await open300(board.name);
    const description = '語'.repeat(32_000);
    const { id } = await board.story(null, { description });
    for (const title of ['a', 'b', 'c']) {
      const body = { title, description: `${description}${title}` };
      await made2xx(service.client.put(`/api/stories/${id}`, body));
    }
    while (live.some(({ readableLength }) => readableLength < 600_000)) await turn();
    const late = await open300(board.name, 0);
    while (late.some(({ readableLength }) => readableLength < 90_000)) await turn();

    service.app.get(StreamsService).limitUnread();
    expect(live.some(({ destroyed }) => destroyed)).toBe(false);
    const kept = late.filter(({ destroyed }) => !destroyed);
    const unread = kept.reduce((sum, { readableLength }) => sum + readableLength, 0);
    expect(unread).toBeLessThan(LIMIT);
    expect(unread).toBeGreaterThan(LIMIT / 2);
  });
});
