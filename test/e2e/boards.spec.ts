import { DeletedBoards } from '../../src/boards/deleted-boards.service';
import { Database } from '../../src/database/database';
import { unavailable } from '../../src/database/errors';
import { UnitOfWork } from '../../src/database/unit-of-work';
import { useApp } from '../support/app';
import type { Answer } from '../support/client';
import { nextPage } from '../support/client';
import { CREATED, insertRows } from '../support/fill';
import { boardPath, freshName, Workspace } from '../support/make';
import { expectErrors, expectProblem } from '../support/problems';

const service = useApp();

describe('a board', () => {
  it('is created by the first sprint posted to it', async () => {
    const { client } = service;
    const path = boardPath(freshName());
    expectProblem(await client.get(path), 404, 'board_not_found');
    expectProblem(await client.get(`${path}/sprints`), 404, 'board_not_found');
    const sprint = await client.post(`${path}/sprints`, { start_date: '2026-11-23' });
    expect(sprint.status).toBe(201);
    const board = await client.get(path);
    expect(board.body).toEqual({
      id: expect.any(Number),
      name: sprint.body.board_name,
      time_zone: 'UTC',
      working_days: ['mon', 'tue', 'wed', 'thu', 'fri'],
      revision: 2,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      updated_at: board.body.created_at,
      version: 1,
    });
  });

  it('is created by the first story posted to its backlog', async () => {
    const { client } = service;
    const path = boardPath(freshName());
    expectProblem(await client.get(`${path}/backlog`), 404, 'board_not_found');
    expect((await client.post(`${path}/backlog`, { title: 'x' })).status).toBe(201);
    expect((await client.get(path)).body.revision).toBe(2);
  });

  it('is not created by rejected requests', async () => {
    const { client } = service;
    const path = boardPath(freshName());
    expectErrors(await client.post(`${path}/sprints`, {}), '/start_date required');
    expectErrors(await client.post(`${path}/backlog`, {}), '/title required');
    expectErrors(
      await client.post(`${path}/sprints`, { start_date: '2026-11-23', end_date: '2026-11-22' }),
      '/end_date out_of_range',
    );
    expectProblem(await client.get(path), 404, 'board_not_found');
  });

  it('is created once, with a time zone, and found by its name', async () => {
    const { client } = service;
    const name = freshName('Zürich / 東京 #1?');
    const made = await client.post('/api/boards', { name, time_zone: 'Asia/Tokyo' });
    expect(made.status).toBe(201);
    expect(made.headers.get('location')).toBe(boardPath(name));
    expect(made.body).toMatchObject({ name, time_zone: 'Asia/Tokyo', revision: 1, version: 1 });
    expect((await client.get(boardPath(name))).body).toEqual(made.body);
    expectProblem(await client.post('/api/boards', { name }), 409, 'name_taken');
  });

  it('has a name that is trimmed and normalized to NFC', async () => {
    const { client } = service;
    const name = `${freshName()} Cafe\u0301`;
    const made = await client.post('/api/boards', { name: `  ${name}\t\u3000` });
    expect(made.body.name).toBe(name.normalize('NFC'));
    expect((await client.get(boardPath(`${name} `))).body).toEqual(made.body);
    expectProblem(await client.post('/api/boards', { name }), 409, 'name_taken');
  });

  it('is distinct from boards whose names differ in case, accents or any code point', async () => {
    const { client } = service;
    const stem = freshName();
    const names = [
      'team',
      'Team',
      'TEAM',
      'téam',
      'te\u00adam',
      'tea\u200bm',
      'team😀',
      'team😎',
      'ﬁ',
      'fi',
      'ß',
      'ss',
    ];
    for (const name of names) {
      expect((await client.post('/api/boards', { name: `${stem} ${name}` })).status).toBe(201);
    }
    for (const name of names) {
      expect((await client.get(boardPath(`${stem} ${name}`))).body.name).toBe(`${stem} ${name}`);
    }
  });

  it('may have any name of 1 to 100 code points without control characters', async () => {
    const { client } = service;
    const long = `${freshName()} `.padEnd(100, 'x');
    const wide = '🏳'.repeat(100);
    for (const name of [
      long,
      wide,
      '...',
      '%2F',
      'a/b\\c',
      `'; DROP TABLE boards; --`,
      '\u202eabc',
      'null',
    ]) {
      const made = await client.post('/api/boards', { name });
      expect([name, made.status]).toEqual([name, 201]);
      expect((await client.get(boardPath(name))).body.name).toBe(name);
    }
    const rejected: [unknown, string][] = [
      ['', 'blank'],
      [' \u00a0\u2003', 'blank'],
      ['x'.repeat(101), 'too_long'],
      [`${wide}🏳`, 'too_long'],
      ['.', 'invalid_value'],
      [' .. ', 'invalid_value'],
      ['a\nb', 'invalid_text'],
      ['a\u0085b', 'invalid_text'],
      ['a\0b', 'invalid_text'],
      ['a\ud800b', 'invalid_text'],
      [5, 'invalid_type'],
      [['a'], 'invalid_type'],
      [null, 'not_nullable'],
    ];
    for (const [name, code] of rejected) {
      expectErrors(await client.post('/api/boards', { name }), `/name ${code}`);
    }
  });

  it('has an IANA time zone, never an offset', async () => {
    const { client } = service;
    for (const time_zone of [
      'UTC',
      'Etc/UTC',
      'Europe/Berlin',
      'Europe/Kyiv',
      'Europe/Kiev',
      'Asia/Kolkata',
      'Asia/Calcutta',
      'America/St_Johns',
      'Pacific/Kiritimati',
    ]) {
      const made = await client.post('/api/boards', { name: freshName(), time_zone });
      expect(made.body.time_zone).toBe(time_zone);
    }
    for (const time_zone of [
      '+01:00',
      'utc',
      'GMT+1',
      'Europe/berlin',
      'Mars/Olympus',
      '',
      'CET ',
    ]) {
      const answer = await client.post('/api/boards', { name: freshName(), time_zone });
      expectErrors(answer, '/time_zone invalid_value');
    }
  });

  it('keeps its id and content when it is renamed, and its old name can be used again', async () => {
    const { client } = service;
    const board = await Workspace.create(client);
    const sprint = await board.sprint('2026-11-23');
    const story = await board.story(sprint);
    const old = (await client.get(board.path)).body;
    const name = freshName('Renamed');
    const renamed = await client.put(board.path, { name });
    expect(renamed.body).toMatchObject({
      id: old.id,
      name,
      version: 2,
      revision: old.revision + 1,
    });
    expectProblem(await client.get(board.path), 404, 'board_not_found');
    expect((await client.get(boardPath(name))).body).toEqual(renamed.body);
    expect((await client.get(`/api/stories/${story.id}`)).body.board_name).toBe(name);
    expect((await client.get(`/api/sprints/${sprint.id}`)).body.board_name).toBe(name);
    const other = await client.post('/api/boards', { name: board.name });
    expect(other.status).toBe(201);
    expect(other.body.id).not.toBe(old.id);
    expectProblem(await client.patch(boardPath(name), { name: board.name }), 409, 'name_taken');
  });

  it('can change its time zone; an update with the same values changes nothing', async () => {
    const { client } = service;
    const board = await Workspace.create(client);
    const changed = await client.patch(board.path, { time_zone: 'Asia/Tokyo' });
    expect(changed.body).toMatchObject({ time_zone: 'Asia/Tokyo', version: 2, revision: 2 });
    for (const body of [
      {},
      { time_zone: 'Asia/Tokyo' },
      { name: ` ${board.name} ` },
      changed.body,
    ]) {
      expect((await client.put(board.path, body)).body).toEqual(changed.body);
    }
    expect(await board.events()).toHaveLength(2);
  });

  it('has working days, in the order of the week', async () => {
    const { client } = service;
    const made = await client.post('/api/boards', {
      name: freshName(),
      working_days: ['sun', 'mon', 'tue', 'wed', 'thu'],
    });
    expect(made.body.working_days).toEqual(['mon', 'tue', 'wed', 'thu', 'sun']);
    const path = boardPath(made.body.name);
    expect((await client.get(path)).body).toEqual(made.body);
    const listed = (await client.get('/api/boards')).body;
    expect(listed).toContainEqual(made.body);
    const same = await client.put(path, { working_days: ['thu', 'mon', 'tue', 'wed', 'sun'] });
    expect(same.body).toEqual(made.body);
    const form = (text: string): Promise<Answer> => client.put(path, undefined, { form: text });
    const changed = await form('working_days=sat&working_days=fri');
    expect(changed.body).toMatchObject({ working_days: ['fri', 'sat'], version: 2 });
    expectErrors(await form('working_days='), '/working_days too_few');
    const one = await form('working_days=wed');
    expect(one.body).toMatchObject({ working_days: ['wed'], version: 3 });
    const renamed = await client.put(path, { name: freshName() });
    expect(renamed.body).toMatchObject({ working_days: ['wed'], version: 4 });
    const events = (await client.get(`${boardPath(renamed.body.name)}/events`)).body;
    expect(events[0].after.working_days).toEqual(made.body.working_days);
    expect(events[1]).toMatchObject({
      before: { working_days: made.body.working_days, version: 1 },
      after: { working_days: ['fri', 'sat'], version: 2 },
    });
    for (const [working_days, ...errors] of [
      [[], '/working_days too_few'],
      [
        ['sun', 'Mon', 'sun', 'mon', 1],
        '/working_days/1 invalid_value',
        '/working_days/2 duplicate',
        '/working_days/4 invalid_value',
      ],
      ['mon', '/working_days invalid_type'],
      [null, '/working_days not_nullable'],
    ] as const) {
      expectErrors(await client.patch(boardPath(renamed.body.name), { working_days }), ...errors);
    }
  });

  it('with sprints or stories is deleted only with `force`', async () => {
    const { client } = service;
    for (const fill of [
      (b: Workspace) => b.sprint('2026-11-23'),
      (b: Workspace) => b.story(null),
    ]) {
      const board = await Workspace.create(client);
      await fill(board);
      const { id } = (await client.get(board.path)).body;
      expectProblem(await client.delete(board.path), 409, 'board_not_empty');
      expectProblem(await client.delete(`${board.path}?force=false`), 409, 'board_not_empty');
      expect((await client.delete(`${board.path}?force=true`)).body).toEqual({ deleted: true, id });
    }
    const empty = await Workspace.create(client);
    expect((await client.delete(empty.path)).status).toBe(200);
    expectProblem(await client.delete(empty.path), 404, 'board_not_found');
  });

  it('is deleted with its content and log; a new board with its name is a different one', async () => {
    const { client } = service;
    const board = await Workspace.create(client);
    const sprint = await board.sprint('2026-11-23');
    const story = await board.story(sprint, { external_id: 'X-1' });
    const task = await board.task(story);
    const { id } = (await client.get(board.path)).body;
    await client.delete(`${board.path}?force=true`);
    for (const [path, code] of [
      [board.path, 'board_not_found'],
      [`${board.path}/events`, 'board_not_found'],
      [`/api/sprints/${sprint.id}`, 'sprint_not_found'],
      [`/api/sprints/${sprint.id}/stories`, 'sprint_not_found'],
      [`/api/stories/${story.id}`, 'story_not_found'],
      [`/api/stories/${story.id}/history`, 'story_not_found'],
      [`/api/stories/${story.id}/tasks`, 'story_not_found'],
      [`/api/tasks/${task.id}`, 'task_not_found'],
    ] as const) {
      expectProblem(await client.get(path), 404, code);
    }
    expectProblem(
      await client.put(`/api/stories/${story.id}`, { title: 'x' }),
      404,
      'story_not_found',
    );
    expectProblem(
      await client.post(`/api/sprints/${sprint.id}/stories`, { title: 'x' }),
      404,
      'sprint_not_found',
    );
    const again = await client.post(`${board.path}/backlog`, { title: 'x', external_id: 'X-1' });
    expect(again.status).toBe(201);
    const later = (await client.get(board.path)).body;
    expect(later.id).not.toBe(id);
    expect(later.revision).toBe(2);
    expect((await client.get(`${board.path}/backlog`)).body).toEqual([again.body]);
  });

  it('has its rows deleted even if the commit of its deletion was not confirmed', async () => {
    const { app, client } = service;
    const board = await Workspace.create(client);
    const { id } = (await client.get(board.path)).body;
    await insertRows(service, 'sprints', 2500, () => ({
      board_id: id as number,
      start_date: '2026-11-23',
      created_at: CREATED,
      updated_at: CREATED,
      version: 1,
    }));
    const unitOfWork = app.get(UnitOfWork);
    const run = unitOfWork.run.bind(unitOfWork);
    const failing = jest.spyOn(unitOfWork, 'run').mockImplementation(async (...change) => {
      await run(...change);
      throw unavailable();
    });
    const answer = await client.delete(`${board.path}?force=true`);
    failing.mockRestore();
    expectProblem(answer, 503, 'database_unavailable');
    await app.get(DeletedBoards)['purging'];
    const rowsOf = (table: string, column = 'board_id'): Promise<object[]> =>
      app.get(Database).query(`SELECT ${column} FROM ${table} WHERE ${column} = ?`, [id]);
    expect(await rowsOf('sprints')).toEqual([]);
    expect(await rowsOf('events')).toHaveLength(2);
    // The log is kept for a minute, so that streams end with its last event.
    service.clock.set(new Date(Date.now() + 61_000).toISOString());
    await app.get(DeletedBoards).purge();
    service.clock.set();
    expect([await rowsOf('events'), await rowsOf('boards', 'id')]).toEqual([[], []]);
  });

  it('that is deleted has no sprint, story or task, even before its rows are deleted', async () => {
    const { app, client } = service;
    const board = await Workspace.create(client);
    const sprint = await board.sprint('2026-11-23');
    const story = await board.story(sprint);
    const task = await board.task(story);
    const purge = jest.spyOn(app.get(DeletedBoards), 'purge').mockResolvedValue();
    await client.delete(`${board.path}?force=true`);
    const answers: [Answer, string][] = [];
    for (const [path, code] of [
      [`/api/sprints/${sprint.id}`, 'sprint_not_found'],
      [`/api/stories/${story.id}`, 'story_not_found'],
      [`/api/stories/${story.id}/tasks`, 'story_not_found'],
      [`/api/tasks/${task.id}`, 'task_not_found'],
    ] as const) {
      answers.push([await client.get(path), code]);
    }
    answers.push([await client.patch(`/api/tasks/${task.id}`, { title: 'x' }), 'task_not_found']);
    purge.mockRestore();
    for (const [answer, code] of answers) expectProblem(answer, 404, code);
  });

  it('that is deleted cannot be named by a move, even before its rows are deleted', async () => {
    const { app, client } = service;
    const [board, deleted] = [await Workspace.create(client), await Workspace.create(client)];
    const story = await board.story(null);
    const sprint = await deleted.sprint('2026-11-23');
    const neighbour = await deleted.story(sprint);
    const path = `/api/stories/${story.id}`;
    const purge = jest.spyOn(app.get(DeletedBoards), 'purge').mockResolvedValue();
    await client.delete(`${deleted.path}?force=true`);
    const intoSprint = await client.patch(path, { sprint_id: sprint.id });
    const beside = await client.post(`${path}/move`, { position: { after: neighbour.id } });
    purge.mockRestore();
    expectErrors(intoSprint, '/sprint_id not_found');
    expectErrors(beside, '/position not_found');
  });

  it('rejects invalid fields, every error at once', async () => {
    const { client } = service;
    const board = await Workspace.create(client);
    expectErrors(
      await client.put(board.path, { name: '', time_zone: 5, colour: 'red', 'a/b~c': 1 }),
      '/name blank',
      '/time_zone invalid_type',
      '/colour unknown_field',
      '/a~1b~0c unknown_field',
    );
    expectErrors(
      await client.put(board.path, { id: 1e9, revision: 77, created_at: 'x' }),
      '/id read_only',
      '/revision read_only',
      '/created_at read_only',
    );
    expectProblem(await client.put(board.path, { version: 9 }), 412, 'precondition_failed');
    expectErrors(
      await client.post('/api/boards', { name: freshName(), id: 1 }),
      '/id unknown_field',
    );
  });
});

