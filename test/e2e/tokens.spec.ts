import { Controller, Get } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:http';
import { performance } from 'node:perf_hooks';
import { text } from 'node:stream/consumers';
import { AppModule } from '../../src/app.module';
import { applicationOptions, setUp } from '../../src/app.setup';
import { requireToken } from '../../src/auth/required-token';
import { createLogger } from '../../src/logging/logger';
import { Config } from '../../src/config/config';
import { Database } from '../../src/database/database';
import { unavailable } from '../../src/database/errors';
import { createAdapter } from '../../src/http/adapter';
import { PathResources } from '../../src/http/path-resources';
import type { TestApp } from '../support/app';
import { startApp, useApp } from '../support/app';
import type { Answer, Client } from '../support/client';
import { nextPage } from '../support/client';
import { command } from '../support/command';
import { operations } from '../support/conformance';
import { afterwards } from '../support/faults';
import { engineUnderTest, withDataSource } from '../support/databases';
import { boardPath, made2xx, Workspace } from '../support/make';
import { expectErrors, expectProblem } from '../support/problems';
import { send, sendBytes } from '../support/http';
import { onStatement } from '../support/statements';

/** A client with a token. */
type Bearer = Client & { token: string; id: number };

interface Grant {
  name?: string;
  scope: string;
  boards?: string[];
  expires_at?: string;
}

const bearing = (client: Client, token: string): Client =>
  client.with({ authorization: `Bearer ${token}` });

async function bearer(admin: Client, { name = 'someone', ...rest }: Grant): Promise<Bearer> {
  const { token, id } = await made2xx(admin.post('/api/tokens', { name, ...rest }));
  return Object.assign(bearing(admin, token), { token: token as string, id: id as number });
}

