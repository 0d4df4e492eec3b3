import { useApp } from '../support/app';
import type { Answer } from '../support/client';
import { boardPath, freshName, made2xx, Workspace } from '../support/make';
import { expectErrors, expectProblem } from '../support/problems';

const service = useApp();
afterEach(() => service.clock.set());

/** Sets the clock to noon of a day in UTC, or to an instant. */
const at = (when: string): void =>
  service.clock.set(when.includes('T') ? when : `${when}T12:00:00Z`);

const show = async (sprint: { id: number }): Promise<any> =>
  (await service.client.get(`/api/sprints/${sprint.id}`)).body;

const stateOf = async (sprint: { id: number }): Promise<string> => (await show(sprint)).state;

describe('a sprint', () => {
  it('is created with a start date alone', async () => {
    const { client } = service;
    const board = await Workspace.create(client);
    at('2026-11-21');
    const made = await client.post(`${board.path}/sprints`, { start_date: '2026-11-23' });
    expect(made.status).toBe(201);
    expect(made.headers.get('location')).toBe(`/api/sprints/${made.body.id}`);
    expect(made.body).toEqual({
      id: expect.any(Number),
      board_name: board.name,
      name: null,
      goal: null,
      start_date: '2026-11-23',
      end_date: null,
      state: 'planned',
      started_at: null,
      completed_at: null,
      external_id: null,
      created_at: '2026-11-21T12:00:00.000Z',
      updated_at: '2026-11-21T12:00:00.000Z',
      version: 1,
    });
    expect(await show(made.body)).toEqual(made.body);
  });

  it('uses the date of a date-time as it is written, whatever the offset', async () => {
    const board = await Workspace.create(service.client, 'Pacific/Kiritimati');
    for (const date of [
      '2026-11-23T00:00:00Z',
      '2026-11-23T23:59:59.999+14:00',
      '2026-11-23T00:00:00-12:00',
      '2026-11-23T10:00:00',
      '2026-11-23T10:00',
      '2026-11-23 10:00:00',
    ]) {
      const sprint = await board.sprint(date, { end_date: date });
      expect([sprint.start_date, sprint.end_date]).toEqual(['2026-11-23', '2026-11-23']);
    }
  });

  it('has existing dates of the years 1000 to 9999', async () => {
    const { client } = service;
    const board = await Workspace.create(client);
    for (const date of ['1000-01-01', '9999-12-31', '2024-02-29', '2000-02-29', '1582-10-10']) {
      const sprint = await board.sprint(date);
      expect(sprint.start_date).toBe(date);
      expect((await show(sprint)).start_date).toBe(date);
    }
    const rejected: [unknown, string][] = [
      ['0999-12-31', 'out_of_range'],
      ['0000-01-01', 'out_of_range'],
      ['2025-02-29', 'invalid_date'],
      ['1900-02-29', 'invalid_date'],
      ['2026-04-31', 'invalid_date'],
      ['2026-13-01', 'invalid_date'],
      ['2026-00-10', 'invalid_date'],
      ['2026-01-00', 'invalid_date'],
      ['10000-01-01', 'invalid_date'],
      ['+002026-01-01', 'invalid_date'],
      ['-2026-01-01', 'invalid_date'],
      ['2026-1-1', 'invalid_date'],
      ['20261123', 'invalid_date'],
      ['2026/11/23', 'invalid_date'],
      ['23.11.2026', 'invalid_date'],
      ['2026-11-23T25:00:00Z', 'invalid_date'],
      ['2026-11-23T10:00:00Zx', 'invalid_date'],
      ['2026-11-23T', 'invalid_date'],
      ['２０２６-11-23', 'invalid_date'],
      ['2026-W48-1', 'invalid_date'],
      ['tomorrow', 'invalid_date'],
      ['', 'invalid_date'],
      [20261123, 'invalid_type'],
      [true, 'invalid_type'],
      [['2026-11-23'], 'invalid_type'],
      [{}, 'invalid_type'],
      [null, 'not_nullable'],
    ];
    for (const [start_date, code] of rejected) {
      const answer = await client.post(`${board.path}/sprints`, { start_date });
      expectErrors(answer, `/start_date ${code}`);
    }
  });

  it('does not end before it starts', async () => {
    const { client } = service;
    const board = await Workspace.create(client);
    const sprint = await board.sprint('2026-11-23', { end_date: '2026-11-23' });
    const path = `/api/sprints/${sprint.id}`;
    expectErrors(await client.put(path, { end_date: '2026-11-22' }), '/end_date out_of_range');
    expectErrors(await client.put(path, { start_date: '2026-11-24' }), '/start_date out_of_range');
    const both = { start_date: '2026-12-02', end_date: '2026-12-01' };
    expectErrors(await client.put(path, both), '/end_date out_of_range');
    expectErrors(await client.post(`${board.path}/sprints`, both), '/end_date out_of_range');
    const moved = await client.put(path, { start_date: '2026-12-02', end_date: '2026-12-15' });
    expect(moved.body).toMatchObject({
      start_date: '2026-12-02',
      end_date: '2026-12-15',
      version: 2,
    });
    expect((await client.put(path, { start_date: '2027-01-01', end_date: null })).status).toBe(200);
  });

  it('is rejected for its dates before its version and stored rows are checked', async () => {
    const board = await Workspace.create(service.client);
    const sprint = await board.sprint('2026-11-23');
    const backwards = { start_date: '2026-12-02', end_date: '2026-12-01', version: 7 };
    const answer = await service.client.put(`/api/sprints/${sprint.id}`, backwards, {
      headers: { 'if-match': '"stale"' },
    });
    expectErrors(answer, '/end_date out_of_range');
  });

  it('changes only the fields that are sent; null and empty strings clear them', async () => {
    const { client } = service;
    const board = await Workspace.create(client);
    const sprint = await board.sprint('2026-11-23', {
      end_date: '2026-12-04',
      name: 'S1',
      goal: 'Ship it',
    });
    const path = `/api/sprints/${sprint.id}`;
    at('2026-11-30');
    const named = await client.patch(path, { name: 'Sprint 1 🚀' });
    expect(named.body).toEqual({
      ...sprint,
      name: 'Sprint 1 🚀',
      state: 'active',
      version: 2,
      updated_at: '2026-11-30T12:00:00.000Z',
    });
    const cleared = await client.put(path, { name: null, goal: '', end_date: null });
    expect(cleared.body).toMatchObject({ name: null, goal: null, end_date: null, version: 3 });
  });

  it('is not changed by an update that changes nothing', async () => {
    const { client } = service;
    const board = await Workspace.create(client);
    const sprint = await board.sprint('2026-11-23', { name: 'S1' });
    const revision = await board.revision();
    for (const body of [
      {},
      { start_date: '2026-11-23' },
      { start_date: '2026-11-23T08:00:00+02:00', name: 'S1', goal: '' },
      sprint,
    ]) {
      expect((await client.put(`/api/sprints/${sprint.id}`, body)).body).toEqual(sprint);
    }
    expect((await client.put(`/api/sprints/${sprint.id}`)).body).toEqual(sprint);
    expect(await board.revision()).toBe(revision);
  });

  it('accepts its read-only fields unchanged, and rejects other values', async () => {
    const { client } = service;
    const board = await Workspace.create(client);
    const sprint = await board.sprint('2026-11-23');
    const path = `/api/sprints/${sprint.id}`;
    expectErrors(
      await client.put(path, {
        id: 0,
        board_name: 'x',
        state: 'completed',
        started_at: '2026-01-01',
        completed_at: '2026-01-01',
      }),
      '/id read_only',
      '/board_name read_only',
      '/state read_only',
      '/started_at read_only',
      '/completed_at read_only',
    );
    expectProblem(await client.put(path, { ...sprint, version: 2 }), 412, 'precondition_failed');
    expectErrors(
      await client.post(`${board.path}/sprints`, {
        start_date: '2026-11-23',
        state: 'planned',
        id: 1,
      }),
      '/state unknown_field',
      '/id unknown_field',
    );
    expect((await client.put(path, { ...sprint, goal: 'now' })).body).toMatchObject({
      goal: 'now',
    });
  });

  it('has a name of 100 and a goal of 2,000 characters at most', async () => {
    const board = await Workspace.create(service.client);
    const name = '🏁'.repeat(100);
    const goal = '目'.repeat(2000);
    expect(await board.sprint('2026-11-23', { name, goal })).toMatchObject({ name, goal });
    expectErrors(
      await service.client.post(`${board.path}/sprints`, {
        start_date: '2026-11-23',
        name: `${name}x`,
        goal: `${goal}x`,
      }),
      '/name too_long',
      '/goal too_long',
    );
  });
});

