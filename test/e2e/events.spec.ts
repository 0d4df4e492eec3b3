import type { EventView } from '../../src/events/event.dto';
import type { Row } from '../../src/http/lists/keyset';
import { ListReader } from '../../src/http/lists/list-reader';
import { useApp } from '../support/app';
import type { Answer } from '../support/client';
import { nextPage } from '../support/client';
import { shownBoard } from '../support/fingerprint';
import { freshName, boardPath, made2xx, Workspace } from '../support/make';
import { expectErrors, expectProblem } from '../support/problems';
import { replay } from '../support/replay';
import { onStatement } from '../support/statements';
import { upload } from '../support/upload';

const service = useApp();
afterEach(() => service.clock.set());

/** Expects the replay of the log to equal every current row of the board. */
async function expectReplayed(board: Workspace): Promise<void> {
  const { client } = service;
  const state = replay(await board.events());
  const shown = await shownBoard(client, board.name);
  const byId = (a: any, b: any): number => a.id - b.id;
  const named = (rows: Map<number, any>): any[] =>
    [...rows.values()].sort(byId).map((row) => ({ ...row, board_name: board.name }));
  expect(state.board).toEqual(shown.board);
  // The state is derived from the date, so it may have changed without an event.
  const stateless = (sprint: any): any => ({ ...sprint, state: undefined });
  expect(named(state.sprints).map(stateless)).toEqual([...shown.sprints].sort(byId).map(stateless));
  expect(named(state.stories)).toEqual([...shown.stories].sort(byId));
  expect([...state.tasks.values()].sort(byId)).toEqual([...shown.tasks].sort(byId));
}

