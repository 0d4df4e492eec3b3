import { useApp } from '../support/app';
import type { Answer } from '../support/client';
import { freshName, made2xx, Workspace } from '../support/make';
import type { Replayed } from '../support/replay';
import { inOrder, replay } from '../support/replay';

const service = useApp();
beforeEach(() => service.clock.set('2026-11-20T12:00:00Z'));

const revisionOf = (answer: Answer): number => {
  expect(answer.status).toBeLessThan(400);
  return Number(answer.headers.get('x-board-revision'));
};

describe('X-Board-Revision', () => {
  it('is the revision of a change, or the current one if it changed nothing', async () => {
    const { client } = service;
    const name = freshName();
    const made = await client.post('/api/boards', { name });
    expect(revisionOf(made)).toBe(1);
    const path = made.headers.get('location') ?? '';
    const story = await client.post(`${path}/backlog`, { title: 'A story' });
    expect(revisionOf(story)).toBe(2);
    const update = (): Promise<Answer> =>
      client.put(`/api/stories/${story.body.id}`, { title: 'Another' });
    expect(revisionOf(await update())).toBe(3);
    expect(revisionOf(await update())).toBe(3);
    const sprint = await client.post(`${path}/sprints`, { start_date: '2026-11-16' });
    await client.post(`/api/stories/${story.body.id}/move`, { sprint_id: sprint.body.id });
    const complete = `${path}/sprints/current/complete`;
    expect(revisionOf(await client.post(complete, { dry_run: true }))).toBe(5);
    // Two events: the sprint is completed and a story is moved.
    expect(revisionOf(await client.post(complete))).toBe(7);
    expect(revisionOf(await client.delete(`/api/stories/${story.body.id}`))).toBe(8);
    expect(revisionOf(await client.delete(`${path}?force=true`))).toBe(9);
    // Two events: the first story also creates the board.
    const other = `/api/boards/${encodeURIComponent(freshName())}/backlog`;
    expect(revisionOf(await client.post(other, { title: 'A story' }))).toBe(2);
  });

  it('is that of the board to which a story was moved', async () => {
    const { client } = service;
    const [from, to] = [await Workspace.create(client), await Workspace.create(client)];
    const sprint = await to.sprint('2026-11-16');
    for (let i = 0; i < 5; i += 1) await to.story(null);
    const stories = [await from.story(null), await from.story(null), await from.story(null)];
    const [first, second, third] = stories.map(({ id }) => id as number);
    const sprint_id = sprint.id as number;
    expect(revisionOf(await client.put(`/api/stories/${first}`, { sprint_id }))).toBe(8);
    expect(revisionOf(await client.post(`/api/stories/${second}/move`, { sprint_id }))).toBe(9);
    const many = { story_ids: [third], sprint_id };
    expect(revisionOf(await client.post(`${from.path}/stories/move`, many))).toBe(10);
    expect(await from.revision()).toBe(7);
    expect(revisionOf(await client.get(`/api/stories/${first}/history`))).toBe(10);
    await client.delete(`/api/stories/${first}`);
    expect(revisionOf(await client.get(`/api/stories/${first}/history?limit=1`))).toBe(11);
  });

  it('is in repeated responses, 304, HEAD and empty lists, but not in errors', async () => {
    const { client } = service;
    const board = await Workspace.create(client);
    const headers = { 'Idempotency-Key': 'once' };
    const create = (): Promise<Answer> =>
      client.post(`${board.path}/backlog`, { title: 'A story' }, { headers });
    const first = await create();
    await board.sprint('2026-11-16', { end_date: '2026-11-27' });
    const again = await create();
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect([revisionOf(first), revisionOf(again)]).toEqual([2, 2]);
    const { path } = board;
    for (const each of [
      path,
      `/api/stories/${first.body.id}`,
      `/api/stories/${first.body.id}/tasks`,
      `/api/stories/${first.body.id}/history`,
      `${path}/backlog`,
      `${path}/sprints/current/stories`,
      `${path}/sprints/current`,
      `${path}/sprints/current/report`,
      `${path}/sprints/current/burndown`,
      `${path}/velocity`,
      `${path}/events`,
      `${path}/events?after=3`,
    ]) {
      const whole = await client.get(each);
      expect([each, revisionOf(whole)]).toEqual([each, 3]);
      const head = await client.call('HEAD', each);
      expect([each, revisionOf(head)]).toEqual([each, 3]);
      const tag = { 'If-None-Match': whole.headers.get('etag') ?? '' };
      const notModified = await client.get(each, { headers: tag });
      expect([each, notModified.status, revisionOf(notModified)]).toEqual([each, 304, 3]);
    }
    const missing = await client.get(`${path}/sprints/next`);
    const invalid = await client.post(`${path}/backlog`, {});
    for (const error of [missing, invalid, await client.get(`${path}/backlog?cursor=x`)]) {
      expect(error.status).toBeGreaterThanOrEqual(400);
      expect(error.headers.has('x-board-revision')).toBe(false);
    }
    const boards = await client.get('/api/boards');
    expect(boards.headers.has('x-board-revision')).toBe(false);
  });
});