describe('the boards', () => {
  it('are listed by name in code-point order', async () => {
    const { client } = service;
    const stem = freshName('order');
    const names = ['a', 'B', 'b', 'A', 'ä', 'Z', '\uffee', '😀', 'a b', 'a-b', 'aa'].map(
      (n) => `${stem} ${n}`,
    );
    for (const name of names) await client.post('/api/boards', { name });
    const listed = (await client.get<any[]>('/api/boards')).body.map(
      (board) => board.name as string,
    );
    const codePoints = (text: string): number[] => [...text].map((c) => c.codePointAt(0) ?? 0);
    const byCodePoint = (a: string, b: string): number => {
      const [x, y] = [codePoints(a), codePoints(b)];
      const at = x.findIndex((point, i) => point !== y[i]);
      return at < 0 ? x.length - y.length : (x[at] ?? 0) - (y[at] ?? -1);
    };
    expect(listed).toEqual([...listed].sort(byCodePoint));
    expect(listed.filter((name) => name.startsWith(stem))).toHaveLength(names.length);
  });

  it('are paginated', async () => {
    const { client } = service;
    const whole = (await client.get<any[]>('/api/boards')).body;
    const paged: any[] = [];
    let next: string | undefined = '/api/boards?limit=3';
    while (next !== undefined) {
      const page: { body: any[]; headers: Headers } = await client.get<any[]>(next);
      paged.push(...page.body);
      next = nextPage(page);
    }
    expect(paged).toEqual(whole);
  });
});
