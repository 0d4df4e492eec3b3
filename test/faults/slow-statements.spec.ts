import { Database } from '../../src/database/database';
import type { TestApp } from '../support/app';
import { startApp } from '../support/app';
import { engineUnderTest, withDataSource } from '../support/databases';
import { promised } from '../support/faults';

const POOL = 4;

// SQLite has no deadline for a statement, because it runs in the process or in a worker thread.
const onServers = engineUnderTest() === 'mysql' ? describe : describe.skip;

onServers('a statement past its deadline', () => {
  const log: string[] = [];
  let service: TestApp;
  let database: Database;
  beforeAll(async () => {
    service = await startApp({
      log,
      environment: {
        DATABASE_POOL: String(POOL),
        DATABASE_DEADLINE_MS: '1000',
        LOG_LEVEL: 'info',
      },
    });
    database = service.app.get(Database);
    await service.client.post('/api/boards/Slow/backlog', { title: 'x' });
  });
  afterAll(() => service.close());

  /** Returns the ids of the pool's connections; each sleeps for a moment, so that all are used. */
  const connections = async (): Promise<number[]> => {
    const rows = await Promise.all(
      Array.from({ length: POOL }, () =>
        database.query<{ id: number }>('SELECT CONNECTION_ID() AS id, SLEEP(0.05)'),
      ),
    );
    return rows.map(([row]) => Number(row?.id)).sort((a, b) => a - b);
  };

  it('fails alone if it is a slow SELECT: the pool keeps its connections, other requests are served, readiness stays 200', async () => {
    const before = await connections();
    expect(new Set(before).size).toBe(POOL);
    let isOver = false;
    const start = performance.now();
    const slow = database
      .query(
        'SELECT COUNT(*) AS n FROM information_schema.columns a, information_schema.columns b, information_schema.columns c',
      )
      .then(
        () => 'answered',
        (error: { code?: string }) => error.code,
      )
      .finally(() => (isOver = true));
    let served = 0;
    while (!isOver) {
      const answers = await Promise.all([
        service.client.get('/health/ready'),
        service.client.get('/api/boards/Slow'),
        service.client.post('/api/boards/Slow/backlog', { title: 'meanwhile' }),
      ]);
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 201]);
      served += answers.length;
    }
    expect(await slow).toBe('database_unavailable');
    expect(performance.now() - start).toBeLessThan(promised(3000));
    expect(served).toBeGreaterThan(3);
    expect((await service.client.get('/health/ready')).status).toBe(200);
    expect(await connections()).toEqual(before);
    expect(log.filter((line) => line.includes('database is unavailable'))).toEqual([]);
  });

  it('is repeated if it waited for a board that another transaction has locked', async () => {
    await withDataSource(service.database, async (other) => {
      const before = await connections();
      const lock = other.createQueryRunner();
      await lock.startTransaction();
      await lock.query("SELECT id FROM boards WHERE name = 'Slow' FOR UPDATE");
      const change = service.client.post('/api/boards/Slow/backlog', { title: 'waits' });
      // Longer than the 0.6 s of a statement.
      await lock.query('SELECT SLEEP(0.8)');
      await lock.commitTransaction();
      expect((await change).status).toBe(201);
      expect(await connections()).toEqual(before);
    });
  });
});
