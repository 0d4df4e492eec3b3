import { SessionsService } from '../../src/auth/sessions.service';
import { Database } from '../../src/database/database';
import { StreamsService } from '../../src/events/streams.service';
import { startApp, useApp } from '../support/app';
import type { Answer, Client } from '../support/client';
import { Stream } from '../support/event-stream';
import { send } from '../support/http';
import { freshName, made2xx, Workspace } from '../support/make';
import { expectErrors, expectProblem } from '../support/problems';

const DAY = 86_400_000;

const service = useApp({ environment: { CORS_ORIGINS: 'https://app.example.org' } });
let admin: Client;
beforeAll(async () => {
  const root = await made2xx(service.client.post('/api/tokens', { name: 'Root', scope: 'admin' }));
  admin = service.client.with({ authorization: `Bearer ${root.token}` });
});
afterEach(() => service.clock.set());

const makeToken = (body: object = {}): Promise<any> =>
  made2xx(admin.post('/api/tokens', { name: 'Ada', scope: 'write', ...body }));

const signIn = (token: string): Promise<Answer> => service.client.post('/api/session', { token });

const cookieOf = ({ headers }: Answer): string => headers.get('set-cookie')?.split(';')[0] ?? '';

/** Returns a client with the cookie of a new session. */
async function browser(body?: object): Promise<{ client: Client; token: any; cookie: string }> {
  const token = await makeToken(body);
  const cookie = cookieOf(await signIn(token.token));
  return { client: service.client.with({ cookie }), token, cookie };
}

const sessions = (): Promise<any[]> =>
  service.app.get(Database).query('SELECT * FROM sessions ORDER BY id');

const SIGNED_OUT = { actor: null, scope: null, boards: [], token_required: true };

