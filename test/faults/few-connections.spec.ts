import net from 'node:net';
import { createDatabase, engineUnderTest, withDataSource } from '../support/databases';
import { startApp } from '../support/app';
import { made2xx, Workspace } from '../support/make';

// SQLite has no limit of connections.
const onServers = engineUnderTest() === 'mysql' ? it : it.skip;

onServers(
  'a server that accepts fewer connections than the pool may have serves all requests',
  async () => {
    const database = await createDatabase();
    const url = new URL(database.url);
    [url.username, url.password] = ['few', 'few'];
    await withDataSource(database, async (root) => {
      await root.query("DROP USER IF EXISTS few@'%'");
      await root.query("CREATE USER few@'%' IDENTIFIED BY 'few' WITH MAX_USER_CONNECTIONS 3");
      await root.query(`GRANT ALL ON ${url.pathname.slice(1)}.* TO few@'%'`);
      const log: string[] = [];
      const service = await startApp({
        database: { ...database, url: url.href },
        log,
        environment: { DATABASE_POOL: '10', LOG_LEVEL: 'warn' },
      });
      try {
        const board = await Workspace.create(service.client);
        const { id } = await made2xx<{ id: number }>(
          service.client.post(`${board.path}/backlog`, { title: 'story' }),
        );
        const connect = jest.spyOn(net, 'connect');
        const start = performance.now();
        const answers = await Promise.all(
          Array.from({ length: 40 }, (_, i) =>
            i % 2
              ? service.client.get(`/api/stories/${id}`)
              : service.client.put(`/api/stories/${id}`, { points: i }),
          ),
        );
        const seconds = (performance.now() - start) / 1000;
        const attempts = connect.mock.calls.length;
        connect.mockRestore();
        expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
        // The server gets no burst of attempts from the requests that wait: each pool tries again 20 times a second.
        expect(attempts).toBeLessThanOrEqual(2 * (10 + 20 * seconds));
        expect(log).toEqual([]);
      } finally {
        await service.close();
        await root.query("DROP USER few@'%'");
      }
    });
    await database.drop();
  },
);