/** The expected response of a path at a revision, and the part of the response that is compared. */
interface Read {
  path: string;
  expected: (state: Replayed, events: any[]) => unknown;
  of?: (body: any) => unknown;
}

const listOf = (state: Replayed, sprintId: number | null): any[] =>
  [...state.stories.values()].filter((story) => story.sprint_id === sprintId).sort(inOrder);

const tasksOf = (state: Replayed, storyId: number): any[] =>
  [...state.tasks.values()].filter((task) => task.story_id === storyId).sort(inOrder);

const sprintsOf = (state: Replayed): any[] =>
  [...state.sprints.values()].sort(
    (a, b) => a.start_date.localeCompare(b.start_date) || a.id - b.id,
  );

const currentOf = (state: Replayed): any =>
  sprintsOf(state)
    .filter((sprint) => sprint.state === 'active')
    .at(-1);

const inFull = (state: Replayed, sprint: any): object => ({
  ...sprint,
  stories: listOf(state, sprint.id).map((story) => ({ ...story, tasks: tasksOf(state, story.id) })),
});

const idsOf = (stories: any[]): number[] => stories.map(({ id }) => id as number).sort();

/** The paths to read. The current sprint changes whenever `Overlap` is created or deleted. */
function reads(path: string, planned: any, story: any, task: any): Read[] {
  const current = `${path}/sprints/current`;
  return [
    { path, expected: ({ board }) => board },
    {
      path: `${path}/stories`,
      expected: (state) => [...state.stories.values()].sort(inOrder),
    },
    { path: `${path}/backlog`, expected: (state) => listOf(state, null) },
    { path: `${path}/sprints`, expected: sprintsOf },
    { path: current, expected: (state) => inFull(state, currentOf(state)) },
    { path: `${path}/sprints/next`, expected: (state) => inFull(state, sprintsOf(state).at(-1)) },
    { path: `${current}/stories`, expected: (state) => listOf(state, currentOf(state).id) },
    {
      path: `${current}/stories?sort=-updated_at&status=todo`,
      of: idsOf,
      expected: (state) =>
        idsOf(listOf(state, currentOf(state).id).filter(({ status }) => status === 'todo')),
    },
    {
      path: `${current}/report`,
      of: ({ sprint, completed, unfinished }) => [
        sprint,
        idsOf([...completed.stories, ...unfinished.stories]),
      ],
      expected: (state) => [currentOf(state), idsOf(listOf(state, currentOf(state).id))],
    },
    {
      path: `${current}/burndown`,
      of: ({ sprint, days }) => [sprint, days.at(-1).scope_count],
      expected: (state) => [currentOf(state), listOf(state, currentOf(state).id).length],
    },
    {
      path: `/api/sprints/${planned.id}/stories`,
      expected: (state) => listOf(state, planned.id),
    },
    { path: `/api/sprints/${planned.id}`, expected: ({ sprints }) => sprints.get(planned.id) },
    { path: `/api/stories/${story.id}`, expected: ({ stories }) => stories.get(story.id) },
    {
      path: `/api/stories/${story.id}/history`,
      expected: (_, events) =>
        events.filter(({ entity, id }) => entity === 'story' && id === story.id),
    },
    { path: `/api/stories/${story.id}/tasks`, expected: (state) => tasksOf(state, story.id) },
    { path: `/api/tasks/${task.id}`, expected: ({ tasks }) => tasks.get(task.id) },
    { path: `${path}/events?after=200`, expected: (_, events) => events.slice(200) },
    {
      path: `${path}/events?after=200&type=story.updated&type=task.updated`,
      expected: (_, events) =>
        events.slice(200).filter(({ type }) => ['story.updated', 'task.updated'].includes(type)),
    },
  ];
}