describe('with tokens', () => {
  const log: string[] = [];
  let service: TestApp;
  let admin: Bearer;

  beforeAll(async () => {
    service = await startApp({ log, environment: { LOG_LEVEL: 'trace' } });
    admin = await bearer(service.client, { name: 'Root', scope: 'admin' });
  });
  afterEach(() => service.clock.set());
  afterAll(() => service.close());

  describe('each route and method', () => {
    /** The scope that an operation needs if it is not `read` for a GET and `write` for others. */
    const NEEDS: Record<string, 'public' | 'anonymous' | 'read' | 'write' | 'admin'> = {
      'GET /health/live': 'public',
      'GET /health/ready': 'public',
      'GET /api/session': 'anonymous',
      'POST /api/session': 'anonymous',
      'DELETE /api/session': 'anonymous',
      'GET /api/tokens': 'admin',
      'POST /api/tokens': 'admin',
      'GET /api/tokens/{token_id}': 'admin',
      'DELETE /api/tokens/{token_id}': 'admin',
    };
    const RANK = { public: -1, anonymous: -1, read: 0, write: 1, admin: 2 };

    type Kind =
      'none' | 'malformed' | 'expired' | 'revoked' | 'read' | 'write' | 'admin' | 'own' | 'other';
    const KINDS: Kind[] = [
      'none',
      'malformed',
      'expired',
      'revoked',
      'read',
      'write',
      'admin',
      'own',
      'other',
    ];
    let headers: Record<Kind, Record<string, string>>;
    let ids: Record<string, string>;

    beforeAll(async () => {
      const board = await Workspace.create(admin);
      await board.sprint('2026-11-01', { end_date: '2026-11-10' });
      const sprint = await board.sprint('2026-11-15');
      await board.sprint('2026-12-15');
      const story = await board.story(sprint);
      const task = await board.task(story);
      const elsewhere = await Workspace.create(admin);
      const authorization = async (grant: Grant) => ({
        authorization: `Bearer ${(await bearer(admin, grant)).token}`,
      });
      const revoked = await bearer(admin, { scope: 'admin' });
      service.clock.set('2026-11-29T12:00:00Z');
      const expired = await bearer(admin, { scope: 'admin', expires_at: '2026-11-30T00:00:00Z' });
      await made2xx(admin.delete(`/api/tokens/${revoked.id}`));
      headers = {
        none: {},
        malformed: { authorization: 'Bearer of bad news' },
        expired: { authorization: `Bearer ${expired.token}` },
        revoked: { authorization: `Bearer ${revoked.token}` },
        read: await authorization({ scope: 'read' }),
        write: await authorization({ scope: 'write' }),
        admin: await authorization({ scope: 'admin' }),
        own: await authorization({ scope: 'write', boards: [board.name] }),
        other: await authorization({ scope: 'write', boards: [elsewhere.name] }),
      };
      ids = {
        board_name: encodeURIComponent(board.name),
        sprint_id: String(sprint.id),
        story_id: String(story.id),
        task_id: String(task.id),
        token_id: String(admin.id),
      };
    });

    /** Returns the expected status. Requests have an unknown parameter, so with access to the path it is 400. */
    const expected = (operation: string, kind: Kind): number => {
      const needed = NEEDS[operation] ?? (operation.startsWith('GET') ? 'read' : 'write');
      if (needed === 'public' || (needed === 'anonymous' && kind === 'none')) return 400;
      if (['none', 'malformed', 'expired', 'revoked'].includes(kind)) return 401;
      const scope = kind === 'read' || kind === 'admin' ? kind : 'write';
      if (RANK[scope] < RANK[needed]) return 403;
      return kind === 'other' && operation.includes('{') ? 404 : 400;
    };

    it.each(KINDS)('answers according to the table: %s', async (kind) => {
      service.clock.set('2026-12-01T12:00:00Z');
      const seen: Record<string, number> = {};
      const wanted: Record<string, number> = {};
      for (const operation of operations()) {
        const [method = '', template = ''] = operation.split(' ');
        const path = template.replace(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? '');
        for (const verb of method === 'GET' ? ['GET', 'HEAD'] : [method]) {
          const answer = await send(`${service.url}${path}?walked=1`, {
            method: verb,
            headers: headers[kind],
          });
          seen[`${verb} ${template}`] = answer.status;
          wanted[`${verb} ${template}`] = expected(operation, kind);
          expect('www-authenticate' in answer.headers).toBe([401, 403].includes(answer.status));
        }
      }
      expect(seen).toEqual(wanted);
    });

    it.each(KINDS)('that does not exist is 404, or 401 without a valid token: %s', async (kind) => {
      service.clock.set('2026-12-01T12:00:00Z');
      const valid = !['none', 'malformed', 'expired', 'revoked'].includes(kind);
      const status = async (method: string, path: string): Promise<number> =>
        (await send(service.url + path, { method, headers: headers[kind] })).status;
      expect(await status('GET', '/nowhere')).toBe(valid ? 404 : 401);
      expect(await status('DELETE', '/api/boards')).toBe(valid ? 405 : 401);
      expect(await status('OPTIONS', '/api/boards')).toBe(valid ? 204 : 401);
      // These paths need no token, whether they exist or not.
      expect(await status('GET', '/health/nowhere?x=1')).toBe(404);
      expect(await status('POST', '/health/live')).toBe(405);
      for (const path of ['/docs', '/docs/init.js', '/openapi.json']) {
        expect(await status('GET', path)).toBe(200);
      }
    });
  });

  it('the application does not start if a route declares no scope', async () => {
    @Controller('api/undeclared')
    class Undeclared {
      @Get()
      show(): object {
        return {};
      }
    }
    const config = Config.from({ DATABASE_URL: service.database.url });
    const pino = createLogger('silent');
    const module = await Test.createTestingModule({
      imports: [AppModule.with(config)],
      controllers: [Undeclared],
    }).compile();
    const app = module.createNestApplication<NestFastifyApplication>(
      createAdapter(config, pino),
      applicationOptions(pino),
    );
    await setUp(app, pino);
    await expect(app.init()).rejects.toThrow('/api/undeclared declares no scope');
    await app.close();
  });

  describe('a token', () => {
    it('is shown once, and is in neither the database nor the log', async () => {
      const made = await admin.post('/api/tokens', { name: 'Secretive', scope: 'read' });
      expect(made.status).toBe(201);
      expect(made.headers.get('cache-control')).toBe('no-store');
      expect(made.headers.get('location')).toBe(`/api/tokens/${made.body.id}`);
      const { token, ...view } = made.body;
      expect(token).toMatch(/^spl_[0-9a-f]{16}_[\w-]{43}$/);
      const listed = await admin.get('/api/tokens');
      expect(listed.body).toContainEqual(view);

      // Even if a client sends it in the wrong place.
      const secret = token.slice(-43);
      await bearing(service.client, token).get('/api/boards');
      await service.client.get(`/api/boards?access_token=${token}`);
      // Parts of it may be percent-encoded.
      await service.client.get(`/api/boards?access_token=${token.replace('_', '%5f')}`);
      for (const encoded of ['%25255f', '%25%35%66']) {
        await service.client.get(`/api/boards?access_token=${token.replace('_', encoded)}`);
      }
      await send(`${service.url}/%73${token.slice(1)}`);
      await send(`${service.url}/${token}`, { headers: { 'x-request-id': token } });
      await bearing(service.client, `${token}x`).get('/api/boards');
      expect(log.filter((line) => line.includes(secret))).toEqual([]);
      const rows = await service.app.get(Database).query('SELECT * FROM tokens');
      expect(JSON.stringify(rows)).not.toContain(secret);
      expect(listed.text).not.toContain(secret);
    });

    it('is shown at its Location with the same entity tag, without its secret', async () => {
      const made = await admin.post('/api/tokens', { name: 'Tagged', scope: 'read' });
      const { token: _, ...view } = made.body;
      const path = made.headers.get('location') ?? '';
      const etag = made.headers.get('etag') ?? '';
      const found = await admin.get(path);
      expect([found.body, found.headers.get('etag')]).toEqual([view, etag]);
      expect((await admin.get(path, { headers: { 'if-none-match': etag } })).status).toBe(304);
      for (const [tag, status] of [
        ['"stale"', 412],
        [etag, 200],
      ] as const) {
        const answer = await admin.delete(path, { headers: { 'if-match': tag } });
        expect(answer.status).toBe(status);
      }
      expectProblem(await admin.get(path), 404, 'token_not_found');
    });

    it('is listed on one of the pages, and in a long list', async () => {
      const made = [];
      for (let i = 0; i < 70; i += 1) made.push((await bearer(admin, { scope: 'read' })).id);
      const pages = [];
      let next: string | undefined = '/api/tokens?limit=30';
      while (next !== undefined) {
        const page: Answer = await admin.get(next);
        expect(page.status).toBe(200);
        pages.push(...page.body.map(({ id }: { id: number }) => id));
        next = nextPage(page);
      }
      const all = (await admin.get('/api/tokens')).body.map(({ id }: { id: number }) => id);
      expect(pages).toEqual(all);
      expect(all).toEqual(expect.arrayContaining(made));
    });

    it('is invalid on every instance as soon as it is deleted', async () => {
      const other = await startApp({ database: service.database });
      const client = await bearer(admin, { scope: 'read' });
      const there = bearing(other.client, client.token);
      expect((await there.get('/api/boards')).status).toBe(200);
      await made2xx(admin.delete(`/api/tokens/${client.id}`));
      expectProblem(await there.get('/api/boards'), 401, 'unauthorized');
      expectProblem(await client.get('/api/boards'), 401, 'unauthorized');
      await other.close();
      expectProblem(await admin.delete(`/api/tokens/${client.id}`), 404, 'token_not_found');
    });

    it('is invalid as soon as it expires', async () => {
      service.clock.set('2026-12-01T12:00:00.000Z');
      const client = await bearer(admin, {
        scope: 'read',
        expires_at: '2026-12-01T13:00:00+00:00',
      });
      service.clock.set('2026-12-01T12:59:59.999Z');
      expect((await client.get('/api/boards')).status).toBe(200);
      service.clock.set('2026-12-01T13:00:00.000Z');
      expectProblem(await client.get('/api/boards'), 401, 'unauthorized');
    });

    it('must match completely', async () => {
      const { token } = await bearer(admin, { scope: 'read' });
      const last = token.at(-1) === 'A' ? 'B' : 'A';
      for (const wrong of [
        token.slice(0, -1) + last,
        token.slice(0, -1),
        `${token}A`,
        token.toUpperCase(),
      ]) {
        expect((await bearing(service.client, wrong).get('/api/boards')).status).toBe(401);
      }
      const scheme = await service.client.get('/api/boards', {
        headers: { authorization: `bearer  ${token}` },
      });
      expect(scheme.status).toBe(200);
    });

    it('shows the minute of its last use', async () => {
      const lastUse = async (): Promise<string | null> =>
        (await admin.get('/api/tokens')).body.find(({ id }: { id: number }) => id === client.id)
          .last_used_at;
      const until = async (wanted: string): Promise<void> => {
        while ((await lastUse()) !== wanted) await new Promise((resolve) => setImmediate(resolve));
      };
      service.clock.set('2026-12-02T10:00:00.000Z');
      const client = await bearer(admin, { scope: 'read' });
      expect(await lastUse()).toBeNull();
      await client.get('/api/boards');
      await until('2026-12-02T10:00:00.000Z');
    });

    it('is the actor of its events', async () => {
      const client = await bearer(admin, { name: 'Ada', scope: 'write' });
      const board = await Workspace.create(client);
      await board.story(null);
      expect((await board.events()).map(({ actor }) => actor)).toEqual(['Ada', 'Ada']);
      const line = log.map((text) => JSON.parse(text)).findLast(({ method }) => method === 'POST');
      expect(line).toMatchObject({ actor: 'Ada', status: 201 });
    });

    it('has its own Idempotency-Keys', async () => {
      const [first, second] = [
        await bearer(admin, { scope: 'write' }),
        await bearer(admin, { scope: 'write' }),
      ];
      const board = await Workspace.create(admin);
      const post = (client: Client) =>
        client.post(
          `${board.path}/backlog`,
          { title: 'x' },
          { headers: { 'idempotency-key': 'k' } },
        );
      const made = await post(first);
      expect((await post(second)).body.id).not.toBe(made.body.id);
      expect((await post(first)).body.id).toBe(made.body.id);
    });

    it('cannot be created with an Idempotency-Key, because the response must not be stored', async () => {
      const rejected = await admin.post(
        '/api/tokens',
        { name: 'x', scope: 'read' },
        { headers: { 'idempotency-key': 'k' } },
      );
      expectProblem(rejected, 400, 'invalid_request');
      expect(rejected.body.errors).toMatchObject([{ header: 'Idempotency-Key' }]);
    });

    it('has a name of one line, a known scope and a future expiry', async () => {
      const rejected = await admin.post('/api/tokens', {
        name: 'two\r\nlines',
        scope: 'root',
        boards: ['..', 'A'],
        expires_at: 'soon',
        token: 'mine',
      });
      expectErrors(
        rejected,
        '/boards/0 invalid_value',
        '/expires_at invalid_type',
        '/name invalid_text',
        '/scope invalid_value',
        '/token unknown_field',
      );
      expectErrors(
        await admin.post('/api/tokens', { name: '', scope: 'read', expires_at: '2020-01-01' }),
        '/expires_at out_of_range',
        '/name blank',
      );
      expectErrors(
        await admin.post('/api/tokens', { name: 'x', scope: 'admin', boards: ['A'] }),
        '/boards not_for_admin',
      );
    });
  });

  describe('a token for certain boards', () => {
    let ours: Workspace;
    let theirs: Workspace;
    let client: Bearer;

    beforeEach(async () => {
      ours = await Workspace.create(admin, 'UTC', 'Ours');
      theirs = await Workspace.create(admin, 'UTC', 'Theirs');
      client = await bearer(admin, { scope: 'write', boards: [ours.name] });
    });

    it('lists these boards only', async () => {
      const names = (await client.get('/api/boards')).body.map(({ name }: any) => name);
      expect(names).toEqual([ours.name]);
      const counted = await client.get('/api/boards?limit=10&count=true');
      expect(counted.headers.get('x-total-count')).toBe('1');
      const none = await bearer(admin, { scope: 'read', boards: [] });
      expect((await none.get('/api/boards')).body).toEqual([]);
      expect((await none.get('/metrics')).status).toBe(200);
    });

    it('gets the same responses for other boards as for missing ones', async () => {
      const sprint = await theirs.sprint('2026-11-15');
      const story = await theirs.story(sprint);
      const task = await theirs.task(story);
      const pairs = [
        [theirs.path, boardPath('Not there')],
        [`/api/sprints/${sprint.id}`, '/api/sprints/999999'],
        [`/api/stories/${story.id}`, '/api/stories/999999'],
        [`/api/stories/${story.id}/history`, '/api/stories/999999/history'],
        [`/api/stories/${story.id}/history?wrong=1`, '/api/stories/999999/history?wrong=1'],
        [`/api/tasks/${task.id}`, '/api/tasks/999999'],
      ] as const;
      const shown = ({ status, body }: any) => [status, body.code, body.detail];
      for (const [hidden, missing] of pairs) {
        const answer = await client.get(hidden);
        expect(answer.status).toBe(404);
        expect(shown(answer)).toEqual(shown(await client.get(missing)));
      }
      for (const body of [{ name: theirs.name }, { name: 'Not there' }]) {
        expectProblem(await client.post('/api/boards', body), 404, 'board_not_found');
      }
      for (const path of [theirs.path, boardPath('Not there')]) {
        expectProblem(
          await client.post(`${path}/sprints`, { start_date: '2026-11-15' }),
          404,
          'board_not_found',
        );
        expectProblem(await client.post(`${path}/backlog`, { title: 'x' }), 404, 'board_not_found');
      }
      expect((await admin.get(boardPath('Not there'))).status).toBe(404);
    });

    it('imports nothing if it is deleted, or its board, before the file has arrived', async () => {
      for (const [what, expected] of [
        ['board', [404, 'board_not_found']],
        ['token', [401, 'unauthorized']],
      ]) {
        const uploader = await bearer(admin, { scope: 'write', boards: [ours.name] });
        const arrived = once(service.app.getHttpServer(), 'request');
        const upload = request(`${service.url}${ours.path}/import`, {
          method: 'POST',
          headers: { authorization: `Bearer ${uploader.token}`, 'content-type': 'text/csv' },
        });
        const answered = once(upload, 'response');
        upload.write('title\n');
        await arrived;
        // The upload is authenticated before this request.
        expect((await uploader.get('/api/boards')).body).toHaveLength(1);
        if (what === 'token') await made2xx(admin.delete(`/api/tokens/${uploader.id}`));
        else {
          await made2xx(admin.delete(`${ours.path}?force=true`));
          await made2xx(admin.post('/api/boards', { name: ours.name }));
        }
        upload.end('Ant\n');
        const [response] = (await answered) as [IncomingMessage];
        const { code } = JSON.parse(await text(response)) as { code?: string };
        expect([response.statusCode, code]).toEqual(expected);
        expect((await admin.get(`${ours.path}/stories`)).body).toEqual([]);
      }
    });

    it('gets nothing that has moved to another board since its rights were checked', async () => {
      const resources = service.app.get(PathResources);
      for (const path of ['/api/stories/:story', '/api/stories/:story/tasks', '/api/tasks/:task']) {
        const story = await ours.story(null);
        const task = await ours.task(story);
        const boardOf = resources.boardOf.bind(resources);
        jest.spyOn(resources, 'boardOf').mockImplementationOnce(async (request) => {
          const board = await boardOf(request);
          const { id } = await theirs.sprint('2026-11-15');
          await made2xx(admin.put(`/api/stories/${story.id}`, { sprint_id: id }));
          return board;
        });
        const id = { ':story': story.id, ':task': task.id };
        const answer = await client.get(
          path.replace(/:\w+/, (name) => String(id[name as keyof typeof id])),
        );
        expect([path, answer.status]).toEqual([path, 404]);
      }
    });

    it('gets its first response again, even if the resource was deleted', async () => {
      const keyed = (path: string, body: object, key = 'again') =>
        client.post(path, body, {
          headers: { 'idempotency-key': `${ours.name} ${key}`.replaceAll(' ', '-') },
        });
      const story = await ours.story(null);
      const path = `/api/stories/${story.id}/tasks`;
      const first = await keyed(path, { title: 'x' });
      expect(first.status).toBe(201);
      await made2xx(admin.delete(`/api/stories/${story.id}`));
      const again = await keyed(path, { title: 'x' });
      expect([again.status, again.text]).toEqual([201, first.text]);
      expect(again.headers.get('idempotent-replayed')).toBe('true');
      const made = await keyed(`${ours.path}/backlog`, { title: 'y' }, 'board');
      await made2xx(admin.delete(`${ours.path}?force=true`));
      expect((await keyed(`${ours.path}/backlog`, { title: 'y' }, 'board')).text).toBe(made.text);
    });

    it('learns nothing about another board through an Idempotency-Key', async () => {
      const sprint = await theirs.sprint('2026-11-15');
      const story = await theirs.story(sprint);
      const task = { title: 'x' };
      const day = { start_date: '2026-11-15' };
      const pairs: [string, string, object][] = [
        [`/api/sprints/${sprint.id}/stories`, '/api/sprints/999999/stories', task],
        [`/api/sprints/${sprint.id}/start`, '/api/sprints/999999/start', {}],
        [`/api/sprints/${sprint.id}/complete`, '/api/sprints/999999/complete', {}],
        [`/api/sprints/${sprint.id}/complete`, '/api/sprints/999999/complete', { dry_run: true }],
        [`/api/sprints/${sprint.id}/reopen`, '/api/sprints/999999/reopen', {}],
        [`/api/stories/${story.id}/tasks`, '/api/stories/999999/tasks', task],
        [`/api/stories/${story.id}/tasks`, '/api/stories/999999/tasks', {}],
        [`/api/stories/${story.id}/move`, '/api/stories/999999/move', {}],
        [`${theirs.path}/sprints`, '/api/boards/No/sprints', day],
        [`${theirs.path}/sprints`, '/api/boards/No/sprints', {}],
        [`${theirs.path}/backlog`, '/api/boards/No/backlog', task],
        [`${theirs.path}/stories/move`, '/api/boards/No/stories/move', { story_ids: [story.id] }],
        [`${theirs.path}/sprints/current/stories`, '/api/boards/No/sprints/current/stories', task],
      ];
      const before = await theirs.events();
      const shown = ({ status, body }: any) => [status, body.code, body.detail];
      for (const [hidden, missing, body] of pairs) {
        const headers = { 'idempotency-key': `${ours.name}-hidden`.replace(' ', '-') };
        const answer = await client.post(hidden, body, { headers });
        expect([hidden, answer.status]).toEqual([hidden, 404]);
        expect(shown(answer)).toEqual(shown(await client.post(missing, body, { headers })));
      }
      expect(await theirs.events()).toEqual(before);
      // A repeated request is always a POST.
      const headers = { 'idempotency-key': 'read' };
      for (const path of [`/api/stories/${story.id}`, `/api/sprints/${sprint.id}`, theirs.path]) {
        expect([path, (await client.get(path, { headers })).status]).toEqual([path, 404]);
      }
    });

    // SQLite has no locks of rows.
    const onServers = engineUnderTest() === 'mysql' ? it : it.skip;

    onServers(
      'locks no board that it may not see, so it does not wait for another change of it',
      async () => {
        const sprint = await theirs.sprint('2026-11-15');
        const story = await theirs.story(sprint);
        await withDataSource(service.database, async (other) => {
          const lock = other.createQueryRunner();
          await lock.startTransaction();
          await lock.query('SELECT id FROM boards WHERE name = ? FOR UPDATE', [theirs.name]);
          for (const [path, body] of [
            [`/api/stories/${story.id}/move`, {}],
            [`/api/stories/${story.id}/tasks`, { title: 'x' }],
            [`/api/sprints/${sprint.id}/stories`, { title: 'x' }],
            [`/api/sprints/${sprint.id}/start`, {}],
            [`${theirs.path}/backlog`, { title: 'x' }],
          ] as const) {
            const headers = { 'idempotency-key': 'locked' };
            expect([path, (await client.post(path, body, { headers })).status]).toEqual([
              path,
              404,
            ]);
          }
          await lock.rollbackTransaction();
        });
      },
    );

    it('can neither move a story to another board nor learn that it exists', async () => {
      const hidden = await theirs.sprint('2026-11-15');
      const neighbour = await theirs.story(hidden);
      const story = await ours.story(null);
      const before = await theirs.events();
      const shown = ({ status, body }: any) => [status, body.code, body.errors];
      for (const sprint_id of [hidden.id, 999_999]) {
        expect(shown(await client.put(`/api/stories/${story.id}`, { sprint_id }))).toEqual([
          400,
          'invalid_request',
          [
            {
              pointer: '/sprint_id',
              code: 'not_found',
              detail: 'sprint_id must be the id of an existing sprint',
            },
          ],
        ]);
        expectErrors(
          await client.post(`/api/stories/${story.id}/move`, { sprint_id }),
          '/sprint_id not_found',
        );
        expectErrors(
          await client.post(`${ours.path}/stories/move`, { story_ids: [story.id], sprint_id }),
          '/sprint_id not_found',
        );
      }
      for (const id of [neighbour.id, 999_999]) {
        expectErrors(
          await client.post(`/api/stories/${story.id}/move`, { position: { after: id } }),
          '/position not_found',
        );
        expectErrors(
          await client.post(`${ours.path}/stories/move`, { story_ids: [id] }),
          '/story_ids/0 not_found',
        );
        expectErrors(
          await client.post(`/api/stories/${story.id}/move`, {
            sprint_id: null,
            position: { before: id },
          }),
          '/position not_found',
        );
      }
      expect(await theirs.events()).toEqual(before);
    });

    it('sees the events of a moved story on its boards only', async () => {
      const story = await theirs.story(null);
      const sprint = await ours.sprint('2026-11-15');
      const hidden = await theirs.sprint('2026-11-15');
      await made2xx(admin.put(`/api/stories/${story.id}`, { sprint_id: sprint.id }));
      await made2xx(client.put(`/api/stories/${story.id}`, { title: 'Ours now' }));
      await made2xx(admin.put(`/api/stories/${story.id}`, { sprint_id: hidden.id }));
      await made2xx(admin.put(`/api/stories/${story.id}`, { title: 'Theirs again' }));
      const history = await client.get(`/api/stories/${story.id}/history`);
      expect(history.body.map(({ type, board_name }: any) => [type, board_name])).toEqual([
        ['story.moved_in', ours.name],
        ['story.updated', ours.name],
        ['story.moved_out', ours.name],
      ]);
      const wrong = await client.get(`/api/stories/${story.id}/history?limit=0`);
      expectProblem(wrong, 400, 'invalid_request');
      expect((await client.get(`/api/stories/${story.id}`)).status).toBe(404);
      expect((await client.put(`/api/stories/${story.id}`, { title: 'x' })).status).toBe(404);
      expect((await admin.get(`/api/stories/${story.id}/history`)).body).toHaveLength(7);
    });

    it('does not see what a move to another board changes in a story', async () => {
      const story = await ours.story(null, { title: 'Ours', points: 3 });
      const hidden = await theirs.sprint('2026-11-15');
      const changes = { title: 'Theirs', points: 5, status: 'done' };
      const move = admin.put(`/api/stories/${story.id}`, { sprint_id: hidden.id, ...changes });
      const { updated_at } = await made2xx<any>(move);
      const [event] = (await ours.events()).slice(-1);
      expect(event).toMatchObject({
        type: 'story.moved_out',
        before: {
          board_name: ours.name,
          sprint_id: null,
          updated_at: story.updated_at,
          version: 1,
        },
      });
      expect(event.after).toEqual({
        board_name: theirs.name,
        sprint_id: hidden.id,
        updated_at,
        version: 2,
      });
      const [entered] = (await theirs.events()).slice(-1);
      expect(entered).toMatchObject({ type: 'story.moved_in', after: changes });
    });

    it('can create a board to which it has access', async () => {
      const creator = await bearer(admin, { scope: 'write', boards: [`New ${ours.name}`] });
      const path = boardPath(`New ${ours.name}`);
      await made2xx(creator.post(`${path}/sprints`, { start_date: '2026-11-15' }));
      expect((await creator.get(path)).status).toBe(200);
      expect((await client.get(path)).status).toBe(404);
    });

    it('keeps access to a renamed board, but cannot rename it', async () => {
      expectProblem(await client.put(ours.path, { name: theirs.name }), 403, 'forbidden');
      expectProblem(await client.put(ours.path, { name: 'Free' }), 403, 'forbidden');
      const stale = { headers: { 'if-match': '"stale"' } };
      expectProblem(await client.put(ours.path, { name: 'Free' }, stale), 403, 'forbidden');
      expectProblem(
        await client.put(ours.path, { name: ours.name }, stale),
        412,
        'precondition_failed',
      );
      const name = `Renamed ${ours.name}`;
      await made2xx(admin.put(ours.path, { name }));
      expect((await client.get(boardPath(name))).status).toBe(200);
      // A new board with the old name is a different board.
      await made2xx(admin.post('/api/boards', { name: ours.name }));
      expect((await client.get(ours.path)).status).toBe(404);
    });

    it('names a board once, even if it had its new name before', async () => {
      const name = `Later ${ours.name}`;
      const { id } = await bearer(admin, { scope: 'read', boards: [ours.name, name] });
      await made2xx(admin.put(ours.path, { name }));
      expect((await admin.get(`/api/tokens/${id}`)).body.boards).toEqual([name]);
    });

    it('has no access to a new board with the name of a deleted one', async () => {
      await made2xx(admin.delete(ours.path));
      await made2xx(admin.post('/api/boards', { name: ours.name }));
      expect((await client.get(ours.path)).status).toBe(404);
      const row = (await admin.get('/api/tokens')).body.find(({ id }: any) => id === client.id);
      expect(row.boards).toEqual([]);
    });
  });
});