describe('the state of a sprint', () => {
  it('with both dates is planned, active from its first to its last day, then ended', async () => {
    const board = await Workspace.create(service.client);
    const sprint = await board.sprint('2026-11-23', { end_date: '2026-12-04' });
    for (const [day, state] of [
      ['2026-11-22', 'planned'],
      ['2026-11-23', 'active'],
      ['2026-12-04', 'active'],
      ['2026-12-05', 'ended'],
      ['9999-12-31', 'ended'],
    ] as const) {
      at(day);
      expect([day, await stateOf(sprint)]).toEqual([day, state]);
    }
  });

  it('without an end date is ended once a later sprint has started', async () => {
    const board = await Workspace.create(service.client);
    const first = await board.sprint('2026-11-02');
    const second = await board.sprint('2026-11-16');
    at('2026-11-15');
    expect([await stateOf(first), await stateOf(second)]).toEqual(['active', 'planned']);
    at('2026-11-16');
    expect([await stateOf(first), await stateOf(second)]).toEqual(['ended', 'active']);
    at('2030-01-01');
    expect([await stateOf(first), await stateOf(second)]).toEqual(['ended', 'active']);
    await service.client.delete(`/api/sprints/${second.id}`);
    expect(await stateOf(first)).toBe('active');
  });

  it('of two without an end date that start on one day is active for the one created later', async () => {
    const board = await Workspace.create(service.client);
    const first = await board.sprint('2026-11-16');
    const second = await board.sprint('2026-11-16');
    at('2026-11-16');
    expect([await stateOf(first), await stateOf(second)]).toEqual(['ended', 'active']);
    expect((await service.client.get(`${board.path}/sprints/current`)).body.id).toBe(second.id);
  });

  it('of two that start on one day: the one created later is the next one', async () => {
    const { client } = service;
    const board = await Workspace.create(client);
    const first = await board.sprint('2026-11-16');
    at('2026-11-16');
    const second = await board.sprint('2026-11-16');
    await board.sprint('2026-12-16');
    const path = `/api/sprints/${first.id}`;
    const changed = await client.put(path, { goal: 'Ship it' });
    expect(changed.body).toEqual((await client.get(path)).body);
    expect(changed.body.state).toBe('ended');
    const story = await board.story(first);
    await made2xx(client.post(`${path}/complete`, { unfinished: 'next' }));
    expect((await client.get(`/api/stories/${story.id}`)).body.sprint_id).toBe(second.id);
  });

  it('with an end date does not depend on later ones: sprints may overlap', async () => {
    const board = await Workspace.create(service.client);
    const long = await board.sprint('2026-11-01', { end_date: '2026-11-30' });
    const short = await board.sprint('2026-11-10', { end_date: '2026-11-12' });
    at('2026-11-11');
    expect([await stateOf(long), await stateOf(short)]).toEqual(['active', 'active']);
    const current = async (): Promise<number> =>
      (await service.client.get(`${board.path}/sprints/current`)).body.id;
    expect(await current()).toBe(short.id);
    at('2026-11-13');
    expect(await current()).toBe(long.id);
  });

  it("changes at midnight in the board's time zone", async () => {
    const changes = {
      UTC: '2026-11-23T00:00:00.000Z',
      'Pacific/Kiritimati': '2026-11-22T10:00:00.000Z',
      'Pacific/Niue': '2026-11-23T11:00:00.000Z',
      'America/New_York': '2026-11-23T05:00:00.000Z',
      'Australia/Eucla': '2026-11-22T15:15:00.000Z',
    };
    for (const [zone, midnight] of Object.entries(changes)) {
      const board = await Workspace.create(service.client, zone);
      const sprint = await board.sprint('2026-11-23');
      at(new Date(Date.parse(midnight) - 1).toISOString());
      expect([zone, await stateOf(sprint)]).toEqual([zone, 'planned']);
      at(midnight);
      expect([zone, await stateOf(sprint)]).toEqual([zone, 'active']);
    }
  });

  it('follows daylight saving time', async () => {
    const board = await Workspace.create(service.client, 'Europe/Berlin');
    const summer = await board.sprint('2026-07-01', { end_date: '2026-07-01' });
    at('2026-06-30T21:59:59.999Z');
    expect(await stateOf(summer)).toBe('planned');
    at('2026-06-30T22:00:00.000Z');
    expect(await stateOf(summer)).toBe('active');
    at('2026-07-01T22:00:00.000Z');
    expect(await stateOf(summer)).toBe('ended');
    const winter = await board.sprint('2026-12-01');
    at('2026-11-30T22:59:59.999Z');
    expect(await stateOf(winter)).toBe('planned');
    at('2026-11-30T23:00:00.000Z');
    expect(await stateOf(winter)).toBe('active');
  });

  it("changes with the board's time zone", async () => {
    const board = await Workspace.create(service.client);
    const sprint = await board.sprint('2026-11-22');
    at('2026-11-21T20:00:00Z');
    expect(await stateOf(sprint)).toBe('planned');
    await service.client.put(board.path, { time_zone: 'Asia/Tokyo' });
    expect(await stateOf(sprint)).toBe('active');
  });

  it('filters the list as it is shown', async () => {
    const { client } = service;
    const board = await Workspace.create(client);
    for (const [start, end] of [
      ['2026-10-01', '2026-10-14'],
      ['2026-10-10', null],
      ['2026-10-20', '2026-12-31'],
      ['2026-11-10', null],
      ['2026-11-20', null],
      ['2026-11-20', '2026-11-20'],
      ['2026-12-01', null],
      ['2026-12-01', '2026-12-05'],
    ]) {
      await board.sprint(start as string, { end_date: end });
    }
    for (const day of [
      '2026-09-30',
      '2026-10-10',
      '2026-11-20',
      '2026-11-21',
      '2026-12-01',
      '2027-01-01',
    ]) {
      at(day);
      const all = (await client.get<any[]>(`${board.path}/sprints`)).body;
      expect(all).toHaveLength(8);
      for (const state of ['planned', 'active', 'ended', 'completed']) {
        const listed = await client.get(`${board.path}/sprints?state=${state}`);
        expect(listed.body).toEqual(all.filter((sprint) => sprint.state === state));
      }
    }
    expectErrors(await client.get(`${board.path}/sprints?state=open`), 'state invalid_value');
  });
});

