import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { useApp } from '../support/app';
import { command } from '../support/command';
import { createDatabase } from '../support/databases';
import { afterwards } from '../support/faults';

const service = useApp();

describe('the demo board', () => {
  it('has a completed, an active and a planned sprint around today', async () => {
    const { client, database } = service;
    const outcome = await command(database, 'seed');
    expect(outcome).toEqual({
      code: 0,
      out: 'Demo: six completed sprints, a current one, a planned one and a backlog.\n',
      err: '',
    });
    const sprints = '/api/boards/Demo/sprints';
    const current = (await client.get(`${sprints}/current`)).body;
    const previous = (await client.get(`${sprints}/previous`)).body;
    const next = (await client.get(`${sprints}/next`)).body;
    expect([previous.name, current.name, next.name]).toEqual([
      'Sprint 11',
      'Sprint 12',
      'Sprint 13',
    ]);
    const statuses = (sprint: any): string[] =>
      [...new Set<string>(sprint.stories.map((story: any) => story.status))].sort();
    expect([previous.state, current.state, next.state]).toEqual(['completed', 'active', 'planned']);
    expect(statuses(previous)).toEqual(['done']);
    expect(previous.started_at.slice(0, 10)).toBe(previous.start_date);
    const { unfinished } = (await client.get(`/api/sprints/${previous.id}/report`)).body;
    expect(unfinished.stories.map((story: any) => story.carried_to)).toEqual([current.id]);
    const today = new Date().toISOString().slice(0, 10);
    expect(previous.end_date < current.start_date && current.start_date <= today).toBe(true);
    expect(today <= current.end_date && current.end_date < next.start_date).toBe(true);
    expect(statuses(current)).toEqual(['done', 'in_progress', 'todo']);
    expect(statuses(next)).toEqual(['todo']);
    expect(current.stories.some((story: any) => story.tasks.length > 0)).toBe(true);
    expect((await client.get('/api/boards/Demo/backlog')).body.length).toBeGreaterThan(10);
  });

  it('has enough history for velocity, burndown and forecast', async () => {
    const { client } = service;
    const velocity = (await client.get('/api/boards/Demo/velocity')).body;
    expect(velocity.sprints).toHaveLength(6);
    expect(
      new Set(velocity.sprints.map((sprint: any) => sprint.completed_points)).size,
    ).toBeGreaterThan(3);
    const { days } = (await client.get('/api/boards/Demo/sprints/current/burndown')).body;
    expect(days.length).toBeGreaterThan(3);
    expect(days.at(-1).remaining_points).toBeLessThan(days[0].remaining_points);
    expect(days.at(-1).remaining_points).toBeGreaterThan(0);
    const forecast = (await client.get('/api/boards/Demo/forecast?seed=1')).body;
    expect([forecast.history.sprints, forecast.asked.sprint_days]).toEqual([6, 14]);
    expect(forecast.when[0].sprints).toBeGreaterThan(0);
  });

  it('has a log in order, with no event later than now', async () => {
    const events = (await service.client.get('/api/boards/Demo/events')).body;
    const times = events.map((event: any) => event.at);
    expect(times).toEqual([...times].sort());
    expect(times.at(-1) < new Date().toISOString()).toBe(true);
    expect(times[0] < times.at(-1)).toBe(true);
    expect(events.map((event: any) => event.revision)).toEqual(
      events.map((_: any, i: number) => i + 1),
    );
  });

  it('is created only once with a name', async () => {
    const again = await command(service.database, 'seed');
    expect(again).toEqual({
      code: 1,
      out: '',
      err: 'A board Demo already exists; --board gives the demo another name.\n',
    });
    const other = await command(service.database, 'seed', '--board', 'Other demo');
    expect(other.code).toBe(0);
  });
});

describe('the command line', () => {
  it('migrates an empty database, once', async () => {
    const database = await createDatabase();
    try {
      expect((await command(database, 'migrate')).out).toMatch(/^Migrated: Initial/);
      expect(await command(database, 'migrate')).toEqual({
        code: 0,
        out: 'Nothing to migrate.\n',
        err: '',
      });
    } finally {
      await database.drop();
    }
  });

  it('says why an SQLite database cannot be used', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'sprintline-folder-'));
    afterwards(() => rmSync(folder, { recursive: true }));
    for (const words of [['migrate'], ['tokens', 'list']]) {
      expect(await command({ ...service.database, url: `sqlite:${folder}` }, ...words)).toEqual({
        code: 1,
        out: '',
        err: `The configuration is invalid:\n  DATABASE_URL: ${folder} is a folder.\n`,
      });
    }
  });

  it('reports invalid settings', async () => {
    const nowhere = { ...service.database, url: 'postgres://localhost/db' };
    for (const words of [['migrate'], ['seed'], ['import', __filename, '--board', 'B']]) {
      const outcome = await command(nowhere, ...words);
      expect(outcome.code).toBe(1);
    }
    expect((await command(nowhere, 'seed')).err).toMatch(
      /^The configuration is invalid:\n {2}DATABASE_URL/,
    );
  });

  it('reports why a database cannot be migrated', async () => {
    const away = { ...service.database, url: 'mysql://unknown@127.0.0.1:1/none' };
    expect(await command(away, 'migrate')).toEqual({
      code: 1,
      out: '',
      err: expect.stringMatching(/ECONNREFUSED/),
    });
  });
});
