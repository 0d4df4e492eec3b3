import { ReportsService } from '../../src/reports/reports.service';
import { useApp } from '../support/app';
import type { Answer, Client } from '../support/client';
import { eventsOf } from '../support/make';
import { expectProblem } from '../support/problems';
import { storiesOf } from '../support/replay';

const service = useApp();
let client: Client;
beforeAll(() => {
  ({ client } = service);
  service.clock.set('2026-11-25T12:00:00Z');
});

let boards = 0;

interface Board {
  name: string;
  /** A sprint that has started, with the stories a (done), b, c (done), d, e. */
  sprint: number;
  /** The sprint after it. */
  next: number;
  stories: Record<string, number>;
}

async function board(): Promise<Board> {
  const name = `Complete ${(boards += 1)}`;
  const [sprint, next] = await Promise.all(
    ['2026-11-23', '2026-12-07'].map(async (start_date) => {
      const { body } = await client.post(`/api/boards/${name}/sprints`, { start_date });
      return body.id as number;
    }),
  );
  const stories: Record<string, number> = {};
  for (const [title, status] of [
    ['a', 'done'],
    ['b', 'todo'],
    ['c', 'done'],
    ['d', 'in_progress'],
    ['e', 'todo'],
  ] as const) {
    const story = { title, status, points: 2 };
    const { body } = await client.post(`/api/sprints/${sprint}/stories`, story);
    stories[title] = body.id;
  }
  return { name, sprint: sprint as number, next: next as number, stories };
}

const complete = (id: number, body?: object, options?: object): Promise<Answer> =>
  client.post(`/api/sprints/${id}/complete`, body, options);
const titles = async (path: string): Promise<string> =>
  (await client.get(path)).body.map((story: any) => story.title).join('');
const inSprint = (id: number): Promise<string> => titles(`/api/sprints/${id}/stories`);
const inBacklog = (name: string): Promise<string> => titles(`/api/boards/${name}/backlog`);
const stateOf = async (id: number): Promise<string> =>
  (await client.get(`/api/sprints/${id}`)).body.state;
const revision = async (name: string): Promise<number> =>
  (await client.get(`/api/boards/${name}`)).body.revision;
const ids = (group: { stories: { id: number }[] }): number[] => group.stories.map(({ id }) => id);