describe('the sprints of a board', () => {
  it('are listed by start date, then id, without their stories', async () => {
    const board = await Workspace.create(service.client);
    const c = await board.sprint('2026-12-01');
    const a = await board.sprint('2026-11-01');
    const b = await board.sprint('2026-11-01', { end_date: '2026-11-02' });
    const listed = await service.client.get<any[]>(`${board.path}/sprints`);
    expect(listed.body.map(({ id }) => id)).toEqual([a.id, b.id, c.id]);
    expect(listed.body[0]).toEqual(await show(a));
    const empty = await Workspace.create(service.client);
    expect((await service.client.get(`${empty.path}/sprints`)).body).toEqual([]);
  });

  it('are current, next and previous in full: stories in order, each with its tasks', async () => {
    const { client } = service;
    const board = await Workspace.create(client);
    const sprints = [
      await board.sprint('2026-11-02', { end_date: '2026-11-13' }),
      await board.sprint('2026-11-16', { end_date: '2026-11-27' }),
      await board.sprint('2026-11-30'),
    ];
    for (const sprint of sprints) {
      const later = await board.story(sprint, { title: 'later', seq: 5 });
      const first = await board.story(sprint, { title: 'first', seq: -5 });
      await board.task(first, { title: 't2', seq: 2 });
      await board.task(first, { title: 't1', seq: 1 });
      await board.task(later, { title: 't3' });
    }
    await board.story(null, { title: 'not in a sprint' });
    at('2026-11-20');
    for (const [i, word] of ['previous', 'current', 'next'].entries()) {
      const full = (await client.get(`${board.path}/sprints/${word}`)).body;
      const sprint = await show(sprints[i]);
      const stories = (await client.get<any[]>(`/api/sprints/${sprint.id}/stories`)).body;
      const withTasks = [];
      for (const story of stories) {
        withTasks.push({
          ...story,
          tasks: (await client.get(`/api/stories/${story.id}/tasks`)).body,
        });
      }
      expect(full).toEqual({ ...sprint, stories: withTasks });
      expect(full.stories.map((s: any) => s.tasks.map((t: any) => t.title))).toEqual([
        ['t1', 't2'],
        ['t3'],
      ]);
      expect((await client.get(`${board.path}/sprints/${word}/stories`)).body).toEqual(stories);
    }
  });

  it('are 404 if there is no current, next or previous one', async () => {
    const { client } = service;
    const board = await Workspace.create(client);
    const expectNone = async (...words: string[]): Promise<void> => {
      for (const word of words) {
        expectProblem(await client.get(`${board.path}/sprints/${word}`), 404, `no_${word}_sprint`);
        expectProblem(
          await client.get(`${board.path}/sprints/${word}/stories`),
          404,
          `no_${word}_sprint`,
        );
      }
    };
    await expectNone('current', 'next', 'previous');
    const sprint = await board.sprint('2026-11-16', { end_date: '2026-11-27' });
    const idOf = async (word: string): Promise<number> =>
      (await client.get(`${board.path}/sprints/${word}`)).body.id;
    at('2026-11-15');
    await expectNone('current', 'previous');
    expect(await idOf('next')).toBe(sprint.id);
    at('2026-11-16');
    await expectNone('next', 'previous');
    expect(await idOf('current')).toBe(sprint.id);
    at('2026-11-28');
    await expectNone('next', 'previous');
    expect(await idOf('current')).toBe(sprint.id);
    await made2xx(client.post(`/api/sprints/${sprint.id}/complete`, {}));
    await expectNone('current', 'next');
    expect(await idOf('previous')).toBe(sprint.id);
  });

  it('are current until completed: the last active one or else the last ended one', async () => {
    const board = await Workspace.create(service.client);
    const long = await board.sprint('2026-11-02', { end_date: '2026-11-27' });
    const first = await board.sprint('2026-11-03', { end_date: '2026-11-06' });
    const second = await board.sprint('2026-11-10', { end_date: '2026-11-13' });
    const third = await board.sprint('2026-11-30', { end_date: '2026-12-11' });
    const words = async (): Promise<(number | undefined)[]> => {
      const ids = [];
      for (const word of ['previous', 'current', 'next']) {
        const answer = await service.client.get(`${board.path}/sprints/${word}`);
        ids.push(answer.status === 404 ? undefined : answer.body.id);
      }
      return ids;
    };
    const complete = (sprint: { id: number }): Promise<any> =>
      made2xx(service.client.post(`/api/sprints/${sprint.id}/complete`, {}));
    at('2026-11-01');
    expect(await words()).toEqual([undefined, undefined, long.id]);
    // An active sprint precedes an ended one that started later; the one after the current sprint is next.
    at('2026-11-16');
    expect(await words()).toEqual([undefined, long.id, first.id]);
    at('2026-11-28');
    expect(await words()).toEqual([first.id, second.id, third.id]);
    await complete(second);
    expect(await words()).toEqual([long.id, first.id, third.id]);
    await complete(long);
    await complete(first);
    expect(await words()).toEqual([second.id, undefined, third.id]);
    at('2026-11-30');
    expect(await words()).toEqual([second.id, third.id, undefined]);
  });

  it('are completed at current, with the entity tag of the sprint or of the current sprint', async () => {
    const { client } = service;
    const board = await Workspace.create(client);
    const [a, b, c] = [
      await board.sprint('2026-11-02', { end_date: '2026-11-06' }),
      await board.sprint('2026-11-09', { end_date: '2026-11-13' }),
      await board.sprint('2026-11-16', { end_date: '2026-11-20' }),
    ];
    const story = await board.story(c);
    at('2026-11-23');
    const path = `${board.path}/sprints/current/complete`;
    const none = await client.get(`${board.path}/sprints/current`);
    await board.story(null);
    for (const tag of [none.headers.get('etag') ?? '', '"other"']) {
      const headers = { 'If-Match': tag };
      expectProblem(await client.post(path, {}, { headers }), 412, 'precondition_failed');
    }
    const current = await client.get(`${board.path}/sprints/current`);
    const headers = { 'If-Match': current.headers.get('etag') ?? '', 'Idempotency-Key': 'friday' };
    const report = await client.post(path, {}, { headers });
    expect([report.status, report.body.sprint.id, report.body.sprint.state]).toEqual([
      200,
      c.id,
      'completed',
    ]);
    expect(report.body.unfinished.stories[0]).toMatchObject({ id: story.id, carried_to: null });
    // A repeated request gets its first response, though `current` is another sprint now.
    const replayed = await client.post(path, {}, { headers });
    expect(replayed.text).toBe(report.text);
    expect(replayed.headers.get('idempotent-replayed')).toBe('true');
    const shown = await client.get(`/api/sprints/${b.id}`);
    const ofSprint = { headers: { 'If-Match': shown.headers.get('etag') ?? '' } };
    expect((await client.post(path, {}, ofSprint)).body.sprint.id).toBe(b.id);
    expect((await client.post(path)).body.sprint.id).toBe(a.id);
    expectProblem(await client.post(path), 404, 'no_current_sprint');
    expectProblem(await client.post(path, { unfinished: 'x' }), 404, 'no_current_sprint');
    for (const word of ['next', 'previous']) {
      const other = await client.post(`${board.path}/sprints/${word}/complete`);
      expectProblem(other, 404, 'route_not_found');
    }
  });

  it('have an external_id that is unique on their board', async () => {
    const { client } = service;
    const [board, other] = [await Workspace.create(client), await Workspace.create(client)];
    const external_id = 'jira:42';
    const first = await board.sprint('2026-11-02', { external_id });
    expect(first.external_id).toBe(external_id);
    expect((await show(first)).external_id).toBe(external_id);
    const body = { start_date: '2026-11-16', external_id };
    expectProblem(await client.post(`${board.path}/sprints`, body), 409, 'external_id_taken');
    expect((await client.post(`${other.path}/sprints`, body)).status).toBe(201);
    const second = await board.sprint('2026-11-16', { external_id: 'jira:43' });
    const put = (fields: object): Promise<any> => client.put(`/api/sprints/${second.id}`, fields);
    expectProblem(await put({ external_id }), 409, 'external_id_taken');
    expect((await put({ external_id: 'jira:43', name: 'Same' })).status).toBe(200);
    expect((await put({ external_id: 'JIRA:42' })).body.external_id).toBe('JIRA:42');
    expect((await put({ external_id: null })).body.external_id).toBeNull();
    expectErrors(await put({ external_id: 'x'.repeat(101) }), '/external_id too_long');
    const last = (await board.events()).at(-1);
    expect([last.before.external_id, last.after.external_id]).toEqual(['JIRA:42', null]);
  });

  it('are previous to the current one even while they are still active', async () => {
    const board = await Workspace.create(service.client);
    const long = await board.sprint('2026-11-01', { end_date: '2026-11-30' });
    const a = await board.sprint('2026-11-10', { end_date: '2026-11-20' });
    const b = await board.sprint('2026-11-10', { end_date: '2026-11-20' });
    await board.sprint('2026-12-01');
    const idOf = async (word: string): Promise<number> =>
      (await service.client.get(`${board.path}/sprints/${word}`)).body.id;
    at('2026-11-15');
    expect([await idOf('current'), await idOf('previous')]).toEqual([b.id, a.id]);
    at('2026-11-25');
    // Previous is the sprint before the current one by (start_date, id), so later ones do not count.
    expect(await idOf('current')).toBe(long.id);
    expectProblem(
      await service.client.get(`${board.path}/sprints/previous`),
      404,
      'no_previous_sprint',
    );
  });

  it('accept stories at current, next and previous', async () => {
    const { client } = service;
    const board = await Workspace.create(client);
    const sprints = [
      await board.sprint('2026-11-02', { end_date: '2026-11-13' }),
      await board.sprint('2026-11-16', { end_date: '2026-11-27' }),
      await board.sprint('2026-11-30'),
    ];
    at('2026-11-20');
    for (const [i, word] of ['previous', 'current', 'next'].entries()) {
      const made = await client.post(`${board.path}/sprints/${word}/stories`, { title: word });
      expect(made.status).toBe(201);
      expect(made.headers.get('location')).toBe(`/api/stories/${made.body.id}`);
      expect(made.body.sprint_id).toBe(sprints[i].id);
    }
  });

  it('cannot be changed or deleted at current, next and previous', async () => {
    const board = await Workspace.create(service.client);
    await board.sprint('2020-01-01');
    for (const method of ['PUT', 'PATCH', 'DELETE']) {
      const answer = await service.client.call(method, `${board.path}/sprints/current`);
      expectProblem(answer, 405, 'method_not_allowed');
      expect(answer.headers.get('allow')).toBe('GET, HEAD, OPTIONS');
    }
  });
});