describe('the log', () => {
  const log: string[] = [];
  const service = useApp({ log, environment: { LOG_LEVEL: 'trace' } });

  it('has one line for each request, into which no input can inject others', async () => {
    const forged = '{"level":"info","actor":"Root"}';
    const board = `A\u0085\u2028\u001b[2J ${forged}`;
    log.length = 0;
    const path = `/api/boards/${encodeURIComponent(`A\r\n${forged}`)}`;
    await send(service.url + path);
    await send(`${service.url}/api/boards`, { headers: { 'x-request-id': `1\t${forged}` } });
    await sendBytes(
      service.url,
      'GET /api/\x9b2J\xff HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n',
    );
    await service.client.post('/api/boards', { name: board });
    expect(log).toHaveLength(4);
    // A response may arrive before its line is written, so the lines have no fixed order.
    const lines = log.map((line) => JSON.parse(line) as unknown);
    expect(lines).toContainEqual(expect.objectContaining({ status: 400, address: '127.0.0.1' }));
    for (const line of log) {
      // One line of visible characters.
      expect(line).toMatch(/^[ -~]+\n$/);
      expect(JSON.parse(line)).toMatchObject({
        level: 'info',
        request_id: expect.stringMatching(/^[\w.:/+=@-]+$/),
      });
    }
  });

  it('has a line for each failed authentication, with the reason and without the secret', async () => {
    const admin = await bearer(service.client, { name: 'Root', scope: 'admin' });
    const { token, id } = await bearer(admin, { name: 'Short-lived', scope: 'read' });
    const reader = await bearer(admin, { name: 'Reader', scope: 'read' });
    await made2xx(admin.delete(`/api/tokens/${id}`));
    const audit = log.map((line) => JSON.parse(line)).filter(({ context }) => context === 'Tokens');
    expect(audit).toMatchObject([
      { actor: 'anonymous', name: 'Root', scope: 'admin' },
      { actor: 'Root', name: 'Short-lived', scope: 'read' },
      { actor: 'Root', name: 'Reader' },
      { actor: 'Root', name: 'Short-lived', msg: 'token deleted' },
    ]);
    log.length = 0;
    await service.client.get('/api/boards');
    await bearing(service.client, 'hunter2').get('/api/boards');
    await bearing(service.client, token).get('/api/boards');
    await reader.post('/api/boards', { name: 'Nope' });
    const lines = log.map((line) => JSON.parse(line)).filter(({ level }) => level === 'warn');
    expect(lines).toMatchObject([
      { reason: 'missing', address: '127.0.0.1', request_id: expect.any(String) },
      { reason: 'malformed' },
      { reason: 'unknown', lookup: token.slice(4, 20) },
      { actor: 'Reader', method: 'POST', route: '/api/boards' },
    ]);
    // Operators search for these messages.
    expect(lines.map(({ msg }) => msg as string)).toEqual([
      ...Array<string>(3).fill('request not authenticated'),
      'request forbidden',
    ]);
    expect(log.filter((line) => /hunter2|Nope/.test(line))).toEqual([]);
  });
});