describe('completing a sprint', () => {
  it('carries unfinished stories over to the top of the backlog in their order, and returns the report', async () => {
    const { name, sprint, stories } = await board();
    await client.post(`/api/boards/${name}/backlog`, { title: 'x' });
    const before = await revision(name);
    const report = await complete(sprint);
    expect(report.status).toBe(200);
    expect(await inSprint(sprint)).toBe('ac');
    expect(await inBacklog(name)).toBe('bdex');

    const { body } = await client.get(`/api/sprints/${sprint}`);
    expect(body).toMatchObject({ state: 'completed', completed_at: '2026-11-25T12:00:00.000Z' });
    expect(report.body.sprint).toEqual(body);
    expect(report.body.as_of).toBe(body.completed_at);
    expect(ids(report.body.completed)).toEqual([stories.a, stories.c]);
    expect(report.body.unfinished).toMatchObject({ count: 3, points: 6 });
    expect(report.body.unfinished.stories[0]).toEqual({
      id: stories.b,
      title: 'b',
      points: 2,
      carried_to: null,
    });
    expect(report.body.removed.count).toBe(0);

    const events = await eventsOf(client, name);
    expect(events.slice(before).map(({ type, id }) => [type, id])).toEqual([
      ['sprint.completed', sprint],
      ['story.moved', stories.b],
      ['story.moved', stories.d],
      ['story.moved', stories.e],
    ]);
    expect(events[before]).toMatchObject({
      before: { state: 'active', completed_at: null, version: 1 },
      after: { state: 'completed', completed_at: body.completed_at, version: 2 },
    });
    const shown = await client.get(`/api/boards/${name}/stories`);
    expect(storiesOf(events)).toEqual(shown.body);
  });

  it('carries them over to either end of any list', async () => {
    const one = await board();
    await client.post(`/api/sprints/${one.next}/stories`, { title: 'x' });
    const toNext = await complete(one.sprint, { unfinished: 'next', position: 'last' });
    expect(await inSprint(one.next)).toBe('xbde');
    expect(toNext.body.unfinished.stories[2]).toMatchObject({ carried_to: one.next });

    const two = await board();
    await client.post(`/api/boards/${two.name}/backlog`, { title: 'x' });
    await complete(two.sprint, { unfinished: 'backlog', position: 'last' });
    expect(await inBacklog(two.name)).toBe('xbde');

    const three = await board();
    await client.post(`/api/sprints/${three.next}/stories`, { title: 'x' });
    await complete(three.sprint, { unfinished: String(three.next) });
    expect(await inSprint(three.next)).toBe('bdex');

    const four = await board();
    const form = { unfinished: String(four.next), position: 'first', dry_run: 'false' };
    expect((await complete(four.sprint, undefined, { form })).status).toBe(200);
    expect(await inSprint(four.next)).toBe('bde');
  });

  it('shifts a list that begins at the least seq', async () => {
    const { name, sprint } = await board();
    await client.post(`/api/boards/${name}/backlog`, { title: 'x', seq: -2147483648 });
    await client.post(`/api/boards/${name}/backlog`, { title: 'y', seq: 2147483647 });
    expect((await complete(sprint)).status).toBe(200);
    expect(await inBacklog(name)).toBe('bdexy');
    const shown = await client.get(`/api/boards/${name}/stories`);
    expect(storiesOf(await eventsOf(client, name))).toEqual(shown.body);
  });

  it('with `next` carries over to the first later sprint that is not completed', async () => {
    const { name, sprint, next } = await board();
    const made = async (start_date: string): Promise<number> =>
      (await client.post(`/api/boards/${name}/sprints`, { start_date })).body.id;
    const sameDay = await made('2026-11-23');
    await made('2026-11-20');
    expect((await complete(sameDay)).status).toBe(200);
    await complete(sprint, { unfinished: 'next' });
    expect(await inSprint(next)).toBe('bde');

    const last = await complete(sameDay, { unfinished: 'next' });
    expect([last.status, last.body.code]).toEqual([409, 'sprint_completed']);
  });

  it('is rejected with 409 if there is no next sprint, and changes nothing', async () => {
    const { name, sprint, next } = await board();
    await client.delete(`/api/sprints/${next}`);
    const before = await revision(name);
    const rejected = await complete(sprint, { unfinished: 'next' });
    expect([rejected.status, rejected.body.code]).toEqual([409, 'no_next_sprint_to_carry_to']);
    expect(await revision(name)).toBe(before);
    expect(await stateOf(sprint)).toBe('active');
  });

  it('as a dry run changes nothing and returns the same report', async () => {
    const { name, sprint } = await board();
    const before = await revision(name);
    const dryRun = await complete(sprint, { unfinished: 'next', dry_run: true });
    expect(dryRun.status).toBe(200);
    expect(await revision(name)).toBe(before);
    expect(await eventsOf(client, name)).toHaveLength(before);
    expect(await stateOf(sprint)).toBe('active');
    expect(await inSprint(sprint)).toBe('abcde');
    expect((await complete(sprint, { unfinished: 'next' })).body).toEqual(dryRun.body);
    expect((await complete(sprint, { dry_run: true })).status).toBe(409);
  });

  it('as a dry run stores no response under its idempotency key', async () => {
    const { sprint } = await board();
    const options = { headers: { 'idempotency-key': 'dry-run' } };
    const dryRun = await complete(sprint, { dry_run: true }, options);
    expect(dryRun.status).toBe(200);
    expect(await stateOf(sprint)).toBe('active');
    const completed = await complete(sprint, {}, options);
    expect([completed.status, completed.body]).toEqual([200, dryRun.body]);
    expect(completed.headers.has('idempotent-replayed')).toBe(false);
    expect(await stateOf(sprint)).toBe('completed');
  });

  it('is possible only once, and not before the sprint has started', async () => {
    const { sprint, next } = await board();
    const early = await complete(next);
    expectProblem(early, 409, 'sprint_not_started');
    expect(early.body.detail).toBe('A sprint cannot be completed before its start date.');
    const answers = await Promise.all(Array.from({ length: 10 }, () => complete(sprint)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(409)]);
    const again = await complete(sprint);
    expectProblem(again, 409, 'sprint_completed');
    expect(again.body.detail).toBe('The sprint is already completed.');
    expect((await complete(999_999_999, { unfinished: 'x' })).status).toBe(404);
  });

  it("is possible from midnight of the start date in the board's time zone", async () => {
    const { body: board } = await client.post('/api/boards', {
      name: 'Kiritimati',
      time_zone: 'Pacific/Kiritimati',
    });
    const { body: sprint } = await client.post(`/api/boards/${board.name}/sprints`, {
      start_date: '2026-11-26',
    });
    expect((await complete(sprint.id)).status).toBe(200);
  });

  it('rejects a target that is not another open sprint of the board', async () => {
    const { name, sprint } = await board();
    const otherBoard = await board();
    const { body: done } = await client.post(`/api/boards/${name}/sprints`, {
      start_date: '2026-11-02',
    });
    await complete(done.id);
    const before = await revision(name);
    for (const unfinished of [otherBoard.next, sprint, 999_999_999, 9007199254740991]) {
      const rejected = await complete(sprint, { unfinished });
      expect(rejected.status).toBe(400);
      expect(rejected.body.errors).toMatchObject([{ pointer: '/unfinished' }]);
    }
    const completed = await complete(sprint, { unfinished: done.id });
    expect([completed.status, completed.body.code]).toEqual([409, 'sprint_completed']);
    expect(await revision(name)).toBe(before);
  });

  it.each([
    { unfinished: 'NEXT' },
    { unfinished: 0 },
    { unfinished: 1.5 },
    { unfinished: null },
    { unfinished: ['next'] },
    { position: 'middle' },
    { position: { before: 1 } },
    { dry_run: 'maybe' },
    { dry_run: 'true' },
    { dry_run: 1 },
    { to: 'next' },
  ])('rejects %j', async (body) => {
    const { sprint } = await board();
    const rejected = await complete(sprint, body);
    expect([rejected.status, rejected.body.errors.length]).toEqual([400, 1]);
    expect(rejected.body.errors[0].pointer).toBe(`/${Object.keys(body)[0]}`);
  });

  it('checks If-Match', async () => {
    const { sprint } = await board();
    const { headers } = await client.get(`/api/sprints/${sprint}`);
    const condition = { headers: { 'if-match': headers.get('etag') as string } };
    await client.put(`/api/sprints/${sprint}`, { goal: 'changed' });
    expect((await complete(sprint, {}, condition)).status).toBe(412);
    const stale = await client.post(`/api/sprints/${sprint}/reopen`, undefined, condition);
    expect(stale.status).toBe(412);
    const { headers: fresh } = await client.get(`/api/sprints/${sprint}`);
    const current = { headers: { 'if-match': fresh.get('etag') as string } };
    expect((await complete(sprint, {}, current)).status).toBe(200);
  });

  it('repeated with its idempotency key gets the stored report, without a replay of the log', async () => {
    const { sprint } = await board();
    const options = { headers: { 'idempotency-key': 'complete' } };
    const first = await complete(sprint, {}, options);
    const replayed = jest.spyOn(service.app.get(ReportsService), 'replayed');
    const again = await complete(sprint, {}, options);
    expect([again.status, again.body]).toEqual([200, first.body]);
    expect(replayed).not.toHaveBeenCalled();
  });

  it('leaves each story that is created at the same time in exactly one list', async () => {
    const { name, sprint } = await board();
    const made: Promise<Answer>[] = [];
    const other: Promise<Answer>[] = [];
    for (let i = 0; i < 40; i += 1) {
      made.push(client.post(`/api/sprints/${sprint}/stories`, { title: 'n' }));
      if (i === 15) other.push(complete(sprint));
      if (i % 8 === 0) other.push(client.post(`/api/boards/${name}/backlog`, { title: 'm' }));
    }
    const answers = await Promise.all(made);
    expect((await Promise.all(other)).map(({ status }) => status).sort()).toEqual([
      200,
      ...Array(5).fill(201),
    ]);
    const codes = answers.map(({ status, body }) => (status === 201 ? 201 : body.code));
    expect(new Set([...codes, 201, 'sprint_completed'])).toEqual(
      new Set([201, 'sprint_completed']),
    );
    const created = codes.filter((code) => code === 201).length;
    expect(await inSprint(sprint)).toBe('ac');
    const backlog = await inBacklog(name);
    expect(backlog.replaceAll(/[^n]/g, '')).toHaveLength(created);
    expect(backlog).toHaveLength(3 + created + 5);
    const shown = await client.get(`/api/boards/${name}/stories`);
    expect(storiesOf(await eventsOf(client, name))).toEqual(shown.body);
  });
});

