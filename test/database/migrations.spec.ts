import { NestFactory } from '@nestjs/core';
import { getDataSourceToken } from '@nestjs/typeorm';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { DataSource } from 'typeorm';
import type { ColumnMetadata } from 'typeorm/metadata/ColumnMetadata';
import { AppModule } from '../../src/app.module';
import { Config } from '../../src/config/config';
import { migrate } from '../../src/database/migrator';
import { entities, migrations } from '../../src/database/registry';
import { WRITER } from '../../src/database/data-source';
import { ExpectedError } from '../../src/logging/expected-error';
import { startApp } from '../support/app';
import { command } from '../support/command';
import type { TestDatabase } from '../support/databases';
import { createDatabase, targetOf, withDataSource } from '../support/databases';
import { sources } from '../support/sources';

let database: TestDatabase;
beforeEach(async () => {
  database = await createDatabase();
});
afterEach(() => database.drop());

const applied = (): Promise<string[]> =>
  withDataSource(database, async (dataSource) => {
    const rows: { name: string }[] = await dataSource.query(
      'SELECT name FROM migrations ORDER BY id',
    );
    return rows.map(({ name }) => name);
  });

describe('migrations', () => {
  it('create exactly the tables that the entities describe', async () => {
    // TypeORM needs to know whether the server is MySQL or MariaDB.
    await migrate(targetOf(database));
    const [{ version }] = await withDataSource<any>(database, (dataSource) =>
      dataSource.query(
        `SELECT ${database.engine === 'sqlite' ? 'sqlite_version' : 'version'}() AS version`,
      ),
    );
    const isMariadb = /mariadb/i.test(version);
    const url = isMariadb ? database.url.replace(/^mysql:/, 'mariadb:') : database.url;
    await withDataSource({ url }, async (dataSource) => {
      const { upQueries } = await dataSource.driver.createSchemaBuilder().log();
      expect(upQueries.map(({ query }) => query)).toEqual([]);
    });
  });

  it('are noticed if they lack a column', async () => {
    await migrate(targetOf(database));
    await withDataSource(database, async (dataSource) => {
      await dataSource.query('ALTER TABLE tasks DROP COLUMN assignee');
      const { upQueries } = await dataSource.driver.createSchemaBuilder().log();
      expect(upQueries.map(({ query }) => query).join()).toMatch(/assignee/);
    });
  });

  it('are all registered in order, as are all entities', () => {
    const found = sources().filter(({ path }) => path.endsWith('.entity.ts'));
    expect(found).toHaveLength(entities.length);
    const files = readdirSync(join(__dirname, '../../src/database/migrations'));
    expect(files).toHaveLength(migrations.length);
    const stamps = migrations.map(({ name }) => Number(/\d{13}$/.exec(name)?.[0]));
    expect(stamps).toEqual([...stamps].sort((a, b) => a - b));
    expect(new Set(stamps).size).toBe(stamps.length);
  });

  it('run once when several instances start at once on an empty database', async () => {
    const instances = await Promise.all(Array.from({ length: 4 }, () => startApp({ database })));
    try {
      expect(await applied()).toEqual(migrations.map(({ name }) => name));
      // Each instance writes, and reads what the others wrote.
      for (const [i, { client }] of instances.entries()) {
        const made = await client.post('/api/boards/Shared/backlog', { title: `story ${i}` });
        expect(made.status).toBe(201);
      }
      for (const { client } of instances) {
        expect((await client.get('/api/boards/Shared/backlog')).body).toHaveLength(4);
      }
    } finally {
      for (const instance of instances) await instance.close();
    }
  });

  it('leave no connection open, which would keep a command running, if the application is closed meanwhile', async () => {
    const config = Config.from({ DATABASE_URL: database.url });
    const app = await NestFactory.createApplicationContext(AppModule.with(config), {
      logger: false,
    });
    await app.close();
    const opened = [getDataSourceToken(), WRITER].map((token) => app.get<DataSource>(token));
    expect(opened.map(({ isInitialized }) => isInitialized)).toEqual([false, false]);
  });

  it('change nothing when they are run again', async () => {
    expect(await migrate(targetOf(database))).toEqual(migrations.map(({ name }) => name));
    expect(await migrate(targetOf(database))).toEqual([]);
  });

  it('give existing boards working days, and existing sprints no start', async () => {
    const before = await startApp({ database });
    before.clock.set('2026-11-20T12:00:00Z');
    const dates = { start_date: '2026-11-20', end_date: '2026-11-24' };
    const sprint = await before.client.post('/api/boards/Old/sprints', dates);
    await before.client.post(`/api/sprints/${sprint.body.id}/stories`, { title: 'a', points: 6 });
    await before.close();
    await withDataSource(database, async (dataSource) => {
      await dataSource.query('ALTER TABLE boards DROP COLUMN working_days');
      await dataSource.query('ALTER TABLE sprints DROP COLUMN started_at');
      const after = database.engine === 'sqlite' ? 'after' : '`after`';
      await dataSource.query(
        `UPDATE events SET ${after} = JSON_REMOVE(${after}, '$.working_days', '$.started_at')`,
      );
      await dataSource.query("DELETE FROM migrations WHERE name LIKE 'StartsAndWorkingDays%'");
    });
    const service = await startApp({ database });
    try {
      const { client } = service;
      service.clock.set('2026-11-24T12:00:00Z');
      const working_days = ['mon', 'tue', 'wed', 'thu', 'fri'];
      expect((await client.get('/api/boards/Old')).body).toMatchObject({ working_days });
      const path = `/api/sprints/${sprint.body.id}`;
      expect((await client.get(path)).body.started_at).toBeNull();
      const { days } = (await client.get(`${path}/burndown`)).body;
      expect(days.map((day: any) => [day.working, day.ideal_points])).toEqual([
        ...[
          [true, 4],
          [false, 4],
          [false, 4],
        ],
        ...[
          [true, 2],
          [true, 0],
        ],
      ]);
      expect((await client.post(`${path}/start`)).body.started_at).toBe('2026-11-24T12:00:00.000Z');
    } finally {
      await service.close();
    }
  });

  it('let the search find SS in existing stories with the letter ẞ', async () => {
    const before = await startApp({ database });
    await before.client.post('/api/boards/Old/backlog', { title: 'GROẞ' });
    await before.client.post('/api/boards/Old/backlog', { title: 'other' });
    await before.close();
    await withDataSource(database, async (dataSource) => {
      await dataSource.query("UPDATE stories SET search = 'GROẞ' WHERE title = 'GROẞ'");
      await dataSource.query("DELETE FROM migrations WHERE name LIKE 'SearchCapitalSharpS%'");
    });
    const service = await startApp({ database });
    try {
      for (const word of ['GROẞ', 'groß', 'GROSS']) {
        const path = `/api/boards/Old/stories?q=${encodeURIComponent(word)}`;
        expect((await service.client.get(path)).body).toMatchObject([
          { title: 'GROẞ', version: 1 },
        ]);
      }
    } finally {
      await service.close();
    }
  });

  it('let the search find existing stories with İ, ΐ and ΰ in any case', async () => {
    const titles = ['i\u0307', 'α\u0390', 'α\u03b0'];
    const before = await startApp({ database });
    for (const title of titles) {
      await before.client.post('/api/boards/Old/backlog', { title });
    }
    await before.close();
    await withDataSource(database, async (dataSource) => {
      for (const title of titles) {
        const stored = [title.toUpperCase(), title];
        await dataSource.query('UPDATE stories SET search = ? WHERE title = ?', stored);
      }
      await dataSource.query("DELETE FROM migrations WHERE name LIKE 'SearchComposed%'");
    });
    const service = await startApp({ database });
    try {
      for (const title of titles) {
        const path = `/api/boards/Old/stories?q=${encodeURIComponent(title.toUpperCase())}`;
        expect((await service.client.get(path)).body).toMatchObject([{ title, version: 1 }]);
      }
    } finally {
      await service.close();
    }
  });

  it('of a newer version keep the program from using the database, which stays unchanged', async () => {
    await migrate(targetOf(database));
    await withDataSource(database, (dataSource) =>
      dataSource.query(
        `INSERT INTO migrations (timestamp, name) VALUES (9999999999999, 'Later9999999999999')`,
      ),
    );
    await expect(migrate(targetOf(database))).rejects.toThrow(ExpectedError);
    for (const words of [['migrate'], ['tokens', 'list']]) {
      const outcome = await command(database, ...words);
      expect(outcome.code).toBe(1);
      expect(outcome.err).toMatch(
        /^The database is newer than this program.*Later9999999999999.*\n$/,
      );
    }
    await expect(startApp({ database })).rejects.toThrow(/newer than this program/);
    expect(await applied()).toContain('Later9999999999999');
  });
});

