import { useApp } from '../support/app';
import { CREATED, insertRows } from '../support/fill';
import { Workspace } from '../support/make';
import { expectErrors, expectProblem } from '../support/problems';

const service = useApp();
let board: Workspace;
let story: any;
beforeEach(async () => {
  service.clock.set('2026-11-21T12:00:00Z');
  board = await Workspace.create(service.client);
  story = await board.story(null);
});

const put = (task: { id: number }, body: object): Promise<any> =>
  service.client.put(`/api/tasks/${task.id}`, body);

describe('a task', () => {
  it('is created with a title alone', async () => {
    const { client } = service;
    const made = await client.post(`/api/stories/${story.id}/tasks`, { title: 'Write it' });
    expect(made.status).toBe(201);
    expect(made.headers.get('location')).toBe(`/api/tasks/${made.body.id}`);
    expect(made.body).toEqual({
      id: expect.any(Number),
      story_id: story.id,
      title: 'Write it',
      seq: 1,
      status: 'todo',
      assignee: null,
      external_id: null,
      created_at: '2026-11-21T12:00:00.000Z',
      updated_at: '2026-11-21T12:00:00.000Z',
      done_at: null,
      version: 1,
    });
    expect((await client.get(`/api/tasks/${made.body.id}`)).body).toEqual(made.body);
  });

  it('has an external_id that is unique in its story', async () => {
    const { client } = service;
    const external_id = 'trello:a';
    const task = await board.task(story, { external_id });
    expect(task.external_id).toBe(external_id);
    const path = `/api/stories/${story.id}/tasks`;
    const body = { title: 'x', external_id };
    expectProblem(await client.post(path, body), 409, 'external_id_taken');
    const other = await board.task(await board.story(null), { external_id });
    expect(other.external_id).toBe(external_id);
    const second = await board.task(story);
    expectProblem(await put(second, { external_id }), 409, 'external_id_taken');
    expect((await put(task, { external_id, title: 'Same' })).status).toBe(200);
    expect((await put(task, { external_id: null })).body.external_id).toBeNull();
    expect((await put(second, { external_id })).body.external_id).toBe(external_id);
    expectErrors(await put(second, { external_id: 'x'.repeat(101) }), '/external_id too_long');
    // A task keeps its external id when its story moves to another board.
    const target = await Workspace.create(client);
    const sprint = await target.sprint('2026-11-23');
    await client.put(`/api/stories/${story.id}`, { sprint_id: sprint.id });
    expect((await client.get(`/api/tasks/${second.id}`)).body.external_id).toBe(external_id);
    const moved = (await target.events()).at(-1);
    expect(moved.after.tasks.map((each: any) => each.external_id)).toEqual([null, external_id]);
  });

  it('is appended to its story if no seq is sent', async () => {
    expect((await board.task(story)).seq).toBe(1);
    expect((await board.task(story, { seq: 10 })).seq).toBe(10);
    expect((await board.task(story, { seq: null })).seq).toBe(11);
    expect((await board.task(await board.story(null))).seq).toBe(1);
    await board.task(story, { seq: 2147483647 });
    const path = `/api/stories/${story.id}/tasks`;
    expectProblem(await service.client.post(path, { title: 'x' }), 409, 'seq_exhausted');
  });

  it('is one of at most 1,000 of its story, so that all can be moved at once', async () => {
    const { client } = service;
    const title = '\u0001'.repeat(255);
    await insertRows(service, 'tasks', 999, () => ({
      story_id: story.id as number,
      title,
      seq: 1,
      status: 'todo',
      assignee: title.slice(0, 100),
      created_at: CREATED,
      updated_at: CREATED,
      version: 1,
    }));
    const path = `/api/stories/${story.id}/tasks`;
    expect((await client.post(path, { title: 'the last' })).status).toBe(201);
    expectProblem(await client.post(path, { title: 'x' }), 409, 'too_many_tasks');
    const other = await Workspace.create(client);
    const sprint = await other.sprint('2026-11-23');
    const moved = await client.put(`/api/stories/${story.id}`, { sprint_id: sprint.id });
    expect(moved.status).toBe(200);
    const event = (await other.events()).find(({ type }) => type === 'story.moved_in');
    expect(event.after.tasks).toHaveLength(1000);
    await client.delete(`/api/tasks/${event.after.tasks[0].id}`);
    expect((await client.post(path, { title: 'x' })).status).toBe(201);
  });

  it('is listed by seq, then id', async () => {
    const titles = ['c', 'a', 'b'];
    for (const [i, title] of titles.entries())
      await board.task(story, { title, seq: [5, 1, 5][i] });
    const listed = await service.client.get<any[]>(`/api/stories/${story.id}/tasks`);
    expect(listed.body.map(({ title }) => title)).toEqual(['a', 'c', 'b']);
  });

  it('changes only the fields that are sent, and has done_at while it is done', async () => {
    const task = await board.task(story, { assignee: 'Ada', status: 'in_progress' });
    service.clock.set('2026-11-22T12:00:00Z');
    const done = await put(task, { status: 'done' });
    expect(done.body).toEqual({
      ...task,
      status: 'done',
      done_at: '2026-11-22T12:00:00.000Z',
      updated_at: '2026-11-22T12:00:00.000Z',
      version: 2,
    });
    const reopened = await service.client.patch(`/api/tasks/${task.id}`, {
      status: 'todo',
      assignee: null,
    });
    expect(reopened.body).toMatchObject({ done_at: null, assignee: null, version: 3 });
    expect((await put(task, reopened.body)).body).toEqual(reopened.body);
  });

  it('is rejected with every error at once', async () => {
    const task = await board.task(story);
    const bad = { title: '', seq: 'x', status: 'doing', assignee: 5, priority: 1 };
    const errors = [
      '/title blank',
      '/seq invalid_type',
      '/status invalid_value',
      '/assignee invalid_type',
      '/priority unknown_field',
    ];
    expectErrors(await service.client.post(`/api/stories/${story.id}/tasks`, bad), ...errors);
    expectErrors(await put(task, bad), ...errors);
    expectErrors(await put(task, { seq: null }), '/seq not_nullable');
    expectErrors(
      await put(task, { story_id: story.id + 1, id: 0 }),
      '/story_id read_only',
      '/id read_only',
    );
    expectProblem(await put(task, { version: 2 }), 412, 'precondition_failed');
    expect((await service.client.get(`/api/tasks/${task.id}`)).body).toEqual(task);
  });

  it('is deleted once', async () => {
    const task = await board.task(story);
    const path = `/api/tasks/${task.id}`;
    expect((await service.client.delete(path)).body).toEqual({ deleted: true, id: task.id });
    expectProblem(await service.client.delete(path), 404, 'task_not_found');
    expect((await service.client.get(`/api/stories/${story.id}/tasks`)).body).toEqual([]);
  });

  it('needs an existing story', async () => {
    for (const id of [999999, 0, 'x']) {
      expectProblem(await service.client.get(`/api/stories/${id}/tasks`), 404, 'story_not_found');
      expectProblem(
        await service.client.post(`/api/stories/${id}/tasks`, { title: 'x' }),
        404,
        'story_not_found',
      );
    }
  });

  it('changes the revision of its board, and not its story', async () => {
    const revision = await board.revision();
    await board.task(story);
    expect(await board.revision()).toBe(revision + 1);
    expect((await service.client.get(`/api/stories/${story.id}`)).body).toEqual(story);
  });
});