describe('the log of a board', () => {
  it('is read in parts by the length of its events, even if all events before were short', async () => {
    const { client } = service;
    const board = await Workspace.create(client);
    const stories = Array.from({ length: 100 }, (_, i) => `A-${i},short`);
    const file = ['external_id,title', ...stories].join('\n');
    expect((await upload(client, board.name, file, { type: 'text/csv' })).status).toBe(200);
    const [{ id }] = await made2xx<any[]>(client.get(`${board.path}/backlog?limit=1`));
    for (let i = 0; i < 8; i += 1) {
      const description = (i % 2 ? 'ä' : 'ö').repeat(32_767);
      await made2xx(client.patch(`/api/stories/${id}`, { description }));
    }
    const reading = jest.spyOn(ListReader.prototype, 'read');
    const read = async (path: string): Promise<number> => {
      const events = await made2xx<any[]>(client.get(path));
      return events.length;
    };
    for (const format of ['', '&limit=50', '&limit=1000&entity=story']) {
      expect(await read(`${board.path}/events?after=0${format}`)).toBeGreaterThan(40);
      expect(await read(`${board.path}/events?after=101${format}`)).toBe(8);
    }
    const parts = (await Promise.all(
      reading.mock.results.map(({ value }) => value as Promise<Row[]>),
    )) as Partial<EventView>[][];
    reading.mockRestore();
    const long = parts.map((rows) => rows.filter(({ revision = 0 }) => revision > 102));
    expect(Math.max(...long.map((rows) => rows.filter((row) => 'after' in row).length))).toBe(1);
  });

  it('begins with the creation of the board and has actor, type and time', async () => {
    const { client } = service;
    service.clock.set('2026-11-21T12:00:00.123Z');
    const name = freshName();
    const made = await client.post(`${boardPath(name)}/sprints`, { start_date: '2026-11-23' });
    const sprint = made.body;
    const board = (await client.get(boardPath(name))).body;
    const shared = {
      board_name: name,
      at: '2026-11-21T12:00:00.123Z',
      actor: 'anonymous',
      before: null,
    };
    expect((await client.get(`${boardPath(name)}/events`)).body).toEqual([
      {
        ...shared,
        revision: 1,
        type: 'board.created',
        entity: 'board',
        id: board.id,
        after: { ...board, revision: 1 },
      },
      {
        ...shared,
        revision: 2,
        type: 'sprint.created',
        entity: 'sprint',
        id: sprint.id,
        after: sprint,
      },
    ]);
  });

  it('contains the changed fields only', async () => {
    const { client } = service;
    service.clock.set('2026-11-21T12:00:00Z');
    const board = await Workspace.create(client);
    const story = await board.story(null, { points: 3 });
    service.clock.set('2026-11-22T12:00:00Z');
    await client.put(`/api/stories/${story.id}`, { points: 5, title: story.title, status: 'done' });
    const [event] = await board.events(2);
    const was = { updated_at: '2026-11-21T12:00:00.000Z', version: 1, done_at: null };
    const is = {
      updated_at: '2026-11-22T12:00:00.000Z',
      version: 2,
      done_at: '2026-11-22T12:00:00.000Z',
    };
    expect(event).toMatchObject({
      revision: 3,
      type: 'story.updated',
      entity: 'story',
      id: story.id,
    });
    expect(event.before).toEqual({ points: 3, status: 'todo', ...was });
    expect(event.after).toEqual({ points: 5, status: 'done', ...is });
  });

  it('has a type for each kind of change', async () => {
    const { client } = service;
    const board = await Workspace.create(client);
    const elsewhere = await Workspace.create(client);
    const a = await board.sprint('2026-11-23');
    const b = await board.sprint('2026-12-07');
    const far = await elsewhere.sprint('2026-11-23');
    const story = await board.story(a);
    const task = await board.task(story);
    await client.put(`/api/tasks/${task.id}`, { title: 'y' });
    await client.put(`/api/stories/${story.id}`, { sprint_id: b.id });
    await client.delete(`/api/sprints/${b.id}`);
    await client.put(`/api/sprints/${a.id}`, { goal: 'g' });
    await client.put(board.path, { time_zone: 'Asia/Tokyo' });
    await client.put(`/api/stories/${story.id}`, { sprint_id: far.id });
    const [moved] = (await elsewhere.events()).slice(-1);
    expect(moved).toMatchObject({ type: 'story.moved_in', id: story.id, before: null });
    expect(moved.after).toEqual({
      ...(await client.get(`/api/stories/${story.id}`)).body,
      tasks: (await client.get(`/api/stories/${story.id}/tasks`)).body,
    });
    await client.delete(`/api/tasks/${task.id}`);
    const second = await elsewhere.task(story);
    await client.delete(`/api/stories/${story.id}`);
    expect((await board.events()).map(({ type }) => type)).toEqual([
      'board.created',
      'sprint.created',
      'sprint.created',
      'story.created',
      'task.created',
      'task.updated',
      'story.moved',
      'story.moved',
      'sprint.deleted',
      'sprint.updated',
      'board.updated',
      'story.moved_out',
    ]);
    const others = await elsewhere.events();
    expect(others.map(({ type }) => type)).toEqual([
      'board.created',
      'sprint.created',
      'story.moved_in',
      'task.deleted',
      'task.created',
      'task.deleted',
      'story.deleted',
    ]);
    expect(others[5]).toMatchObject({ id: second.id, before: second, after: null });
    await expectReplayed(board);
    await expectReplayed(elsewhere);
  });

  it('has no event for rejected requests and for updates that change nothing', async () => {
    const { client } = service;
    const board = await Workspace.create(client);
    const story = await board.story(null);
    const revision = await board.revision();
    await client.put(`/api/stories/${story.id}`, story);
    await client.put(`/api/stories/${story.id}`, { title: '' });
    await client.put(`/api/stories/${story.id}`, { sprint_id: 999999999 });
    await client.put(
      `/api/stories/${story.id}`,
      { title: 'x' },
      { headers: { 'if-match': '"x"' } },
    );
    await client.post(`${board.path}/backlog`, {});
    await client.delete(board.path);
    expect(await board.revision()).toBe(revision);
    expect(await board.events(revision)).toEqual([]);
  });

  it('ends with the revision in the header, even if the board changes while it is read', async () => {
    const board = await Workspace.create(service.client);
    let changed: Promise<unknown> | undefined;
    const stop = onStatement({
      before: async ({ sql }) => {
        if (!changed && /FROM .?events/.test(sql)) await (changed = board.story(null));
      },
    });
    const feed = await service.client.get<any[]>(`${board.path}/events`).finally(stop);
    expect(feed.headers.get('x-board-revision')).toBe('1');
    expect(feed.body.map(({ revision }) => revision as number)).toEqual([1]);
  });

  it('is read in pages after a revision', async () => {
    const { client } = service;
    const board = await Workspace.create(client);
    for (let i = 0; i < 9; i += 1) await board.story(null);
    const all = (await client.get(`${board.path}/events`)).body;
    expect(all.map((event: any) => event.revision)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    expect((await client.get(`${board.path}/events?after=4&limit=3`)).body).toEqual(
      all.slice(4, 7),
    );
    expect((await client.get(`${board.path}/events?after=10`)).body).toEqual([]);
    expect(
      (await client.get(`${board.path}/events?after=${Number.MAX_SAFE_INTEGER}`)).body,
    ).toEqual([]);
    expectErrors(
      await client.get(`${board.path}/events?after=-1&limit=1001`),
      'after out_of_range',
      'limit out_of_range',
    );
    expectProblem(await client.get(`${boardPath(freshName())}/events`), 404, 'board_not_found');
  });

  it('has 1,000 events in a response by default', async () => {
    const { client } = service;
    const board = await Workspace.create(client);
    const file = ['title', ...Array.from({ length: 1000 }, (_, i) => `Story ${i}`)].join('\n');
    await made2xx(upload(client, board.name, file, { type: 'text/csv' }));
    const first = await client.get<any[]>(`${board.path}/events`);
    expect([first.body.length, first.body.at(-1).revision]).toEqual([1000, 1000]);
    const second = await client.get<any[]>(nextPage(first) as string);
    expect([second.body[0].revision, nextPage(second)]).toEqual([1001, undefined]);
  });

  it('is filtered by type, entity and actor, with a link to the next page', async () => {
    const { client } = service;
    const board = await Workspace.create(client);
    const sprint = await board.sprint('2026-11-23');
    for (let i = 0; i < 70; i += 1) {
      const story = await board.story(i % 2 ? sprint : null);
      if (i % 10 === 0) await client.put(`/api/stories/${story.id}`, { title: 'Changed' });
    }
    const task = await board.task(await board.story(null));
    await client.delete(`/api/tasks/${task.id}`);
    const events = await board.events();
    const follow = async (query: string): Promise<any[]> => {
      const found: any[] = [];
      let next: string | undefined = `${board.path}/events${query}`;
      while (next !== undefined) {
        const page: Answer = await client.get<any[]>(next);
        expect(page.status).toBe(200);
        expect(page.headers.get('x-board-revision')).toBe(String(events.length));
        found.push(...page.body);
        next = nextPage(page);
        if (next !== undefined) expect(page.body.length).toBeGreaterThan(0);
      }
      return found;
    };
    const ofTypes = (...types: string[]): any[] =>
      events.filter(({ type }) => types.includes(type));
    for (const limit of ['', '&limit=1000', '&limit=65', '&limit=3']) {
      expect(await follow(`?after=0${limit}`)).toEqual(events);
      expect(await follow(`?type=story.updated&type=task.deleted${limit}`)).toEqual(
        ofTypes('story.updated', 'task.deleted'),
      );
      expect(await follow(`?entity=task&entity=board${limit}`)).toEqual(
        ofTypes('board.created', 'task.created', 'task.deleted'),
      );
      expect(await follow(`?entity=story&type=story.created&after=5${limit}`)).toEqual(
        ofTypes('story.created').filter(({ revision }) => revision > 5),
      );
      expect(await follow(`?actor=anonymous&type=sprint.created${limit}`)).toEqual(
        ofTypes('sprint.created'),
      );
      for (const none of ['?actor=unknown', '?actor=', '?type=story.moved', '?type=&after=3']) {
        expect(await follow(none + limit)).toEqual([]);
      }
    }
    const exact = await client.get(`${board.path}/events?type=task.created&limit=1`);
    expect([exact.body.length, exact.headers.get('link')]).toEqual([1, null]);
    expectErrors(
      await client.get(`${board.path}/events?type=story.eaten&entity=cow`),
      'type invalid_value',
      'entity invalid_value',
    );
  });

  it('replayed from its beginning equals every current representation', async () => {
    const { client } = service;
    const board = await Workspace.create(client, 'Europe/Berlin');
    const elsewhere = await Workspace.create(client);
    const day = (i: number): string => `2026-12-${String(1 + (i % 28)).padStart(2, '0')}`;
    const sprints = [];
    for (let i = 0; i < 4; i += 1)
      sprints.push(await board.sprint(day(i * 7), i % 2 ? { end_date: day(27) } : {}));
    const far = await elsewhere.sprint(day(0));
    const stories: any[] = [];
    for (let i = 0; i < 24; i += 1) {
      service.clock.set(`2026-12-01T00:00:${String(i).padStart(2, '0')}.007Z`);
      const story = await board.story(i % 5 ? sprints[i % 4] : null, {
        title: `Größe ${i} 🙂`,
        ...(i % 2 && { seq: i % 7, points: i / 4, labels: ['x', `l${i}`], external_id: `E${i}` }),
      });
      stories.push(story);
      if (i % 3 === 0) await board.task(await board.story(null));
      if (i % 4 === 0)
        await client.put(`/api/tasks/${(await board.task(story)).id}`, { status: 'done' });
    }
    service.clock.set('2026-12-09T10:00:00Z');
    for (const [i, story] of stories.entries()) {
      await client.put(
        `/api/stories/${story.id}`,
        [
          { status: 'done', labels: [], points: null },
          { sprint_id: null },
          { sprint_id: sprints[(i + 1) % 4].id, seq: 3 },
          { sprint_id: far.id, title: 'gone' },
          { external_id: null, description: 'x'.repeat(1000), priority: -1 },
        ][i % 5],
      );
    }
    await client.put(`/api/sprints/${sprints[0].id}`, {
      start_date: day(3),
      name: 'x',
      end_date: null,
    });
    await client.delete(`/api/sprints/${sprints[1].id}`);
    await client.delete(`/api/stories/${stories[0].id}`);
    await client.put(`/api/stories/${stories[3].id}`, { sprint_id: sprints[2].id });
    await expectReplayed(board);
    await expectReplayed(elsewhere);
  });
});

describe('the history of a story', () => {
  it('has the events of the story, even after its deletion', async () => {
    const { client } = service;
    const board = await Workspace.create(client);
    const sprint = await board.sprint('2026-11-23');
    const story = await board.story(null);
    await board.story(null);
    await client.put(`/api/stories/${story.id}`, { title: 'y' });
    await client.put(`/api/stories/${story.id}`, { sprint_id: sprint.id });
    const path = `/api/stories/${story.id}/history`;
    const ofStory = async (): Promise<any[]> =>
      (await board.events()).filter((e) => e.entity === 'story' && e.id === story.id);
    expect((await client.get(path)).body).toEqual(await ofStory());
    await client.delete(`/api/stories/${story.id}`);
    const history = await client.get<any[]>(path);
    expect(history.body).toEqual(await ofStory());
    expect(history.body.map(({ type }) => type)).toEqual([
      'story.created',
      'story.updated',
      'story.moved',
      'story.deleted',
    ]);
  });

  it('of a story that is deleted right after its creation is in order', async () => {
    const { client } = service;
    const board = await Workspace.create(client);
    const story = await board.story(null);
    await made2xx(client.delete(`/api/stories/${story.id}`));
    const history = await client.get<any[]>(`/api/stories/${story.id}/history`);
    expect(history.body.map(({ type }) => type)).toEqual(['story.created', 'story.deleted']);
  });

  it('follows it from board to board in order', async () => {
    const { client } = service;
    const boards = [await Workspace.create(client), await Workspace.create(client)];
    // The revision of the second board is higher than that of the first.
    for (let i = 0; i < 5; i += 1) await boards[1]?.story(null);
    const sprints = [];
    for (const board of boards) sprints.push(await board.sprint('2026-11-23'));
    const story = await (boards[0] as Workspace).story(sprints[0]);
    for (const i of [1, 0, 1])
      await client.put(`/api/stories/${story.id}`, { sprint_id: sprints[i].id });
    const path = `/api/stories/${story.id}/history`;
    const history = await client.get<any[]>(path);
    expect(
      history.body.map(
        ({ type, board_name }) => `${type} ${board_name === boards[0]?.name ? 0 : 1}`,
      ),
    ).toEqual([
      'story.created 0',
      'story.moved_out 0',
      'story.moved_in 1',
      'story.moved_out 1',
      'story.moved_in 0',
      'story.moved_out 0',
      'story.moved_in 1',
    ]);
    const paged: any[] = [];
    let next: string | undefined = `${path}?limit=2`;
    while (next !== undefined) {
      const page: { body: any[]; headers: Headers } = await client.get<any[]>(next);
      paged.push(...page.body);
      next = nextPage(page);
    }
    expect(paged).toEqual(history.body);
  });

  it('has an entity tag that changes with every board of the story', async () => {
    const { client } = service;
    const boards = [await Workspace.create(client), await Workspace.create(client)] as const;
    const sprint = await boards[1].sprint('2026-11-23');
    const story = await boards[0].story(null);
    await client.put(`/api/stories/${story.id}`, { sprint_id: sprint.id });
    const path = `/api/stories/${story.id}/history`;
    const tagged = async (): Promise<string> => (await client.get(path)).headers.get('etag') ?? '';
    const first = await tagged();
    const notModified = await client.get(path, { headers: { 'if-none-match': first } });
    expect(notModified.status).toBe(304);
    await client.put(boards[0].path, { name: freshName() });
    expect(await tagged()).not.toBe(first);
  });

  it('is found with an invalid query, too, if the caller may see an event of the story', async () => {
    const { client } = service;
    const board = await Workspace.create(client);
    const story = await board.story(null);
    await client.delete(`/api/stories/${story.id}`);
    const path = `/api/stories/${story.id}/history`;
    expectProblem(await client.get(`${path}?limit=0`), 400, 'invalid_request');
    const headers = { accept: 'text/csv' };
    expectProblem(await client.get(path, { headers }), 406, 'not_acceptable');
    expectProblem(await client.get('/api/stories/999999/history?limit=0'), 404, 'story_not_found');
    await client.delete(`${board.path}?force=true`);
    expectProblem(await client.get(`${path}?limit=0`), 404, 'story_not_found');
  });

  it('of a story that never existed is not found', async () => {
    for (const id of [999999, 0, 'x']) {
      expectProblem(await service.client.get(`/api/stories/${id}/history`), 404, 'story_not_found');
    }
  });
});