describe('a session', () => {
  it('begins with a token, which the browser does not need to store', async () => {
    const { token } = await makeToken();
    const answer = await signIn(token);
    expect(answer.status).toBe(201);
    expect(answer.body).toEqual({
      actor: 'Ada',
      scope: 'write',
      boards: null,
      token_required: true,
    });
    expect(answer.headers.get('location')).toBe('/api/session');
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(answer.headers.get('set-cookie')).toMatch(
      /^sprintline_session=spl_[\w-]+; Max-Age=2592000; Path=\/; HttpOnly; SameSite=Strict$/,
    );
    const client = service.client.with({ cookie: `other=1; ${cookieOf(answer)}; more=2` });
    const shown = await client.get('/api/session');
    expect(shown.body).toEqual(answer.body);
    // The browser keeps the cookie for 30 days from now.
    expect(shown.headers.get('set-cookie')).toBe(answer.headers.get('set-cookie'));
    const board = await Workspace.create(client);
    await board.story(null);
    expect((await board.events()).map(({ actor }) => actor)).toEqual(['Ada', 'Ada']);
    expectProblem(await client.get('/api/tokens'), 403, 'forbidden');
  });

  it('must match completely', async () => {
    const { cookie } = await browser();
    const wrong = cookie.slice(0, -10) + 'a'.repeat(10);
    const answer = await service.client.with({ cookie: wrong }).get('/api/boards');
    expectProblem(answer, 401, 'unauthorized');
  });

  it('is stored as a digest only', async () => {
    const { cookie } = await browser();
    const secret = cookie.split('=')[1] ?? '';
    const text = JSON.stringify(await sessions());
    expect(text).toContain(secret.slice(4, 20));
    expect(text).not.toContain(secret.slice(21));
  });

  it('sees the boards of its token', async () => {
    const board = await Workspace.create(admin);
    const other = await Workspace.create(admin);
    const { client } = await browser({ boards: [board.name] });
    expect((await client.get('/api/session')).body.boards).toEqual([board.name]);
    expect((await client.get<any[]>('/api/boards')).body).toHaveLength(1);
    expectProblem(await client.get(other.path), 404, 'board_not_found');
  });

  it('ends when the browser signs out, and the cookie is cleared', async () => {
    const { client, cookie } = await browser();
    const answer = await client.delete('/api/session');
    expect([answer.status, answer.body.deleted]).toEqual([200, true]);
    expect(answer.headers.get('set-cookie')).toMatch(/^sprintline_session=; Max-Age=0; Path=\/;/);
    expect((await client.get('/api/session')).body).toEqual(SIGNED_OUT);
    expectProblem(await client.get('/api/boards'), 401, 'unauthorized');
    const again = await client.delete('/api/session');
    expectProblem(again, 404, 'session_not_found');
    expect(again.headers.get('set-cookie')).toMatch(/^sprintline_session=;/);
    expect(JSON.stringify(await sessions())).not.toContain(cookie.slice(23, 39));
  });

  it('ends when another one begins in the same browser', async () => {
    const { client, token } = await browser();
    const before = (await sessions()).length;
    await made2xx(client.post('/api/session', { token: token.token }));
    expect(await sessions()).toHaveLength(before);
    expectProblem(await client.get('/api/boards'), 401, 'unauthorized');
  });

  it('ends when its token is deleted or expires', async () => {
    const deleted = await browser();
    const expiring = await browser({ expires_at: new Date(Date.now() + DAY).toISOString() });
    const before = (await sessions()).length;
    await made2xx(admin.delete(`/api/tokens/${deleted.token.id}`));
    expectProblem(await deleted.client.get('/api/boards'), 401, 'unauthorized');
    expect(await sessions()).toHaveLength(before - 1);
    expect((await expiring.client.get('/api/boards')).status).toBe(200);
    service.clock.set(new Date(Date.now() + 2 * DAY).toISOString());
    expectProblem(await expiring.client.get('/api/boards'), 401, 'unauthorized');
    expect((await expiring.client.get('/api/session')).body).toEqual(SIGNED_OUT);
  });

  it('ends 30 days after its last use, which is written once an hour at most', async () => {
    const start = Date.now();
    const at = (ms: number): void => service.clock.set(new Date(start + ms).toISOString());
    const { client } = await browser();
    const used = async (): Promise<string> => (await sessions()).at(-1).last_used_at as string;
    const first = await used();
    at(DAY / 48);
    expect((await client.get('/api/boards')).status).toBe(200);
    expect(await used()).toBe(first);
    at(29 * DAY);
    expect((await client.get('/api/boards')).status).toBe(200);
    while ((await used()) === first) await new Promise(setImmediate);
    at(58 * DAY);
    expect((await client.get('/api/boards')).status).toBe(200);
    at(89 * DAY);
    expectProblem(await client.get('/api/boards'), 401, 'unauthorized');
    expect((await sessions()).length).toBeGreaterThan(0);
    await service.app.get(SessionsService).deleteExpired();
    expect(await sessions()).toEqual([]);
  });

  it('is valid until 30 days have passed since its last use', async () => {
    const start = Date.now();
    service.clock.set(new Date(start).toISOString());
    const { client } = await browser();
    service.clock.set(new Date(start + 30 * DAY).toISOString());
    expectProblem(await client.get('/api/boards'), 401, 'unauthorized');
    service.clock.set(new Date(start + 30 * DAY - 1).toISOString());
    expect((await client.get('/api/boards')).status).toBe(200);
  });

  it('ends if a hundred sessions of its token were used more recently', async () => {
    const { client, token } = await browser();
    const unused = service.client.with({ cookie: cookieOf(await signIn(token.token)) });
    const { client: other } = await browser({ name: 'Bob' });
    for (let i = 2; i < 100; i += 1) expect((await signIn(token.token)).status).toBe(201);
    const ofToken = async (): Promise<any[]> =>
      (await sessions()).filter(({ token_id }) => token_id === token.id);
    const [{ last_used_at: created }] = await ofToken();
    service.clock.set(new Date(Date.now() + DAY).toISOString());
    expect((await client.get('/api/boards')).status).toBe(200);
    while ((await ofToken())[0].last_used_at === created) await new Promise(setImmediate);
    await signIn(token.token);
    expectProblem(await unused.get('/api/boards'), 401, 'unauthorized');
    expect((await client.get('/api/boards')).status).toBe(200);
    expect((await other.get('/api/boards')).status).toBe(200);
    expect(await ofToken()).toHaveLength(100);
  });

  it('is one of at most a hundred of its token, even after concurrent sign-ins', async () => {
    const { token, id } = await makeToken();
    const statuses = await Promise.all(
      Array.from({ length: 150 }, (_, i) => signIn(i % 5 ? token : 'wrong')),
    ).then((answers) => answers.map(({ status }) => status));
    expect(statuses.filter((status) => status === 201)).toHaveLength(120);
    expect(statuses.filter((status) => status === 401)).toHaveLength(30);
    expect((await sessions()).filter(({ token_id }) => token_id === id)).toHaveLength(100);
  });

  it('does not begin with a token that is deleted at the same time', async () => {
    for (let i = 0; i < 10; i += 1) {
      const { token, id } = await makeToken();
      const [deleted, ...answers] = await Promise.all([
        admin.delete(`/api/tokens/${id}`),
        ...[1, 2, 3, 4, 5].map(() => signIn(token)),
      ]);
      expect(deleted.status).toBe(200);
      for (const answer of answers) {
        if (answer.status !== 201) expectProblem(answer, 401, 'unauthorized');
      }
      expect((await sessions()).filter(({ token_id }) => token_id === id)).toEqual([]);
    }
  });

  it('begins with a valid token only', async () => {
    const expired = await makeToken({ expires_at: new Date(Date.now() + DAY).toISOString() });
    service.clock.set(new Date(Date.now() + 2 * DAY).toISOString());
    for (const token of ['x', `spl_${'0'.repeat(16)}_${'a'.repeat(43)}`, expired.token]) {
      const answer = await signIn(token);
      expectProblem(answer, 401, 'unauthorized');
      expect(answer.headers.get('www-authenticate')).toContain('Bearer');
      expect(answer.headers.has('set-cookie')).toBe(false);
      expect(answer.text).not.toContain(token);
    }
    expectErrors(await service.client.post('/api/session', {}), '/token required');
    const headers = { 'idempotency-key': 'once' };
    const answer = await service.client.post('/api/session', { token: 'x' }, { headers });
    expect(answer.body.errors).toMatchObject([{ header: 'Idempotency-Key', code: 'unrepeatable' }]);
  });

  it('is ignored if a bearer token is sent, valid or not', async () => {
    const { client } = await browser();
    const other = await makeToken({ name: 'Grace' });
    const both = client.with({ authorization: `Bearer ${other.token}` });
    expect((await both.get('/api/session')).body.actor).toBe('Grace');
    const invalid = client.with({ authorization: 'Bearer none' });
    expectProblem(await invalid.get('/api/session'), 401, 'unauthorized');
    expectProblem(await invalid.get('/api/boards'), 401, 'unauthorized');
  });

  it('can read a stream, which ends when the browser signs out', async () => {
    const { client, cookie } = await browser();
    const board = await Workspace.create(client);
    const stream = await Stream.open(`${service.url}${board.path}/stream`, { headers: { cookie } });
    await stream.until(({ events }) => events.length > 0);
    const streams = service.app.get(StreamsService);
    await streams.checkAccess();
    expect(stream.hasEnded).toBe(false);
    await made2xx(client.delete('/api/session'));
    await streams.checkAccess();
    expect(await stream.ended).toBe('clean');
  });
});