describe('a deleted sprint', () => {
  it('moves its stories to the end of the backlog in their order', async () => {
    const { client } = service;
    const board = await Workspace.create(client);
    const sprint = await board.sprint('2026-11-23');
    await board.story(null, { title: 'there', seq: 7 });
    const b = await board.story(sprint, { title: 'b', seq: 2, points: 3, labels: ['x'] });
    await board.story(sprint, { title: 'a', seq: 1 });
    await board.story(sprint, { title: 'c', seq: 2 });
    const task = await board.task(b);
    const deleted = await client.delete(`/api/sprints/${sprint.id}`);
    expect(deleted.body).toEqual({ deleted: true, id: sprint.id, stories_moved_to_backlog: 3 });
    const backlog = (await client.get<any[]>(`${board.path}/backlog`)).body;
    expect(backlog.map(({ title, seq }) => [title, seq])).toEqual([
      ['there', 7],
      ['a', 8],
      ['b', 9],
      ['c', 10],
    ]);
    expect(backlog[2]).toMatchObject({
      id: b.id,
      sprint_id: null,
      points: 3,
      labels: ['x'],
      version: 2,
    });
    expect((await client.get(`/api/tasks/${task.id}`)).body).toEqual(task);
    expectProblem(await client.delete(`/api/sprints/${sprint.id}`), 404, 'sprint_not_found');
    expectProblem(await client.get(`/api/sprints/${sprint.id}`), 404, 'sprint_not_found');
  });

  it('with hundreds of stories moves them all', async () => {
    const { client } = service;
    const board = await Workspace.create(client);
    const sprint = await board.sprint('2026-11-23');
    for (let i = 0; i < 260; i += 20) {
      await Promise.all(Array.from({ length: 20 }, () => board.story(sprint)));
    }
    const before = (await client.get<any[]>(`/api/sprints/${sprint.id}/stories`)).body;
    const deleted = await client.delete(`/api/sprints/${sprint.id}`);
    expect(deleted.body.stories_moved_to_backlog).toBe(260);
    const backlog = (await client.get<any[]>(`${board.path}/backlog`)).body;
    expect(backlog.map(({ id }) => id)).toEqual(before.map(({ id }) => id));
    expect(backlog.map(({ seq }) => seq)).toEqual(before.map((_, i) => i + 1));
  });

  it('keeps the seq of its stories if they follow the backlog already', async () => {
    const { client } = service;
    for (const last of [undefined, -5]) {
      const board = await Workspace.create(client);
      const sprint = await board.sprint('2026-11-23');
      await board.story(sprint, { seq: 99 });
      if (last !== undefined) await board.story(null, { seq: last });
      await client.delete(`/api/sprints/${sprint.id}`);
      const backlog = (await client.get<any[]>(`${board.path}/backlog`)).body;
      expect(backlog.at(-1)).toMatchObject({ seq: 99 });
    }
  });

  it('moves its stories to the end of a backlog that has no seq left', async () => {
    const { client } = service;
    const board = await Workspace.create(client);
    const sprint = await board.sprint('2026-11-23');
    for (const title of ['c', 'd']) await board.story(sprint, { title });
    await board.story(null, { title: 'a' });
    await board.story(null, { title: 'b', seq: 2147483647 });
    const deleted = await client.delete(`/api/sprints/${sprint.id}`);
    expect(deleted.body.stories_moved_to_backlog).toBe(2);
    const backlog = (await client.get<any[]>(`${board.path}/backlog`)).body;
    expect(backlog.map(({ title }) => title)).toEqual(['a', 'b', 'c', 'd']);
  });
});

