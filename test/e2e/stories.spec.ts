import { useApp } from '../support/app';
import { Workspace } from '../support/make';
import { expectErrors, expectProblem } from '../support/problems';

const service = useApp();
let board: Workspace;
let sprint: any;
beforeEach(async () => {
  service.clock.set('2026-11-21T12:00:00Z');
  board = await Workspace.create(service.client);
  sprint = await board.sprint('2026-11-16');
});

const put = (story: { id: number }, body: object): Promise<any> =>
  service.client.put(`/api/stories/${story.id}`, body);

const show = async (story: { id: number }): Promise<any> =>
  (await service.client.get(`/api/stories/${story.id}`)).body;

describe('a story', () => {
  it('is created with a title alone', async () => {
    const { client } = service;
    const made = await client.post(`/api/sprints/${sprint.id}/stories`, { title: 'Log in' });
    expect(made.status).toBe(201);
    expect(made.headers.get('location')).toBe(`/api/stories/${made.body.id}`);
    expect(made.body).toEqual({
      id: expect.any(Number),
      board_name: board.name,
      sprint_id: sprint.id,
      title: 'Log in',
      description: null,
      seq: 1,
      priority: null,
      status: 'todo',
      points: null,
      assignee: null,
      labels: [],
      external_id: null,
      created_at: '2026-11-21T12:00:00.000Z',
      updated_at: '2026-11-21T12:00:00.000Z',
      done_at: null,
      version: 1,
    });
    expect(await show(made.body)).toEqual(made.body);
  });

  it('is created with every field', async () => {
    const members = {
      title: 'Log in',
      description: 'As a user\nI want …',
      seq: -7,
      priority: 2147483647,
      status: 'done',
      points: 0.25,
      assignee: 'Ada Lovelace',
      labels: ['b', 'a', 'B'],
      external_id: 'XD-1',
    };
    const story = await board.story(sprint, members);
    expect(story).toMatchObject({ ...members, done_at: '2026-11-21T12:00:00.000Z' });
    expect(await show(story)).toEqual(story);
  });

  it('keeps every well-formed string unchanged', async () => {
    for (const text of [
      'e\u0301 and \u00e9',
      '\u202eright to left\u202c',
      'family 👩‍👩‍👧‍👦, flags 🏳️‍🌈, 𝒎𝒂𝒕𝒉',
      ' blanks around ',
      'line\r\nbreaks\ttabs \u2028\u2029',
      '\u0001\u001f\u007f\u0085',
      '\ufeffBOM, \ufffd, \uffff',
      `'; DROP TABLE stories; -- " \\ \\' %s ? :a $1 {{7*7}} <b>`,
      '__proto__',
      'NULL',
    ]) {
      const members = {
        title: text,
        description: text,
        assignee: text,
        labels: [text.slice(0, 50)],
      };
      const story = await board.story(null, members);
      expect(story).toMatchObject(members);
      expect(await show(story)).toEqual(story);
    }
  });

  it('has limits of strings in code points', async () => {
    const members = {
      title: '🙂'.repeat(255),
      description: '🙂'.repeat(32_767),
      assignee: '🙂'.repeat(100),
      external_id: '🙂'.repeat(100),
      labels: Array.from({ length: 20 }, (_, i) => '🙂'.repeat(48) + String(i).padStart(2, '0')),
    };
    expect(await show(await board.story(sprint, members))).toMatchObject(members);
    const { client } = service;
    expectErrors(
      await client.post(`/api/sprints/${sprint.id}/stories`, {
        title: `${members.title}x`,
        description: `${members.description}x`,
        assignee: `${members.assignee}x`,
        external_id: `${members.external_id}x`,
        labels: ['🙂'.repeat(51)],
      }),
      '/title too_long',
      '/description too_long',
      '/assignee too_long',
      '/external_id too_long',
      '/labels/0 too_long',
    );
  });

  it('is rejected with every error at once, by pointer', async () => {
    const { client } = service;
    const answer = await client.post(`/api/sprints/${sprint.id}/stories`, {
      title: ' \u3000',
      seq: 1.5,
      priority: 2147483648,
      status: 'open',
      points: -1,
      labels: 'x',
      sprint_id: sprint.id,
      'x/y~z': 1,
    });
    expectErrors(
      answer,
      '/title blank',
      '/seq invalid_type',
      '/priority out_of_range',
      '/status invalid_value',
      '/points out_of_range',
      '/labels invalid_type',
      '/sprint_id unknown_field',
      '/x~1y~0z unknown_field',
    );
    expect((await client.get(`/api/sprints/${sprint.id}/stories`)).body).toEqual([]);
  });

  it('is rejected with an error for each wrong item of a list', async () => {
    const { client } = service;
    const labels = ['a', '', 5, 'a', null, 'x'.repeat(51), '\0', ['b'], ' '];
    const errors = [
      '/title blank',
      '/labels/1 blank',
      '/labels/2 invalid_type',
      '/labels/3 duplicate',
      '/labels/4 invalid_type',
      '/labels/5 too_long',
      '/labels/6 invalid_text',
      '/labels/7 invalid_type',
      '/labels/8 blank',
    ];
    const body = { title: '', labels };
    expectErrors(await client.post(`/api/sprints/${sprint.id}/stories`, body), ...errors);
    expectErrors(await put(await board.story(sprint), body), ...errors);
    const story_ids = [0, -1, 'x', 1.5, 1, '1', null];
    expectErrors(
      await client.post(`${board.path}/stories/move`, {
        story_ids,
        sprint_id: null,
      }),
      '/story_ids/0 out_of_range',
      '/story_ids/1 out_of_range',
      '/story_ids/2 invalid_type',
      '/story_ids/3 invalid_type',
      '/story_ids/5 duplicate',
      '/story_ids/6 invalid_type',
    );
  });

  it.each([
    [
      'title',
      [null, 'not_nullable'],
      ['', 'blank'],
      [5, 'invalid_type'],
      ['a\0', 'invalid_text'],
      ['\udc00', 'invalid_text'],
    ],
    [
      'seq',
      [true, 'invalid_type'],
      [[], 'invalid_type'],
      ['', 'invalid_type'],
      ['1.0', 'invalid_type'],
      ['1e1', 'invalid_type'],
      ['0x1', 'invalid_type'],
      ['٣', 'invalid_type'],
      [-2147483649, 'out_of_range'],
      ['2147483648', 'out_of_range'],
      [9007199254740992, 'out_of_range'],
      [1e300, 'out_of_range'],
    ],
    [
      'priority',
      [false, 'invalid_type'],
      [{}, 'invalid_type'],
      ['', 'invalid_type'],
      [0.1, 'invalid_type'],
    ],
    [
      'status',
      [null, 'not_nullable'],
      ['Done', 'invalid_value'],
      ['', 'invalid_value'],
      [1, 'invalid_type'],
    ],
    [
      'points',
      [1000.01, 'out_of_range'],
      [0.001, 'too_precise'],
      ['', 'invalid_type'],
      ['1,5', 'invalid_type'],
      [true, 'invalid_type'],
      ['1e2', 'invalid_type'],
      ['NaN', 'invalid_type'],
    ],
    ['assignee', [5, 'invalid_type'], [['a'], 'invalid_type']],
    [
      'labels',
      [null, 'not_nullable'],
      [{ 0: 'a' }, 'invalid_type'],
      [Array.from({ length: 21 }, (_, i) => `${i}`), 'too_many'],
    ],
    ['external_id', [{}, 'invalid_type'], ['\ud83d', 'invalid_text']],
    ['description', [0, 'invalid_type'], ['\0', 'invalid_text']],
  ] as [string, ...[unknown, string][]][])(
    'is rejected for an invalid %s when it is created or updated',
    async (name, ...cases) => {
      const { client } = service;
      const story = await board.story(sprint);
      for (const [value, code] of cases) {
        const error = `/${name} ${code}`;
        expectErrors(
          await client.post(`${board.path}/backlog`, { title: 'x', [name]: value }),
          error,
        );
        expectErrors(await put(story, { [name]: value }), error);
      }
      expect(await show(story)).toEqual(story);
    },
  );

  it('has the same timestamps in every response, with and without a fraction of a second', async () => {
    const { client, clock } = service;
    clock.set('2026-11-21T09:30:00.000Z');
    const story = await board.story(sprint, { status: 'done' });
    clock.set('2026-11-21T09:30:00.120Z');
    const task = await board.task(story);
    expect(await show(story)).toEqual(story);
    expect(story).toMatchObject({
      created_at: '2026-11-21T09:30:00.000Z',
      updated_at: '2026-11-21T09:30:00.000Z',
      done_at: '2026-11-21T09:30:00.000Z',
    });
    expect(task.created_at).toBe('2026-11-21T09:30:00.120Z');
    expect((await client.get(`/api/tasks/${task.id}`)).body).toEqual(task);
    expect((await client.get(`${board.path}/stories`)).body).toEqual([story]);
  });

  it('accepts integers as decimal strings', async () => {
    const story = await board.story(sprint, { seq: '-3', priority: '0', points: '2.50' });
    expect(story).toMatchObject({ seq: -3, priority: 0, points: 2.5 });
  });

  it('has points with two decimals, which are stored exactly', async () => {
    for (const points of [0, 0.01, 0.07, 0.1, 0.29, 1.1, 4.35, 33.33, 999.99, 1000]) {
      const story = await board.story(null, { points });
      expect(story.points).toBe(points);
      expect((await show(story)).points).toBe(points);
    }
  });

  it('is appended to its list if no seq is sent', async () => {
    expect((await board.story(sprint)).seq).toBe(1);
    expect((await board.story(sprint, { seq: null })).seq).toBe(2);
    expect((await board.story(sprint, { seq: 40 })).seq).toBe(40);
    expect((await board.story(sprint)).seq).toBe(41);
    expect((await board.story(sprint, { seq: 5 })).seq).toBe(5);
    expect((await board.story(sprint)).seq).toBe(42);
    expect((await board.story(null)).seq).toBe(1);
    const below = await board.sprint('2026-12-01');
    await board.story(below, { seq: -2147483648 });
    expect((await board.story(below)).seq).toBe(-2147483647);
  });

  it('is rejected if no seq is left, unless one is sent', async () => {
    await board.story(sprint, { seq: 2147483647 });
    const path = `/api/sprints/${sprint.id}/stories`;
    expectProblem(await service.client.post(path, { title: 'x' }), 409, 'seq_exhausted');
    expect((await service.client.post(path, { title: 'x', seq: 2147483647 })).status).toBe(201);
  });

  it('changes only the fields that are sent; null clears nullable fields', async () => {
    const story = await board.story(sprint, {
      description: 'd',
      priority: 1,
      points: 3,
      assignee: 'a',
      labels: ['x'],
      external_id: 'e',
    });
    service.clock.set('2026-11-22T12:00:00Z');
    const retitled = await put(story, { title: 'Other' });
    expect(retitled.body).toEqual({
      ...story,
      title: 'Other',
      version: 2,
      updated_at: '2026-11-22T12:00:00.000Z',
    });
    const none = {
      description: null,
      priority: null,
      points: null,
      assignee: null,
      external_id: null,
    };
    const cleared = await put(story, { ...none, labels: [] });
    expect(cleared.body).toMatchObject({ ...none, labels: [], title: 'Other', version: 3 });
    const emptied = await put(story, { description: '', assignee: '', external_id: '' });
    expect(emptied.body).toEqual(cleared.body);
    expectErrors(await put(story, { seq: null }), '/seq not_nullable');
    const patched = await service.client.patch(`/api/stories/${story.id}`, { points: 5 });
    expect(patched.body).toMatchObject({ points: 5, version: 4 });
  });

  it('can be sent back unchanged, which does not increase its version', async () => {
    const story = await board.story(sprint, { labels: ['b', 'a'], points: 1.5 });
    const revision = await board.revision();
    expect((await put(story, story)).body).toEqual(story);
    expect((await put(story, { id: String(story.id), version: '1' })).body).toEqual(story);
    expect(await board.revision()).toBe(revision);
    expect((await put(story, { ...story, title: 'Changed' })).body.version).toBe(2);
    expectProblem(await put(story, { ...story, title: 'Again' }), 412, 'precondition_failed');
    expectErrors(
      await put(story, { id: 0, board_name: 'x', created_at: null, updated_at: 1, done_at: 'x' }),
      '/id read_only',
      '/board_name read_only',
      '/created_at read_only',
      '/updated_at read_only',
      '/done_at read_only',
    );
  });

  it('has done_at while it is done', async () => {
    const story = await board.story(sprint);
    service.clock.set('2026-11-22T08:00:00.123Z');
    expect((await put(story, { status: 'done' })).body.done_at).toBe('2026-11-22T08:00:00.123Z');
    service.clock.set('2026-11-23T08:00:00Z');
    expect((await put(story, { status: 'done', title: 'y' })).body.done_at).toBe(
      '2026-11-22T08:00:00.123Z',
    );
    expect((await put(story, { status: 'in_progress' })).body.done_at).toBeNull();
    expect((await put(story, { status: 'done' })).body.done_at).toBe('2026-11-23T08:00:00.000Z');
  });

  it('has an external id that is unique on its board', async () => {
    const { client } = service;
    const story = await board.story(sprint, { external_id: 'XD-1' });
    const path = `${board.path}/backlog`;
    expectProblem(
      await client.post(path, { title: 'x', external_id: 'XD-1' }),
      409,
      'external_id_taken',
    );
    for (const other of ['xd-1', 'XD-1 ', 'XD-１', 'XD-1\u0301']) {
      expect((await client.post(path, { title: 'x', external_id: other })).status).toBe(201);
    }
    const second = await board.story(null);
    expectProblem(await put(second, { external_id: 'XD-1' }), 409, 'external_id_taken');
    expect((await put(story, { external_id: 'XD-1' })).body.version).toBe(1);
    const elsewhere = await Workspace.create(client);
    expect((await elsewhere.story(null, { external_id: 'XD-1' })).external_id).toBe('XD-1');
    await client.delete(`/api/stories/${story.id}`);
    expect((await put(second, { external_id: 'XD-1' })).body.external_id).toBe('XD-1');
  });

  it('has the same representation when it is shown, listed and embedded', async () => {
    const { client } = service;
    const story = await board.story(sprint, {
      labels: ['ä', '"', '\\'],
      points: 0.1,
      description: 'x',
    });
    expect((await client.get(`/api/sprints/${sprint.id}/stories`)).body).toEqual([story]);
    expect((await client.get(`${board.path}/stories`)).body).toEqual([story]);
    const full = (await client.get(`${board.path}/sprints/current`)).body;
    expect(full.stories).toEqual([{ ...story, tasks: [] }]);
  });

  it('is deleted once, with its tasks', async () => {
    const { client } = service;
    const story = await board.story(sprint);
    const tasks = [await board.task(story), await board.task(story)];
    const path = `/api/stories/${story.id}`;
    expect((await client.delete(path)).body).toEqual({
      deleted: true,
      id: story.id,
      tasks_deleted: 2,
    });
    expectProblem(await client.delete(path), 404, 'story_not_found');
    expectProblem(await client.get(path), 404, 'story_not_found');
    expectProblem(await put(story, { title: 'x' }), 404, 'story_not_found');
    for (const task of tasks) {
      expectProblem(await client.get(`/api/tasks/${task.id}`), 404, 'task_not_found');
    }
  });
});