describe('a browser without a session', () => {
  it('learns that a token is required, even with an invalid cookie', async () => {
    expect((await service.client.get('/api/session')).body).toEqual(SIGNED_OUT);
    for (const cookie of ['sprintline_session=x', 'sprintline_session=%', 'a=b;;=']) {
      const answer = await service.client.get('/api/session', { headers: { cookie } });
      expect([answer.status, answer.body]).toEqual([200, SIGNED_OUT]);
    }
  });

  it('is an anonymous admin of a service without a token', async () => {
    const open = await startApp();
    try {
      const answer = await open.client.get('/api/session');
      expect(answer.body).toEqual({
        actor: 'anonymous',
        scope: 'admin',
        boards: null,
        token_required: false,
      });
      const headers = { 'x-forwarded-for': '10.0.0.1' };
      expectProblem(await open.client.get('/api/session', { headers }), 403, 'proxied');
    } finally {
      await open.close();
    }
  });
});

describe('the cookie', () => {
  it('is `Secure`, and bound to its host, if a trusted proxy reports https', async () => {
    const { token } = await makeToken();
    const headers = { 'x-forwarded-proto': 'https' };
    const plain = await service.client.post('/api/session', { token }, { headers });
    expect(plain.headers.get('set-cookie')).not.toContain('Secure');
    const proxied = await startApp({
      database: service.database,
      environment: { TRUST_PROXY: '127.0.0.1' },
    });
    try {
      const secure = await proxied.client.post('/api/session', { token }, { headers });
      expect(secure.headers.get('set-cookie')).toMatch(/; Secure/);
      const cookie = cookieOf(secure);
      const actorWith = async (sent: string, rest: object): Promise<unknown> =>
        (await proxied.client.get('/api/session', { headers: { cookie: sent, ...rest } })).body
          .actor;
      // Browsers accept this name only from the host itself, so no other host of its domain can replace the cookie.
      expect(cookie).toMatch(/^__Host-sprintline_session=spl_/);
      expect(await actorWith(cookie, headers)).toBe('Ada');
      expect(await actorWith(cookie.replace('__Host-', ''), headers)).toBeNull();
      expect(await actorWith(cookie, {})).toBeNull();
      expect(await actorWith(cookieOf(plain), {})).toBe('Ada');
    } finally {
      await proxied.close();
    }
  });

  it('is not accepted from pages of other origins, including those of CORS_ORIGINS', async () => {
    const { cookie, token } = await browser();
    const name = freshName();
    const attempts: Record<string, string>[] = [
      { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' },
      { 'sec-fetch-site': 'same-site', origin: 'http://127.0.0.1:1' },
      { origin: 'http://127.0.0.1:1' },
      { origin: 'null' },
      { 'sec-fetch-site': 'cross-site', origin: 'https://app.example.org' },
    ];
    for (const headers of attempts) {
      for (const [method, path, body] of [
        ['POST', '/api/boards', JSON.stringify({ name })],
        ['DELETE', '/api/session', undefined],
        ['POST', '/api/session', JSON.stringify({ token: token.token })],
      ] as const) {
        const answer = await send(service.url + path, {
          method,
          body,
          headers: { cookie, 'content-type': 'application/json', ...headers },
        });
        expect([headers, answer.status]).toEqual([headers, 403]);
        expect(JSON.parse(answer.text)).toMatchObject({ code: 'cross_site_request' });
        expect(answer.headers).not.toHaveProperty('set-cookie');
      }
    }
    const own = await send(`${service.url}/api/boards`, {
      method: 'POST',
      body: JSON.stringify({ name }),
      headers: { cookie, 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' },
    });
    expect(own.status).toBe(201);
  });

  it('is subject to the same-origin rule, as is a token', async () => {
    const headers = { origin: 'https://evil.example' };
    const answer = await admin.post('/api/boards', { name: freshName() }, { headers });
    expectProblem(answer, 403, 'cross_site_request');
    const allowed = { origin: 'https://app.example.org', 'sec-fetch-site': 'cross-site' };
    await made2xx(admin.post('/api/boards', { name: freshName() }, { headers: allowed }));
  });
});

it('failed attempts to sign in count for the rate limit of the address', async () => {
  const limited = await startApp({
    database: service.database,
    environment: { RATE_LIMIT: '5' },
  });
  try {
    const attempt = async (): Promise<number> =>
      (await limited.client.post('/api/session', { token: 'x' })).status;
    const statuses: number[] = [];
    for (let i = 0; i < 7; i += 1) statuses.push(await attempt());
    expect(statuses).toEqual([401, 401, 401, 401, 401, 429, 429]);
  } finally {
    await limited.close();
  }
});

it('a rejected sign-in is logged with its request and its address', async () => {
  const log: string[] = [];
  const other = await startApp({ log, environment: { LOG_LEVEL: 'info' } });
  try {
    const headers = { 'x-request-id': 'guess-7' };
    await other.client.post('/api/session', { token: 'x' }, { headers });
  } finally {
    await other.close();
  }
  const lines = log.map((line) => JSON.parse(line));
  expect(lines.find(({ msg }) => msg === 'sign-in rejected')).toMatchObject({
    reason: 'malformed',
    request_id: 'guess-7',
    address: '127.0.0.1',
  });
});

it('a browser that shows or creates its session without a cookie is not logged as a failed authentication', async () => {
  const log: string[] = [];
  const other = await startApp({ log, environment: { LOG_LEVEL: 'warn' } });
  const { client } = other;
  try {
    const body = { name: 'Root', scope: 'admin' };
    const { token } = await made2xx(client.post('/api/tokens', body));
    await made2xx(client.get('/api/session'));
    await made2xx(client.post('/api/session', { token }));
    await client.get('/api/boards');
    await client.with({ cookie: 'sprintline_session=spl_ended' }).get('/api/session');
  } finally {
    await other.close();
  }
  const lines = log.map((line) => JSON.parse(line));
  const failed = lines.filter(({ msg }) => msg === 'request not authenticated');
  expect(failed.map(({ reason }) => reason)).toEqual(['missing', 'no session']);
});
