import { Database } from '../../src/database/database';
import type { TestApp } from '../support/app';
import { startApp } from '../support/app';
import type { Answer, Client } from '../support/client';
import { operations } from '../support/conformance';
import { engineUnderTest, withDataSource } from '../support/databases';
import { made2xx, Workspace } from '../support/make';
import type { Statement } from '../support/statements';
import { onStatement } from '../support/statements';

/**
 * All reads of the database, except an export, whose response has begun at most statements; a stream, which begins
 * again itself; and a session, which needs a cookie.
 */
const READS = operations().flatMap((operation) => {
  const [method, path = ''] = operation.split(' ');
  return method === 'GET' && !/\/(export|stream|session|live)$/.test(path) ? [path] : [];
});

// SQLite has no connections that another program could close.
const onServers = engineUnderTest() === 'mysql' ? describe : describe.skip;

onServers('a connection that is lost', () => {
  let service: TestApp;
  let client: Client;
  let ids: Record<string, string | number>;
  const log: string[] = [];
  beforeAll(async () => {
    service = await startApp({ log, environment: { DATABASE_POOL: '8', LOG_LEVEL: 'warn' } });
    client = service.client;
    const board = await Workspace.create(client);
    service.clock.set('2026-11-24T12:00:00Z');
    const sprint = await board.sprint('2026-11-23');
    await board.story(sprint, {});
    await made2xx(client.post(`/api/sprints/${sprint.id}/start`));
    const story = await board.story(null, {});
    const task = await made2xx(client.post(`/api/stories/${story.id}/tasks`, { title: 'task' }));
    const token = await made2xx(client.post('/api/tokens', { name: 'Root', scope: 'admin' }));
    client = client.with({ authorization: `Bearer ${token.token}` });
    ids = {
      board_name: encodeURIComponent(board.name),
      sprint_id: sprint.id,
      story_id: story.id,
      task_id: task.id,
      token_id: token.id,
    };
  });
  afterAll(() => service.close());

  const connectionId = async (
    query: (sql: string) => Promise<unknown>,
  ): Promise<number | undefined> =>
    ((await query('SELECT CONNECTION_ID() AS id')) as { id: number }[])[0]?.id;

  /** Answers a request while `before` is called with each statement and its number. */
  const listening = async (
    call: () => Promise<Answer>,
    before: (statement: Statement, number: number) => Promise<void> | void,
  ): Promise<Answer> => {
    let number = 0;
    const stop = onStatement({
      // The end of a transaction is not repeated: a lost COMMIT may have been executed.
      before: (statement) =>
        /^(COMMIT|ROLLBACK)$/.test(statement.sql) ? undefined : before(statement, ++number),
    });
    try {
      return await call();
    } finally {
      stop();
    }
  };

  it.each<[string, string, object?]>([
    ...READS.map((path): [string, string] => ['GET', path]),
    ['GET', '/api/boards/{board_name}/stories?sort=-title'],
    ['GET', '/api/boards/{board_name}/stories?q=story&count=true&limit=1'],
    ['GET', '/api/boards/{board_name}/stories?format=csv'],
    ['POST', '/api/boards/{board_name}/backlog', { title: 'new' }],
    ['PUT', '/api/stories/{story_id}', { points: 3 }],
    ['POST', '/api/stories/{story_id}/move', { position: 'first' }],
    [
      'POST',
      '/api/boards/{board_name}/batch',
      { operations: [{ op: 'create', type: 'story', set: { title: 'a' } }] },
    ],
    ['POST', '/api/boards/{board_name}/sprints/current/complete', { dry_run: true }],
    ['POST', '/api/boards/{board_name}/import?format=csv'],
    ['POST', '/api/boards/Imported%20{n}/import?format=csv'],
  ])(
    'at any statement of %s %s does not fail the request',
    async (method, path, body: object | undefined = undefined) => {
      await withDataSource(service.database, async (other) => {
        let n = 0;
        const call = (): Promise<Answer> => {
          n += 1;
          const filled = path.replace(/\{(\w+)\}/g, (_, name: string) =>
            String({ ...ids, n }[name]),
          );
          const raw = path.includes('import') ? `external_id,title\nI-${n},imported\n` : undefined;
          const headers = { ...(raw && { 'content-type': 'text/csv' }) };
          return client.call(method, filled, body, { raw, headers });
        };
        let statements = 0;
        const { status } = await listening(call, (_, number) => void (statements = number));
        expect(status).toBeLessThan(500);
        expect(statements).toBeGreaterThan(0);
        for (let lost = 1; lost <= statements; lost += 1) {
          const seen: string[] = [];
          const answer = await listening(call, async ({ sql, query }, number) => {
            seen.push(sql);
            if (number === lost) await other.query(`KILL ${await connectionId(query)}`);
          });
          expect([answer.status, seen[lost - 1]]).toEqual([status, seen[lost - 1]]);
        }
      });
    },
  );

  it('while an export is being sent cuts its response off, with one warning', async () => {
    const call = (): Promise<Answer> => client.get(`/api/boards/${ids.board_name}/export`);
    await call();
    let statements = 0;
    await listening(call, (_, number) => void (statements = number));
    log.length = 0;
    const broken = withDataSource(service.database, (other) =>
      listening(call, async ({ query }, number) => {
        if (number === statements) await other.query(`KILL ${await connectionId(query)}`);
      }),
    );
    await expect(broken).rejects.toThrow('the response broke off');
    const entries = log.map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(entries.filter(({ context }) => context === 'Request')).toEqual([
      {
        level: 'warn',
        time: expect.any(String) as string,
        context: 'Request',
        request_id: expect.any(String) as string,
        code: 'database_unavailable',
        msg: 'a streamed response was cut off',
      },
    ]);
  });

  it.each([
    [1047, 'has left its cluster'],
    [1290, 'has become read-only'],
    [1836, 'has become read-only'],
  ])('is not used again after error %i of a node that %s', async (errno) => {
    const database = service.app.get(Database);
    const used: (number | undefined)[] = [];
    const stop = onStatement({
      before: async ({ sql, query }) => {
        if (!sql.startsWith('SIGNAL')) return;
        used.push(await connectionId((text) => query(text)));
      },
    });
    const failing = `SIGNAL SQLSTATE '08S01' SET MYSQL_ERRNO = ${errno}, MESSAGE_TEXT = 'left'`;
    await expect(database.query(failing)).rejects.toMatchObject({ code: 'database_unavailable' });
    stop();
    expect(used.length).toBeGreaterThan(2);
    expect(new Set(used).size).toBe(used.length);
  });
});