describe('the first and the last token', () => {
  let service: TestApp;
  beforeEach(async () => {
    service = await startApp();
  });
  afterEach(() => service.close());

  it('the Authorization header is ignored while no token exists', async () => {
    for (const authorization of [
      '',
      'Bearer x',
      'Basic eDp5',
      `Bearer spl_${'0'.repeat(16)}_${'x'.repeat(43)}`,
    ]) {
      expect((await service.client.get('/api/boards', { headers: { authorization } })).status).toBe(
        200,
      );
    }
  });

  it('the first token must be an admin, and then a token is required', async () => {
    const { client } = service;
    const other = await startApp({ database: service.database });
    for (const scope of ['read', 'write']) {
      expectErrors(await client.post('/api/tokens', { name: 'x', scope }), '/scope not_admin');
    }
    expect((await client.get('/api/boards')).status).toBe(200);
    const admin = await bearer(client, { scope: 'admin' });
    expectProblem(await client.get('/api/boards'), 401, 'unauthorized');
    // Another instance has cached that there is no token, and checks again after a moment.
    while ((await other.client.get('/api/boards')).status === 200);
    expect((await bearing(other.client, admin.token).get('/api/boards')).status).toBe(200);
    await other.close();
  });

  it('a token is required once the first one was created, even if a request has just found none', async () => {
    const { app, client } = service;
    const database = app.get(Database);
    const query = database.query.bind(database);
    let finish = (): void => undefined;
    const created = new Promise<void>((resolve) => (finish = resolve));
    let meanwhile: Promise<Answer> | undefined;
    const stop = onStatement({
      before: async ({ sql }) => {
        if (!/INSERT INTO .tokens/.test(sql)) return;
        stop();
        // The service no longer has in its cache that there is no token.
        const later = jest.spyOn(performance, 'now').mockReturnValue(performance.now() + 1000);
        afterwards(() => later.mockRestore());
        await new Promise<void>((found) => {
          const reading = jest.spyOn(database, 'query');
          afterwards(() => reading.mockRestore());
          reading.mockImplementationOnce(async (...statement) => {
            const rows = await query(...statement);
            found();
            await created;
            return rows;
          });
          meanwhile = client.get('/api/boards');
        });
      },
    });
    await bearer(client, { scope: 'admin' });
    finish();
    expect((await meanwhile)?.status).toBe(200);
    expectProblem(await client.get('/api/boards'), 401, 'unauthorized');
  });

  it('a token is also required if all tokens have expired', async () => {
    const { client, clock } = service;
    clock.set('2026-12-01T00:00:00Z');
    await bearer(client, { scope: 'admin', expires_at: '2026-12-02T00:00:00Z' });
    clock.set('2026-12-03T00:00:00Z');
    expect((await client.get('/api/boards')).status).toBe(401);
  });

  it('the last admin token cannot be deleted while other tokens exist', async () => {
    const { client } = service;
    const first = await bearer(client, { scope: 'admin' });
    const second = await bearer(first, { scope: 'admin' });
    const reader = await bearer(first, { scope: 'read' });
    expect((await first.delete(`/api/tokens/${second.id}`)).status).toBe(200);
    expectProblem(await first.delete(`/api/tokens/${first.id}`), 409, 'last_admin');
    expect((await first.delete(`/api/tokens/${reader.id}`)).status).toBe(200);
    expect((await first.delete(`/api/tokens/${first.id}`)).status).toBe(200);
    expect((await client.get('/api/boards')).status).toBe(200);
  });

  it('the last admin token that has not expired cannot be deleted either', async () => {
    const { client, clock } = service;
    clock.set('2026-12-01T00:00:00Z');
    const first = await bearer(client, { scope: 'admin' });
    const expiring = { scope: 'admin', expires_at: '2026-12-02T00:00:00Z' } as const;
    const expired = await bearer(first, expiring);
    clock.set('2026-12-03T00:00:00Z');
    expectProblem(await first.delete(`/api/tokens/${first.id}`), 409, 'last_admin');
    expect((await first.delete(`/api/tokens/${expired.id}`)).status).toBe(200);
    expect((await first.delete(`/api/tokens/${first.id}`)).status).toBe(200);
    expect((await client.get('/api/boards')).status).toBe(200);
  });

  it('of two admin tokens that are deleted at once, one stays while other tokens exist', async () => {
    const first = await bearer(service.client, { scope: 'admin' });
    const second = await bearer(first, { scope: 'admin' });
    await bearer(first, { scope: 'read' });
    const statuses = await Promise.all(
      [first, second].map(async (one) => (await first.delete(`/api/tokens/${one.id}`)).status),
    );
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
    const rows = await service.app
      .get(Database)
      .query(`SELECT id FROM tokens WHERE scope = 'admin'`);
    expect(rows).toHaveLength(1);
  });

  it('a token is required even if none exists, unless the service listens on loopback', async () => {
    const elsewhere = await startApp({
      database: service.database,
      environment: { HOST: '0.0.0.0' },
    });
    expectProblem(await elsewhere.client.get('/api/boards'), 401, 'unauthorized');
    expect((await elsewhere.client.get('/health/ready')).status).toBe(200);
    await elsewhere.close();
  });

  it('the service starts without a token only on loopback, else it prints how to create one', async () => {
    const environment = { HOST: '0.0.0.0' };
    const elsewhere = await startApp({ database: service.database, environment });
    const start = () => requireToken(elsewhere.app, () => undefined);
    await expect(start()).rejects.toThrow(
      /node dist\/cli\.js tokens create --name admin --scope admin/,
    );
    await expect(requireToken(service.app, () => undefined)).resolves.toBeUndefined();
    await bearer(service.client, { scope: 'admin' });
    await expect(start()).resolves.toBeUndefined();
    await elsewhere.close();
  });

  it('the metrics can be read without a token while the database is unavailable', async () => {
    const { app, client } = service;
    expect((await client.get('/metrics')).status).toBe(200);
    const away = jest.spyOn(app.get(Database), 'query').mockRejectedValue(unavailable());
    try {
      // The service caches for a moment that there is no token.
      while ((await send(`${service.url}/api/boards/A`)).status !== 503);
      expect((await client.get('/metrics')).status).toBe(200);
      const proxied = await client.get('/metrics', {
        headers: { 'x-forwarded-for': '203.0.113.7' },
      });
      expectProblem(proxied, 403, 'proxied');
    } finally {
      away.mockRestore();
    }
    await bearer(client, { scope: 'admin' });
    expect((await client.get('/metrics')).status).toBe(401);
  });

  it('the metrics require a token while the database is unavailable, once one was used', async () => {
    const { app, client, database } = service;
    expect((await client.get('/metrics')).status).toBe(200);
    const other = await startApp({ database });
    const { token } = await bearer(other.client, { scope: 'admin' });
    await other.close();
    // The service caches for a moment that there is no token.
    const user = bearing(client, token);
    while ((await user.get('/api/session')).body.actor !== 'someone');
    const away = jest.spyOn(app.get(Database), 'query').mockRejectedValue(unavailable());
    try {
      expectProblem(await client.get('/metrics'), 503, 'database_unavailable');
    } finally {
      away.mockRestore();
    }
  });

  it('the metrics require a token while the database is unavailable, once the first one was created', async () => {
    const { app, client } = service;
    expect((await client.get('/metrics')).status).toBe(200);
    await bearer(client, { scope: 'admin' });
    const away = jest.spyOn(app.get(Database), 'query').mockRejectedValue(unavailable());
    try {
      expectProblem(await client.get('/metrics'), 503, 'database_unavailable');
    } finally {
      away.mockRestore();
    }
  });

  it('AUTH=off requires no token, even if tokens exist', async () => {
    await bearer(service.client, { scope: 'admin' });
    const off = await startApp({
      database: service.database,
      environment: { AUTH: 'off', HOST: '0.0.0.0' },
    });
    expect((await off.client.get('/api/boards')).status).toBe(200);
    const answer = await send(`${off.url}/api/boards`, { headers: { host: 'evil.example' } });
    expect(answer.status).toBe(421);
    await off.close();
  });
});