describe('a story with a new sprint_id', () => {
  it('moves there and keeps its seq, unless one is sent', async () => {
    const other = await board.sprint('2026-12-01');
    await board.story(other, { seq: 3 });
    const story = await board.story(sprint, { seq: 3 });
    const moved = await put(story, { sprint_id: other.id });
    expect(moved.body).toMatchObject({ sprint_id: other.id, seq: 3, version: 2 });
    const back = await put(story, { sprint_id: String(sprint.id), seq: 9, title: 'Moved' });
    expect(back.body).toMatchObject({ sprint_id: sprint.id, seq: 9, title: 'Moved', version: 3 });
  });

  it('moves to the backlog of its board for null', async () => {
    const story = await board.story(sprint, { seq: 12 });
    expect((await put(story, { sprint_id: null })).body).toMatchObject({
      sprint_id: null,
      seq: 12,
    });
    expect((await service.client.get(`${board.path}/backlog`)).body).toHaveLength(1);
    expect((await put(story, { sprint_id: null })).body.version).toBe(2);
  });

  it('moves to the board of the sprint, with its tasks', async () => {
    const { client } = service;
    const elsewhere = await Workspace.create(client);
    const target = await elsewhere.sprint('2026-11-16');
    const story = await board.story(sprint, { external_id: 'E', labels: ['x'] });
    const task = await board.task(story);
    const moved = await put(story, { sprint_id: target.id });
    expect(moved.body).toEqual({
      ...story,
      board_name: elsewhere.name,
      sprint_id: target.id,
      version: 2,
    });
    expect((await client.get(`${board.path}/stories`)).body).toEqual([]);
    expect((await client.get(`${elsewhere.path}/stories`)).body).toEqual([moved.body]);
    expect((await client.get(`/api/stories/${story.id}/tasks`)).body).toEqual([task]);
    const revision = await elsewhere.revision();
    await client.put(`/api/tasks/${task.id}`, { status: 'done' });
    expect(await elsewhere.revision()).toBe(revision + 1);
  });

  it('stays if its external id is taken on the other board', async () => {
    const elsewhere = await Workspace.create(service.client);
    const target = await elsewhere.sprint('2026-11-16');
    await elsewhere.story(null, { external_id: 'E' });
    const story = await board.story(sprint, { external_id: 'E' });
    expectProblem(await put(story, { sprint_id: target.id }), 409, 'external_id_taken');
    expect(await show(story)).toEqual(story);
    const moved = await put(story, { sprint_id: target.id, external_id: 'F' });
    expect(moved.body).toMatchObject({ board_name: elsewhere.name, external_id: 'F' });
  });

  it('is rejected if the sprint does not exist', async () => {
    const story = await board.story(sprint);
    const gone = await board.sprint('2027-01-01');
    await service.client.delete(`/api/sprints/${gone.id}`);
    for (const sprint_id of [gone.id, 999_999_999, Number.MAX_SAFE_INTEGER]) {
      expectErrors(await put(story, { sprint_id }), '/sprint_id not_found');
    }
    for (const sprint_id of [0, -1, Number.MAX_SAFE_INTEGER + 1]) {
      expectErrors(await put(story, { sprint_id }), '/sprint_id out_of_range');
    }
    for (const sprint_id of [true, '', 'x', 1.5, [sprint.id]]) {
      expectErrors(await put(story, { sprint_id }), '/sprint_id invalid_type');
    }
    expect(await show(story)).toEqual(story);
  });

  it('is rejected if the board of the sprint is deleted', async () => {
    const elsewhere = await Workspace.create(service.client);
    const target = await elsewhere.sprint('2026-11-16');
    await service.client.delete(`${elsewhere.path}?force=true`);
    const story = await board.story(sprint);
    expectErrors(await put(story, { sprint_id: target.id }), '/sprint_id not_found');
  });
});
