import type { Client } from '../support/client';
import { startApp } from '../support/app';
import { createDatabase, engineUnderTest } from '../support/databases';
import { afterwards } from '../support/faults';
import { Proxy } from '../support/proxy';

const BACKLOG = '/api/boards/Rejected/backlog';

// SQLite has no server that could reject a statement.
const onServers = engineUnderTest() === 'mysql' ? describe : describe.skip;

onServers(
  'a server that rejects COMMIT and ROLLBACK, as a cluster node without quorum does',
  () => {
    let proxy: Proxy;
    let client: Client;
    beforeEach(async () => {
      const database = await createDatabase();
      afterwards(() => database.drop());
      const url = new URL(database.url);
      proxy = await Proxy.to(Number(url.port));
      afterwards(() => proxy.close());
      url.port = String(proxy.port);
      const service = await startApp({ database: { ...database, url: url.href } });
      afterwards(() => service.close());
      ({ client } = service);
      await client.post(BACKLOG, { title: 'before' });
    });

    /** Misspells the statements, so that the server rejects them, and the transaction stays open. */
    const rejectEnds = (): void => {
      proxy.onData = (data) => {
        for (const statement of ['COMMIT', 'ROLLBACK']) {
          const at = data.indexOf(statement);
          if (at >= 0) data.write('X', at);
        }
      };
    };
    const acceptEnds = (): void => {
      proxy.onData = () => undefined;
    };

    it('stores nothing of a change that failed when it accepts the next change', async () => {
      rejectEnds();
      expect((await client.post(BACKLOG, { title: 'failed' })).status).toBe(500);
      acceptEnds();
      expect((await client.post(BACKLOG, { title: 'after' })).status).toBe(201);
      const stories = (await client.get<{ title: string }[]>(BACKLOG)).body;
      expect(stories.map(({ title }) => title)).toEqual(['before', 'after']);
    });

    it('serves snapshots again', async () => {
      const sorted = '/api/boards/Rejected/stories?sort=title';
      rejectEnds();
      expect((await client.get(sorted)).status).toBe(200);
      acceptEnds();
      expect((await client.get(sorted)).status).toBe(200);
    });
  },
);
