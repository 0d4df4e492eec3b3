import { Database } from '../../src/database/database';
import type { TestApp } from '../support/app';
import { startApp } from '../support/app';
import type { Client } from '../support/client';
import { engineUnderTest, withDataSource } from '../support/databases';
import { made2xx, Workspace } from '../support/make';
import { onStatement } from '../support/statements';

// SQLite has no connections that another program could close.
const onServers = engineUnderTest() === 'mysql' ? describe : describe.skip;

onServers('a connection that is lost', () => {
  let service: TestApp;
  let client: Client;
  let board: Workspace;
  let story: { id: number };
  beforeAll(async () => {
    service = await startApp({ environment: { DATABASE_POOL: '8' } });
    board = await Workspace.create(service.client);
    await board.sprint('2026-11-23');
    story = await board.story(null, {});
    const { token } = await made2xx(
      service.client.post('/api/tokens', { name: 'Root', scope: 'admin' }),
    );
    client = service.client.with({ authorization: `Bearer ${token}` });
  });
  afterAll(() => service.close());

  const connectionId = async (
    query: (sql: string) => Promise<unknown>,
  ): Promise<number | undefined> =>
    ((await query('SELECT CONNECTION_ID() AS id')) as { id: number }[])[0]?.id;

  /** Closes the connection of the first statement, while `work` runs, that has this text. */
  const losing = (text: RegExp, work: () => Promise<void>): Promise<void> =>
    withDataSource(service.database, async (other) => {
      let isLost = false;
      const stop = onStatement({
        before: async ({ sql, query }) => {
          if (isLost || !text.test(sql)) return;
          isLost = true;
          await other.query(`KILL ${await connectionId(query)}`);
        },
      });
      try {
        await work();
      } finally {
        stop();
      }
      expect(isLost).toBe(true);
    });

  it.each<[string, RegExp, (path: string, id: number) => string]>([
    ['the token', /FROM tokens/, (_, id) => `/api/stories/${id}`],
    ['a story', /FROM stories/, (_, id) => `/api/stories/${id}`],
    ['a list', /FROM stories/, (path) => `${path}/backlog`],
    ['a sorted list', /^START TRANSACTION/, (path) => `${path}/stories?sort=-title`],
    ['a report', /^START TRANSACTION/, (path) => `${path}/sprints/current/report`],
    ['the database for readiness', /^SELECT 1$/, () => '/health/ready'],
  ])('while it reads %s is replaced', async (_, text, pathOf) => {
    await losing(text, async () => {
      const answer = await client.get(pathOf(board.path, story.id));
      expect(answer.status).toBe(200);
    });
  });

  it('while a change reads its token is replaced', async () => {
    await losing(/FROM tokens/, async () => {
      const answer = await client.put(`/api/stories/${story.id}`, { points: 3 });
      expect(answer.status).toBe(200);
    });
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