describe('a completed sprint', () => {
  it('keeps the report of its completion, whatever happens later', async () => {
    const { name, sprint, next, stories } = await board();
    const { sprint: _, ...report } = (await complete(sprint, { unfinished: 'next' })).body;
    await client.put(`/api/stories/${stories.a}`, { points: 8, title: 'A', status: 'todo' });
    await client.put(`/api/stories/${stories.b}`, { sprint_id: null, points: 1 });
    await client.post(`/api/stories/${stories.c}/move`, { position: 'first' });
    await client.delete(`/api/stories/${stories.d}`);
    await client.put(`/api/boards/${name}`, { time_zone: 'Pacific/Kiritimati' });
    await client.delete(`/api/sprints/${next}`);
    const { sprint: shown, ...later } = (await client.get(`/api/sprints/${sprint}/report`)).body;
    expect(later).toEqual(report);
    expect(shown.state).toBe('completed');
  });

  it('rejects changes of its dates and its set of stories in every operation', async () => {
    const { name, sprint, next, stories } = await board();
    const otherBoard = await board();
    await complete(sprint);
    const before = await Promise.all([name, otherBoard.name].map(revision));
    const { a, b, c } = stories as { a: number; b: number; c: number };
    const rejections = {
      create: client.post(`/api/sprints/${sprint}/stories`, { title: 'x' }),
      'change the start': client.put(`/api/sprints/${sprint}`, { start_date: '2026-11-22' }),
      'change the end': client.patch(`/api/sprints/${sprint}`, { end_date: '2026-12-24' }),
      delete: client.delete(`/api/stories/${a}`),
      'update out of it': client.put(`/api/stories/${a}`, { sprint_id: null }),
      'update into it': client.put(`/api/stories/${b}`, { sprint_id: sprint }),
      'update into another sprint': client.put(`/api/stories/${a}`, { sprint_id: next }),
      'update to another board': client.put(`/api/stories/${a}`, { sprint_id: otherBoard.sprint }),
      'update from another board': client.put(`/api/stories/${otherBoard.stories.a}`, {
        sprint_id: sprint,
      }),
      'move out of it': client.post(`/api/stories/${a}/move`, { sprint_id: null }),
      'move into it': client.post(`/api/stories/${b}/move`, { sprint_id: sprint }),
      'move into it together with one that is in it': client.post(
        `/api/boards/${name}/stories/move`,
        { story_ids: [a, b], sprint_id: sprint },
      ),
      'move next to a neighbour in it': client.post(`/api/stories/${b}/move`, {
        position: { after: a },
      }),
      'move to a neighbour out of it': client.post(`/api/stories/${a}/move`, {
        position: { after: b },
      }),
      'move to another board': client.post(`/api/stories/${a}/move`, {
        sprint_id: otherBoard.sprint,
      }),
      'move from another board': client.post(`/api/stories/${otherBoard.stories.a}/move`, {
        position: { before: a },
      }),
      'move many out of it': client.post(`/api/boards/${name}/stories/move`, {
        story_ids: [b, c],
        sprint_id: next,
      }),
      'move many into it': client.post(`/api/boards/${name}/stories/move`, {
        story_ids: [b],
        sprint_id: sprint,
      }),
      'carry over into it': client.post(`/api/sprints/${otherBoard.sprint}/complete`, {
        dry_run: true,
        unfinished: sprint,
      }),
      'delete the sprint': client.delete(`/api/sprints/${sprint}`),
    };
    for (const [operation, answer] of Object.entries(rejections)) {
      const { status, body } = await answer;
      // A sprint of another board is an invalid target, completed or not.
      const expected =
        operation === 'carry over into it' ? [400, 'invalid_request'] : [409, 'sprint_completed'];
      expect([operation, status, body.code]).toEqual([operation, ...expected]);
    }
    expect(await Promise.all([name, otherBoard.name].map(revision))).toEqual(before);
    expect(await inSprint(sprint)).toBe('ac');
  });

  it('can be renamed, and its stories can be changed and moved within it', async () => {
    const { sprint, stories } = await board();
    await complete(sprint);
    const renamed = await client.put(`/api/sprints/${sprint}`, {
      name: 'Sprint 1',
      start_date: '2026-11-23',
    });
    expect([renamed.status, renamed.body.state]).toEqual([200, 'completed']);
    expect((await client.put(`/api/stories/${stories.a}`, { title: 'A' })).status).toBe(200);
    expect((await client.post(`/api/stories/${stories.a}/tasks`, { title: 't' })).status).toBe(201);
    const moved = await client.post(`/api/stories/${stories.a}/move`, { position: 'last' });
    expect(moved.status).toBe(200);
    expect(await inSprint(sprint)).toBe('cA');
    const path = `/api/stories/${stories.a}/move`;
    expect((await client.post(path, { position: { before: stories.c } })).status).toBe(200);
    expect(await inSprint(sprint)).toBe('Ac');
    expect((await client.post(path, { sprint_id: sprint, position: 'last' })).status).toBe(200);
    expect(await inSprint(sprint)).toBe('cA');
  });

  it('is deleted only with `force`, and its stories are kept', async () => {
    const { name, sprint } = await board();
    await complete(sprint);
    const rejected = await client.delete(`/api/sprints/${sprint}`);
    expect([rejected.status, rejected.body.code]).toEqual([409, 'sprint_completed']);
    expect(rejected.body.detail).toContain('?force=true');
    const deleted = await client.delete(`/api/sprints/${sprint}?force=true`);
    expect(deleted.body).toEqual({ deleted: true, id: sprint, stories_moved_to_backlog: 2 });
    expect(await inBacklog(name)).toBe('bdeac');
  });

  it('is reopened without the carried-over stories, and can be completed again', async () => {
    const { name, sprint, stories } = await board();
    const early = await client.post(`/api/sprints/${sprint}/reopen`);
    expect([early.status, early.body.code]).toEqual([409, 'sprint_not_completed']);
    await complete(sprint);
    const reopened = await client.post(`/api/sprints/${sprint}/reopen`, {});
    expect(reopened.status).toBe(200);
    expect(reopened.body).toMatchObject({ state: 'active', completed_at: null, version: 3 });
    const shown = await client.get(`/api/sprints/${sprint}`);
    expect(reopened.headers.get('etag')).toBe(shown.headers.get('etag'));
    expect(await inSprint(sprint)).toBe('ac');
    expect((await eventsOf(client, name)).at(-1)).toMatchObject({
      type: 'sprint.reopened',
      before: { state: 'completed', completed_at: '2026-11-25T12:00:00.000Z' },
      after: { state: 'active', completed_at: null },
    });
    await client.put(`/api/stories/${stories.b}`, { sprint_id: sprint });
    const again = await complete(sprint, { unfinished: 'next' });
    expect(ids(again.body.unfinished)).toEqual([stories.b]);
    expect(await client.post(`/api/sprints/${sprint}/reopen`, { x: 1 })).toMatchObject({
      status: 400,
    });
    expect((await client.post('/api/sprints/999999999/reopen')).status).toBe(404);
  });
});