describe('a request that a proxy has forwarded', () => {
  /** Headers that proxies add. */
  const PROXIED: Record<string, string>[] = [
    { 'x-forwarded-for': '203.0.113.7' },
    { 'x-forwarded-proto': 'https' },
    { 'x-real-ip': '203.0.113.7' },
    { forwarded: 'for=203.0.113.7' },
    { via: '1.1 proxy' },
  ];
  const CALLS: [method: string, path: string, body?: object][] = [
    ['POST', '/api/tokens', { name: 'stolen', scope: 'admin' }],
    ['POST', '/api/boards/Stolen/backlog', { title: 'x' }],
    ['DELETE', '/api/boards/Stolen?force=true'],
    ['GET', '/api/boards'],
    ['HEAD', '/api/boards'],
    ['GET', '/metrics'],
    ['GET', '/api/boards/Stolen'],
    ['GET', '/nowhere'],
  ];
  const service = useApp();

  it.each(PROXIED)(
    'is forbidden while there is no token, even if it only reads: %j',
    async (headers) => {
      for (const [method, path, body] of CALLS) {
        const answer = await service.client.call(method, path, body, { headers });
        expect([method, path, answer.status]).toEqual([method, path, 403]);
        if (method !== 'HEAD') expectProblem(answer, 403, 'proxied');
      }
      expect((await service.client.get('/api/tokens')).body).toEqual([]);
      expect((await service.client.get('/api/boards')).body).toEqual([]);
      expect((await service.client.get('/health/ready', { headers })).status).toBe(200);
    },
  );

  it('is forbidden even if the proxy is trusted', async () => {
    const trustingProxy = await startApp({
      database: service.database,
      environment: { TRUST_PROXY: '127.0.0.1' },
    });
    for (const headers of PROXIED) {
      expectProblem(await trustingProxy.client.get('/api/boards', { headers }), 403, 'proxied');
    }
    await trustingProxy.close();
  });

  it('is allowed with AUTH=off', async () => {
    const off = await startApp({ database: service.database, environment: { AUTH: 'off' } });
    for (const headers of PROXIED) {
      expect((await off.client.get('/api/boards', { headers })).status).toBe(200);
    }
    await off.close();
  });

  it('needs a token as soon as one exists', async () => {
    const admin = await bearer(service.client, { scope: 'admin' });
    for (const headers of PROXIED) {
      expectProblem(await service.client.get('/api/boards', { headers }), 401, 'unauthorized');
      expect((await admin.get('/api/boards', { headers })).status).toBe(200);
    }
  });
});