describe('starting a sprint', () => {
  const start = (sprint: { id: number }, body?: object, options?: object): Promise<Answer> =>
    service.client.post(`/api/sprints/${sprint.id}/start`, body, options);

  it('sets `started_at` each time and appends an event', async () => {
    const { client } = service;
    const board = await Workspace.create(client);
    service.clock.set('2026-11-23T09:00:00.000Z');
    const sprint = await board.sprint('2026-11-23', { end_date: '2026-12-04' });
    const started = await start(sprint, {});
    expect([started.status, started.body]).toEqual([
      200,
      {
        ...sprint,
        started_at: '2026-11-23T09:00:00.000Z',
        version: 2,
      },
    ]);
    expect(await show(sprint)).toEqual(started.body);
    service.clock.set('2026-11-24T09:00:00.000Z');
    const again = await start(sprint);
    expect(again.body).toMatchObject({ started_at: '2026-11-24T09:00:00.000Z', version: 3 });
    const { headers } = await client.get(`/api/sprints/${sprint.id}`);
    expect(again.headers.get('etag')).toBe(headers.get('etag'));
    const events = await board.events(2);
    expect(events).toMatchObject([
      {
        type: 'sprint.started',
        entity: 'sprint',
        id: sprint.id,
        before: { started_at: null, version: 1 },
        after: { started_at: '2026-11-23T09:00:00.000Z', version: 2 },
      },
      {
        before: { started_at: '2026-11-23T09:00:00.000Z', version: 2 },
        after: { started_at: '2026-11-24T09:00:00.000Z', version: 3 },
      },
    ]);
    // A sprint can be started after its end, and stays started if its dates change.
    service.clock.set('2026-12-24T09:00:00.000Z');
    expect((await start(sprint)).body.state).toBe('ended');
    const moved = await client.put(`/api/sprints/${sprint.id}`, {
      start_date: '2027-01-04',
      end_date: null,
    });
    expect(moved.body).toMatchObject({
      state: 'planned',
      started_at: '2026-12-24T09:00:00.000Z',
    });
    expectProblem(await start(sprint), 409, 'sprint_not_begun');
  });

  it('is possible on its start date and later, in the time zone of the board', async () => {
    const board = await Workspace.create(service.client, 'America/New_York');
    const sprint = await board.sprint('2026-11-23');
    service.clock.set('2026-11-23T04:59:59.999Z');
    expectProblem(await start(sprint), 409, 'sprint_not_begun');
    expect(await board.revision()).toBe(2);
    service.clock.set('2026-11-23T05:00:00.000Z');
    expect((await start(sprint)).status).toBe(200);
  });

  it('is not possible once it is completed, until it is reopened', async () => {
    const { client } = service;
    service.clock.set('2026-11-23T09:00:00.000Z');
    const board = await Workspace.create(client);
    const sprint = await board.sprint('2026-11-23');
    await start(sprint);
    await made2xx(client.post(`/api/sprints/${sprint.id}/complete`));
    const rejected = await start(sprint);
    expectProblem(rejected, 409, 'sprint_completed');
    expect(rejected.body.detail).toBe('A completed sprint can only be reopened, not started.');
    const reopened = await made2xx(client.post(`/api/sprints/${sprint.id}/reopen`));
    expect(reopened.started_at).toBe('2026-11-23T09:00:00.000Z');
    expect((await start(sprint)).status).toBe(200);
    expectProblem(await start({ id: 999_999_999 }), 404, 'sprint_not_found');
    expectErrors(await start(sprint, { started_at: null }), '/started_at unknown_field');
  });

  it('works for the current sprint, and only once for an idempotency key', async () => {
    const { client } = service;
    service.clock.set('2026-11-23T09:00:00.000Z');
    const board = await Workspace.create(client);
    const path = `${board.path}/sprints/current/start`;
    expectProblem(await client.post(path), 404, 'no_current_sprint');
    const sprint = await board.sprint('2026-11-23');
    const keyed = { headers: { 'idempotency-key': `start-${sprint.id}` } };
    const first = await client.post(path, {}, keyed);
    expect(first.body).toMatchObject({ id: sprint.id, version: 2 });
    service.clock.set('2026-11-24T09:00:00.000Z');
    const replayed = await client.post(path, {}, keyed);
    expect(replayed.headers.get('idempotent-replayed')).toBe('true');
    expect(replayed.text).toBe(first.text);
    expect(await board.events(2)).toHaveLength(1);
    for (const word of ['next', 'previous']) {
      const other = await client.post(`${board.path}/sprints/${word}/start`);
      expect([404, 405]).toContain(other.status);
    }
    const missing = await client.post(`${boardPath(freshName())}/sprints/current/start`);
    expectProblem(missing, 404, 'board_not_found');
  });

  it('checks If-Match', async () => {
    const { client } = service;
    service.clock.set('2026-11-23T09:00:00.000Z');
    const board = await Workspace.create(client);
    const sprint = await board.sprint('2026-11-23');
    const { headers } = await client.get(`/api/sprints/${sprint.id}`);
    const condition = { headers: { 'if-match': headers.get('etag') as string } };
    await made2xx(client.put(`/api/sprints/${sprint.id}`, { goal: 'changed' }));
    expectProblem(await start(sprint, {}, condition), 412, 'precondition_failed');
    const fresh = (await client.get(`/api/sprints/${sprint.id}`)).headers.get('etag') as string;
    expect((await start(sprint, {}, { headers: { 'if-match': fresh } })).status).toBe(200);
  });

  it('is serialized with concurrent changes of the sprint', async () => {
    const { client } = service;
    service.clock.set('2026-11-23T09:00:00.000Z');
    const board = await Workspace.create(client);
    const sprint = await board.sprint('2026-11-23');
    const made = Array.from({ length: 20 }, (_, i) =>
      i % 5 === 4
        ? start(sprint)
        : client.post(`/api/sprints/${sprint.id}/stories`, { title: 's' }),
    );
    const statuses = (await Promise.all(made)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(4);
    expect(statuses.filter((status) => status === 201)).toHaveLength(16);
    // The order of the log decides which stories of the same millisecond were added before the last start.
    const events = await board.events();
    const last = events.findLastIndex(({ type }) => type === 'sprint.started');
    const before = events.slice(0, last).filter(({ type }) => type === 'story.created').length;
    const report = await made2xx(client.get(`/api/sprints/${sprint.id}/report`));
    expect(report).toMatchObject({
      commitment_rule: 'started',
      committed: { count: before },
      added: { count: 16 - before },
    });
  });
});
