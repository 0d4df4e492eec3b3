import { once } from 'node:events';
import { Agent, request } from 'node:http';
import type { Socket } from 'node:net';
import { connect } from 'node:net';
import { Database } from '../../src/database/database';
import { unavailable } from '../../src/database/errors';
import { useApp } from '../support/app';
import type { Answer } from '../support/client';
import { nextPage } from '../support/client';
import { fillBacklog } from '../support/fill';
import { Workspace } from '../support/make';
import { expectProblem } from '../support/problems';
import { noOpenStreams, readList } from '../support/reading';
import { onStatement, rowsReadDuring } from '../support/statements';

/** More stories than are read at once, and more than the buffers of a socket hold. */
const STORIES = 3000;
const DESCRIPTION = 'As a team we plan a sprint. '.repeat(36);

const service = useApp();
let path: string;
beforeAll(async () => {
  const board = await Workspace.create(service.client);
  path = `${board.path}/backlog`;
  await fillBacklog(service, board.path, STORIES, { description: DESCRIPTION });
});

describe('a list of 3,000 stories', () => {
  it('has every story on one of its pages, even if a page is long', async () => {
    const ids: number[] = [];
    for (let next: string | undefined = `${path}?limit=700`; next !== undefined;) {
      const page: Answer<any[]> = await service.client.get(next);
      ids.push(...page.body.map(({ id }) => id as number));
      next = nextPage(page);
    }
    expect(ids).toHaveLength(STORIES);
    expect(new Set(ids).size).toBe(STORIES);
  });

  it('breaks off if the database fails in the middle, so no client mistakes a part for the whole', async () => {
    const database = service.app.get(Database);
    const openStream = database.openStream.bind(database);
    const failing = jest.spyOn(database, 'openStream').mockImplementation(async (client) => {
      const snapshot = await openStream(client);
      let reads = 0;
      return {
        close: () => snapshot.close(),
        query: (...statement) => {
          reads += 1;
          return reads < 5 ? snapshot.query(...statement) : Promise.reject(new Error('away'));
        },
      };
    });
    const list = await readList(service.url + path);
    failing.mockRestore();
    expect(list).toMatchObject({ status: 200, complete: false });
    expect(list.stories).toBeGreaterThan(0);
    expect(list.stories).toBeLessThan(STORIES);
    await noOpenStreams(service);
    expect(await readList(service.url + path)).toMatchObject({ stories: STORIES, complete: true });
  });

  it('is rejected with a problem document if the database fails before it begins', async () => {
    const database = service.app.get(Database);
    const failing = jest.spyOn(database, 'openStream').mockRejectedValue(unavailable());
    const answer = await service.client.get(path);
    failing.mockRestore();
    expectProblem(answer, 503, 'database_unavailable');
    expect(answer.headers.get('retry-after')).toBe('1');
  });

  it('releases its snapshot whenever the client disconnects', async () => {
    for (const bytes of [0, 1, 100_000, 2_000_000]) {
      const list = await readList(service.url + path, {
        onData: (had, stop) => (had >= bytes ? stop() : undefined),
      });
      expect(list.complete).toBe(false);
    }
    // Even before the response begins.
    await Promise.all(
      Array.from({ length: 10 }, async (_, i) => {
        const call = request(service.url + path, { agent: false });
        call.on('error', () => undefined);
        call.end();
        await new Promise((resolve) => setTimeout(resolve, i * 3));
        call.destroy();
      }),
    );
    await noOpenStreams(service);
  });

  it('releases its snapshot if it waits behind another one on a connection that is closed', async () => {
    const { hostname, port } = new URL(service.url);
    const database = service.app.get(Database);
    const openStream = database.openStream.bind(database);
    const opening = jest.spyOn(database, 'openStream');
    for (const isBeforeItBegins of [true, false]) {
      const socket = connect(Number(port), hostname);
      const server = service.app.getHttpServer();
      const [connection] = (await once(server, 'connection')) as [Socket];
      const closed = new Promise((resolve) => connection.once('close', resolve));
      opening.mockImplementation(async (client) => {
        const snapshot = await openStream(client);
        if (isBeforeItBegins) await closed;
        return snapshot;
      });
      socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`.repeat(2));
      while (database.openSnapshots < 2) await new Promise(setImmediate);
      socket.destroy();
      await closed;
      await noOpenStreams(service);
    }
    opening.mockRestore();
  });

  it('shows a slow client the state at its beginning, while others write', async () => {
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    let hasBegun = (): void => undefined;
    const begun = new Promise<void>((resolve) => (hasBegun = resolve));
    const reading = readList(service.url + path, {
      onData: async () => {
        hasBegun();
        await held;
      },
    });
    await begun;
    const later = await service.client.post(path, { title: 'later' });
    expect(later.status).toBe(201);
    await service.client.delete(`/api/stories/${later.body.id - 1}`);
    release();
    expect(await reading).toMatchObject({ stories: STORIES, complete: true });
    expect(await readList(service.url + path)).toMatchObject({ stories: STORIES });
    await noOpenStreams(service);
  });

  it('can be read repeatedly over one connection', async () => {
    const warnings: Error[] = [];
    const note = (warning: Error): void => void warnings.push(warning);
    process.on('warning', note);
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    for (let i = 0; i < 12; i += 1) {
      const list = await readList(service.url + path, { agent });
      expect(list).toMatchObject({ stories: STORIES, complete: true });
    }
    agent.destroy();
    process.off('warning', note);
    expect(warnings).toEqual([]);
  });
});

describe('a list of stories of maximum size', () => {
  it.each(['', '?limit=50', '?sort=title'])(
    'is read a few rows at a time from the first request: %s',
    async (query) => {
      const board = await Workspace.create(service.client);
      await fillBacklog(service, board.path, 60, { description: '€'.repeat(32_767) });
      let most = 0;
      const stop = onStatement({
        after: ({ sql }, result) => {
          if (sql.includes('description')) most = Math.max(most, (result as object[]).length);
        },
      });
      const answer = await service.client.get(`${board.path}/backlog${query}`);
      stop();
      expect(answer.body).toHaveLength(query === '?limit=50' ? 50 : 60);
      expect(most).toBeGreaterThan(0);
      expect(most).toBeLessThanOrEqual(10);
    },
  );
});

describe('HEAD of a long list', () => {
  it.each(['', '?sort=-title', '?q=story', '?sort=priority,-points&fields=id'])(
    'reads no more rows than a page: %s',
    async (query) => {
      const rows = await rowsReadDuring(async () => {
        const { status, text } = await service.client.call('HEAD', path + query);
        expect([status, text]).toEqual([200, '']);
      });
      expect(rows).toBeGreaterThan(0);
      expect(rows).toBeLessThan(1000);
    },
  );

  it('has the headers of GET', async () => {
    const head = await service.client.call('HEAD', path);
    const get = await service.client.get(path);
    for (const name of ['etag', 'content-type', 'x-total-count', 'link']) {
      expect([name, head.headers.get(name)]).toEqual([name, get.headers.get(name)]);
    }
    const { headers } = await service.client.call('HEAD', `${path}?limit=2&count=true`);
    expect(headers.get('x-total-count')).toBe(String(STORIES));
    expect(headers.get('link')).toContain('rel="next"');
  });
});

describe('GET /api/boards?limit=1', () => {
  it('reads only one page, however many boards exist', async () => {
    for (let i = 0; i < 40; i += 1) await Workspace.create(service.client);
    let listed = 0;
    const rows = await rowsReadDuring(async () => {
      listed = (await service.client.get('/api/boards?limit=1')).body.length;
    });
    expect(listed).toBe(1);
    expect(rows).toBeLessThan(10);
  });
});