describe('the command line', () => {
  let service: TestApp;
  beforeEach(async () => {
    service = await startApp();
  });
  afterEach(() => service.close());

  it('creates, lists and deletes tokens', async () => {
    const { client, database } = service;
    const rejected = await command(database, 'tokens', 'create', '--name', 'x', '--scope', 'read');
    expect(rejected).toMatchObject({ code: 1, err: 'scope must be admin for the first token\n' });
    const made = await command(database, 'tokens', 'create', '--name', 'Root', '--scope', 'admin');
    expect(made.code).toBe(0);
    const admin = bearing(client, made.out.trim());
    expect((await admin.get('/api/tokens')).body).toMatchObject([{ name: 'Root', scope: 'admin' }]);
    await command(
      database,
      ...['tokens', 'create', '--name', 'CI', '--scope', 'write', '--board', 'A', 'B'],
      ...['--expires', '2099-01-01T00:00:00Z'],
    );
    const listed = await command(database, 'tokens', 'list');
    expect(listed.out.split('\n').map((line) => line.split(/ {2,}/))).toEqual([
      ['ID', 'SCOPE', 'BOARDS', 'EXPIRES', 'LAST USED', 'NAME'],
      ['1', 'admin', 'all', 'never', expect.any(String), 'Root'],
      ['2', 'write', 'A, B', '2099-01-01T00:00:00.000Z', 'never', 'CI'],
      [''],
    ]);
    const json = await command(database, 'tokens', 'list', '--json');
    expect(JSON.parse(json.out)).toMatchObject([
      { id: 1, scope: 'admin', boards: null, expires_at: null, name: 'Root' },
      { id: 2, scope: 'write', boards: ['A', 'B'], last_used_at: null, name: 'CI' },
    ]);
    const last = await command(database, 'tokens', 'delete', '1');
    expect(last).toMatchObject({ code: 1, err: expect.stringContaining('last valid admin token') });
    for (const id of ['2', '1']) {
      expect(await command(database, 'tokens', 'delete', id)).toMatchObject({ code: 0 });
    }
    expect(await command(database, 'tokens', 'delete', '1')).toMatchObject({ code: 1 });
    while ((await client.get('/api/boards')).status === 401);
  });

  it('deletes the other tokens first if the admin token has expired', async () => {
    const { client, clock, database } = service;
    clock.set('2020-01-01T00:00:00Z');
    const admin = await bearer(client, { scope: 'admin', expires_at: '2020-01-02T00:00:00Z' });
    const reader = await bearer(admin, { scope: 'read' });
    const remove = ({ id }: { id: number }): ReturnType<typeof command> =>
      command(database, 'tokens', 'delete', String(id));
    expect(await remove(admin)).toMatchObject({ code: 1 });
    expect(await remove(reader)).toMatchObject({ code: 0 });
    expect(await remove(admin)).toMatchObject({ code: 0 });
  });
});
