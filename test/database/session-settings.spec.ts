import type { DataSource } from 'typeorm';
import { startApp } from '../support/app';
import type { TestDatabase } from '../support/databases';
import { createDatabase, engineUnderTest, withDataSource } from '../support/databases';
import { made2xx, Workspace } from '../support/make';

const onServers = engineUnderTest() === 'mysql' ? describe : describe.skip;

// A server executes `init_connect` for each new connection of a user without administrative privileges, which is how
// a test changes the defaults of its own sessions only.
onServers('With sessions of which the server changes the defaults', () => {
  let database: TestDatabase;

  beforeEach(async () => {
    database = await createDatabase();
    await withDataSource(database, async (root) => {
      await root.query("DROP USER IF EXISTS ordinary@'%'");
      await root.query("CREATE USER ordinary@'%' IDENTIFIED BY 'ordinary'");
      await root.query(`GRANT ALL ON ${new URL(database.url).pathname.slice(1)}.* TO ordinary@'%'`);
    });
  });

  afterEach(async () => {
    await withDataSource(database, async (root) => {
      await root.query("SET GLOBAL init_connect = ''");
      await root.query("DROP USER ordinary@'%'");
    });
    await database.drop();
  });

  it.each([
    ['the character set', 'SET NAMES latin1'],
    ['the end of transactions', 'SET completion_type = CHAIN'],
    ['the commit of single statements', 'SET autocommit = 0'],
    ['transactions that can write', 'SET SESSION TRANSACTION READ ONLY'],
    ['foreign keys', 'SET foreign_key_checks = 0'],
    ['the number of rows', 'SET sql_select_limit = 1'],
    ['the rows that a join may read', 'SET max_join_size = 1, sql_big_selects = 0'],
  ])('%s, the service works: %s', async (_subject, statement) => {
    await withDataSource(database, async (root) => {
      await root.query('SET GLOBAL init_connect = ?', [statement]);
      const url = Object.assign(new URL(database.url), {
        username: 'ordinary',
        password: 'ordinary',
      });
      const service = await startApp({ database: { ...database, url: url.href } });
      const { client } = service;
      try {
        const board = await Workspace.create(client);
        const sprint = await board.sprint('2026-11-01');
        const titles = ['Äpfel 😀', 'Ω'];
        for (const title of titles) await board.story(sprint, { title, points: 3 });
        for (const list of ['stories?sort=-title', 'report', 'burndown']) {
          expect(await client.get(`/api/sprints/${sprint.id}/${list}`)).toMatchObject({
            status: 200,
          });
        }
        expect(await made2xx(client.get(`/api/sprints/${sprint.id}/stories`))).toMatchObject(
          titles.map((title) => ({ title })),
        );
        const { text } = await client.get(`${board.path}/export`);
        for (const title of titles) expect(text).toContain(title);
        await made2xx(client.post(`/api/sprints/${sprint.id}/start`, {}));
        await made2xx(client.post(`/api/sprints/${sprint.id}/complete`, {}));
        expect(await made2xx(client.get(`${board.path}/backlog`))).toMatchObject(
          titles.map((title) => ({ title })),
        );
        await made2xx(client.get(board.path));
        // A transaction that stays open keeps old versions of rows, and blocks migrations.
        // One of the service's background tasks may be open for a moment.
        for (let i = 0; (await openTransactions(root)) > 0; i++) expect(i).toBeLessThan(1000);
        const { token, id } = await made2xx(
          client.post('/api/tokens', { name: 'Ada', scope: 'admin' }),
        );
        await made2xx(client.post('/api/session', { token }));
        await made2xx(
          client.with({ authorization: `Bearer ${token}` }).delete(`/api/tokens/${id}`),
        );
        expect(await root.query('SELECT * FROM sessions')).toEqual([]);
      } finally {
        await service.close();
      }
    });
  });
});

async function openTransactions(root: DataSource): Promise<number> {
  const rows = await root.query<unknown[]>(
    `SELECT 1 FROM information_schema.innodb_trx
     JOIN information_schema.processlist ON id = trx_mysql_thread_id WHERE user = 'ordinary'`,
  );
  return rows.length;
}