it('every foreign key has an index that begins with its columns, so that no deletion reads a whole table', async () => {
  const service = await startApp({ database });
  try {
    const dataSource = service.app.get(DataSource);
    for (const {
      tablePath,
      foreignKeys,
      indices,
      uniques,
      primaryColumns,
    } of dataSource.entityMetadatas) {
      const columnsOf = ({ columns }: { columns: ColumnMetadata[] }): string[] =>
        columns.map(({ databaseName }) => databaseName);
      const found = [...indices, ...uniques, { columns: primaryColumns }].map(columnsOf);
      for (const key of foreignKeys.map(columnsOf)) {
        const starts = found.map((columns) => columns.slice(0, key.length));
        expect({ [tablePath]: starts }).toEqual({ [tablePath]: expect.arrayContaining([key]) });
      }
    }
  } finally {
    await service.close();
  }
});

describe('ids', () => {
  it('are never assigned twice, even after a deletion or a restart', async () => {
    const given: Record<string, number[]> = { board: [], sprint: [], story: [], task: [] };
    for (let start = 0; start < 2; start += 1) {
      const service = await startApp({ database });
      const { client } = service;
      try {
        for (let round = 0; round < 2; round += 1) {
          const sprint = await client.post('/api/boards/Ids/sprints', { start_date: '2026-11-23' });
          const story = await client.post('/api/boards/Ids/backlog', { title: 'story' });
          const task = await client.post(`/api/stories/${story.body.id}/tasks`, { title: 'task' });
          const board = await client.get('/api/boards/Ids');
          given.sprint?.push(sprint.body.id);
          given.story?.push(story.body.id);
          given.task?.push(task.body.id);
          given.board?.push(board.body.id);
          await client.delete(`/api/tasks/${task.body.id}`);
          await client.delete(`/api/stories/${story.body.id}`);
          await client.delete(`/api/sprints/${sprint.body.id}`);
          await client.delete('/api/boards/Ids');
        }
      } finally {
        await service.close();
      }
    }
    for (const ids of Object.values(given)) {
      expect(ids).toHaveLength(4);
      expect(ids).toEqual([...new Set(ids)].sort((a, b) => a - b));
    }
  });
});
