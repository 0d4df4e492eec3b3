import { spawnSync } from 'node:child_process';
import type { DataSource } from 'typeorm';
import { migrate } from '../../src/database/migrator';
import type { TestDatabase } from '../support/databases';
import { createDatabase, engineUnderTest, targetOf, withDataSource } from '../support/databases';
import { scale } from '../support/faults';
import { Program } from '../support/program';
import { Proxy } from '../support/proxy';

const KILLS = scale(2, 8);

jest.setTimeout(120_000 + KILLS * 15_000);

const sqlite = engineUnderTest() === 'sqlite';

/** Reads the definitions of the tables and the migrations that ran. */
async function schema(dataSource: DataSource): Promise<unknown> {
  const migrations = await dataSource.query('SELECT name FROM migrations ORDER BY id');
  if (sqlite) {
    return [migrations, await dataSource.query('SELECT sql FROM sqlite_master ORDER BY name')];
  }
  const tables: { name: string }[] = await dataSource.query(
    'SELECT table_name AS name FROM information_schema.tables WHERE table_schema = DATABASE() ORDER BY 1',
  );
  const definitions = [];
  for (const { name } of tables) {
    const [row] = await dataSource.query(`SHOW CREATE TABLE \`${name}\``);
    definitions.push(row['Create Table'].replace(/ AUTO_INCREMENT=\d+/, ''));
  }
  return [migrations, definitions];
}

/** Starts a program on the database and kills it after a share of its migration. */
async function migrateAndKill(database: TestDatabase, share: number): Promise<void> {
  if (sqlite) {
    const at = 1 + Math.floor(share * 60);
    const injection = ['-e', 'trace=pwrite64', '-e', `inject=pwrite64:signal=SIGKILL:when=${at}+`];
    const program = await Program.spawn(database, {
      wrapper: ['strace', '-f', '-o', '/dev/null', ...injection],
    });
    await Promise.race([program.exited, program.ready().catch(() => undefined)]);
    await program.end('SIGKILL');
    return;
  }
  const at = 1 + Math.floor(share * 14);
  const proxy = await Proxy.to(Number(new URL(database.url).port));
  const url = new URL(database.url);
  url.port = String(proxy.port);
  const program = await Program.spawn({ url: url.href });
  let steps = 0;
  proxy.onData = (data) => {
    if (!/CREATE|INSERT|UPDATE|ALTER/.test(data.toString('latin1'))) return;
    steps += 1;
    if (steps === at) program.signal('SIGKILL');
  };
  await Promise.race([program.exited, program.ready().catch(() => undefined)]);
  await program.end('SIGKILL');
  proxy.close();
}

const canKill = !sqlite || spawnSync('strace', ['-o', '/dev/null', 'true']).status === 0;
if (!canKill) console.warn('!! strace does not work, so killed migrations are NOT tested');

describe('a migration', () => {
  let expectedSchema: unknown;
  let database: TestDatabase;
  beforeAll(async () => {
    const untouched = await createDatabase();
    await migrate(targetOf(untouched));
    expectedSchema = await withDataSource(untouched, schema);
    await untouched.drop();
  });
  beforeEach(async () => {
    database = await createDatabase();
  });
  afterEach(() => database.drop());

  (canKill ? it : it.skip)(
    `that is killed in the middle is completed by the next start, ${KILLS} times`,
    async () => {
      const remaining: number[] = [];
      for (let kills = 0; kills < KILLS; kills += 1) {
        await migrateAndKill(database, (kills + Math.random()) / KILLS);
        remaining.push((await migrate(targetOf(database))).length);
        expect(await withDataSource(database, schema)).toEqual(expectedSchema);
        await database.drop();
        database = await createDatabase();
      }
      // Some of the programs were killed before the migration was complete.
      expect(Math.max(...remaining)).toBeGreaterThan(0);
    },
  );

  it('runs once if several instances start at the same time', async () => {
    const programs = await Promise.all([1, 2, 3].map(() => Program.spawn(database)));
    await Promise.all(programs.map((program) => program.ready()));
    expect(await withDataSource(database, schema)).toEqual(expectedSchema);
    expect(programs.map((program) => program.allOutput())).toEqual(['', '', '']);
  });

  it('of a newer version ends the program with a clear message, and changes nothing', async () => {
    await migrate(targetOf(database));
    const before = await withDataSource(database, async (dataSource) => {
      await dataSource.query(
        "INSERT INTO migrations (timestamp, name) VALUES (9999999999999, 'Future9999999999999')",
      );
      return schema(dataSource);
    });
    const program = await Program.spawn(database);
    expect((await program.exited).code).toBe(1);
    expect(program.log.map(({ level, msg }) => [level, msg])).toEqual([
      [
        'fatal',
        'The database is newer than this program: it has the migrations Future9999999999999. ' +
          'Run the version that wrote it, or a later one.',
      ],
    ]);
    expect(await withDataSource(database, schema)).toEqual(before);
  });
});