it('every response has exactly the content of its revision, even during changes', async () => {
  const { client } = service;
  const board = await Workspace.create(client);
  const { path } = board;
  const active = await board.sprint('2026-11-16', { end_date: '2026-11-27' });
  const planned = await board.sprint('2026-11-30', { end_date: '2026-12-11' });
  const stories: any[] = [];
  // More stories in the backlog and in the next sprint than are read at once.
  for (const [sprint, count] of [
    [active, 10],
    [null, 70],
    [planned, 110],
  ] as const) {
    for (let i = 0; i < count; i += 1) stories.push(await board.story(sprint));
  }
  const [story] = stories;
  const task = await board.task(story);

  const seen: { read: Read; revision: number; body: any }[] = [];
  const changes: { id: number; revision: number; body: any }[] = [];
  let writing = true;
  const all = reads(path, planned, story, task);
  const reader = async (start: number): Promise<void> => {
    for (let i = start; writing; i += 1) {
      const read = all[i % all.length] as Read;
      const answer = await client.get(read.path);
      seen.push({ read, revision: revisionOf(answer), body: answer.body });
    }
  };
  const write = async (call: Promise<Answer>): Promise<any> => {
    const { body } = await call.then((answer) => {
      changes.push({ id: answer.body.id, revision: revisionOf(answer), body: answer.body });
      return answer;
    });
    return body;
  };
  const places = [{ sprint_id: active.id }, { sprint_id: null }, { sprint_id: planned.id }];
  const writers: ((i: number) => Promise<unknown>)[] = [
    async (i) => write(client.put(`/api/stories/${story.id}`, { title: `Title ${i}` })),
    async (i) => {
      const made = await write(client.post(`${path}/sprints/current/stories`, { title: 'New' }));
      if (i % 2) await write(client.put(`/api/stories/${made.id}`, { status: 'done' }));
      else await made2xx(client.delete(`/api/stories/${made.id}`));
    },
    async (i) => {
      const { id } = stories[1 + (i % 150)];
      const to = { ...places[i % 3], position: i % 2 ? 'first' : 'last' };
      await write(client.post(`/api/stories/${id}/move`, to));
      await write(client.put(`/api/tasks/${task.id}`, { title: `Task ${i}` }));
    },
    async (i) => {
      const story_ids = [151, 152, 153, 154].map((at) => stories[at + 4 * (i % 5)].id);
      const body = { story_ids, ...places[i % 3], position: 'first' };
      await made2xx(client.post(`${path}/stories/move`, body));
    },
    // Until it is deleted, the new sprint is the current one.
    async () => {
      const dates = { start_date: '2026-11-17', end_date: '2026-11-27', name: 'Overlap' };
      const { id } = await write(client.post(`${path}/sprints`, dates));
      await made2xx(client.delete(`/api/sprints/${id}`));
    },
  ];
  const readers = [0, 3, 6, 9, 12, 15].map(reader);
  const written = writers.map(async (once) => {
    for (let i = 0; i < 40; i += 1) await once(i);
  });
  await Promise.all(written).finally(() => (writing = false));
  await Promise.all(readers);

  const events = await board.events();
  const changed = new Map(changes.map((change) => [change.revision, change]));
  let compared = 0;
  replay(events, (revision, state) => {
    state.board.revision = revision;
    for (const { read, body } of seen.filter((each) => each.revision === revision)) {
      const { of = (whole: any): unknown => whole } = read;
      const content = { path: read.path, revision, content: of(body) };
      const expected = read.expected(state, events.slice(0, revision));
      expect(content).toEqual({ path: read.path, revision, content: expected });
      compared += 1;
    }
    const change = changed.get(revision);
    if (!change) return;
    const event = events[revision - 1];
    expect([event.id, event.type]).not.toEqual([change.id, 'stories.shifted']);
    const rows = { sprint: state.sprints, story: state.stories, task: state.tasks } as any;
    expect(rows[event.entity].get(change.id)).toEqual(change.body);
  });
  expect(compared).toBe(seen.length);
  expect(changed.size).toBe(changes.length);
  expect(new Set(seen.map(({ read }) => read)).size).toBe(all.length);
  expect(new Set(seen.map(({ revision }) => revision)).size).toBeGreaterThan(20);
});
