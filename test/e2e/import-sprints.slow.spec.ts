import { useApp } from '../support/app';
import { made2xx } from '../support/make';
import { upload } from '../support/upload';

const service = useApp();
beforeEach(() => service.clock.set('2026-03-18T10:00:00.000Z'));

/** Returns a sprint of two weeks in the form of Jira; sprint `n` begins two weeks after sprint `n - 1`. */
const sprint = (n: number, state: string): object => {
  const day = (days: number, time: string): string =>
    `${new Date(Date.UTC(2026, 0, 5 + 14 * (n - 1) + days)).toISOString().slice(0, 10)}T${time}.000Z`;
  return {
    id: n,
    name: `Sprint ${n}`,
    state,
    startDate: day(0, '09:00:00'),
    endDate: day(11, '17:00:00'),
    ...(state === 'closed' && { completeDate: day(12, '08:30:00') }),
  };
};
const CLOSED = [1, 2, 3, 4, 5].map((n) => sprint(n, 'closed'));
const ACTIVE = sprint(6, 'active');

interface Issue {
  sprints?: object[];
  points?: number | null;
  done?: string | null;
  parent?: string;
}

function issue(key: string, { sprints = [], points = null, done, parent }: Issue = {}): object {
  const status =
    done === undefined
      ? { name: 'To Do', statusCategory: { key: 'new' } }
      : { name: 'Done', statusCategory: { key: 'done' } };
  return {
    id: key.replace(/\D/g, ''),
    key,
    fields: {
      summary: `Issue ${key}`,
      status,
      issuetype: parent ? { name: 'Sub-task', subtask: true } : { name: 'Story', subtask: false },
      resolutiondate: done ?? null,
      customfield_10020: sprints,
      customfield_10016: points,
      ...(parent && { parent: { key: parent, fields: { summary: parent } } }),
    },
  };
}

const load = (board: string, issues: object[], query = ''): Promise<any> =>
  upload(
    service.client,
    board,
    JSON.stringify({
      expand: 'names',
      startAt: 0,
      maxResults: 50,
      total: issues.length,
      names: { customfield_10020: 'Sprint', customfield_10016: 'Story points' },
      issues,
    }),
    { query, type: 'application/json' },
  );
const of = async (path: string): Promise<any> => (await service.client.get(path)).body;

/**
 * Issues of five closed sprints. Each sprint has a story that is done, one that is to do, and one that was
 * moved to the next sprint and done there; that of the fifth sprint is in the active one.
 */
const ISSUES = [
  ...CLOSED.flatMap((one, i) => [
    issue(`T-${10 * i + 1}`, {
      sprints: [one],
      points: 5,
      done: `2026-0${1 + Math.floor(i / 2)}-08T10:00:00Z`,
    }),
    issue(`T-${10 * i + 2}`, { sprints: [one], points: 3 }),
    issue(`T-${10 * i + 3}`, { sprints: [one, CLOSED[i + 1] ?? ACTIVE], points: 2, done: null }),
  ]),
  issue('T-99', { points: 8 }),
  issue('T-100', { parent: 'T-1', done: '2026-01-07T10:00:00Z' }),
];

describe('sprints that another tool has completed', () => {
  it('are imported as completed, so velocity and forecast are available at once', async () => {
    const answer = await load('Velocity', ISSUES);
    expect(answer.body).toMatchObject({
      format: 'jira-json',
      created: { sprints: 6, stories: 16, tasks: 1 },
    });
    const velocity = await of('/api/boards/Velocity/velocity');
    expect(
      velocity.sprints.map((one: any) => [
        one.name,
        one.completed_at,
        one.committed_points,
        one.completed_points,
        one.unfinished_points,
      ]),
    ).toEqual([
      ['Sprint 1', '2026-01-17T08:30:00.000Z', 10, 5, 5],
      ['Sprint 2', '2026-01-31T08:30:00.000Z', 12, 7, 5],
      ['Sprint 3', '2026-02-14T08:30:00.000Z', 12, 7, 5],
      ['Sprint 4', '2026-02-28T08:30:00.000Z', 12, 7, 5],
      ['Sprint 5', '2026-03-14T08:30:00.000Z', 12, 7, 5],
    ]);
    const forecast = await of('/api/boards/Velocity/forecast');
    expect(forecast).toMatchObject({
      history: { sprints: 5 },
      backlog: { count: 1, points: 8 },
      asked: { sprint_days: 14, from: '2026-03-28' },
    });
    expect(forecast.when.map(({ sprints }: any) => sprints)).toEqual([2, 2, 2]);
  });

  it('have a report with the rule `imported`, and burn down when their stories were done', async () => {
    await load('Reported', ISSUES);
    const [first, second] = await of('/api/boards/Reported/sprints');
    expect(first).toMatchObject({
      external_id: 'jira:sprint:1',
      state: 'completed',
      start_date: '2026-01-05',
      end_date: '2026-01-16',
    });
    const report = await of(`/api/sprints/${first.id}/report`);
    expect(report).toMatchObject({
      as_of: '2026-01-17T08:30:00.000Z',
      committed_at: '2026-01-05T00:00:00.000Z',
      commitment_rule: 'imported',
      committed: { count: 3, points: 10 },
      added: { count: 0 },
      removed: { count: 0 },
      completed: { count: 1, points: 5 },
      unfinished: {
        count: 2,
        points: 5,
        stories: [{ title: 'Issue T-2' }, { title: 'Issue T-3', carried_to: second.id }],
      },
    });
    expect(report.unfinished.stories[0].carried_to).toBeUndefined();
    const { days } = await of(`/api/sprints/${first.id}/burndown`);
    expect(days).toHaveLength(12);
    expect(days.slice(2, 5).map((day: any) => [day.date, day.remaining_points])).toEqual([
      ['2026-01-07', 10],
      ['2026-01-08', 5],
      ['2026-01-09', 5],
    ]);
    const { text } = await service.client.get(`/api/sprints/${first.id}/report?format=csv`);
    expect(text).toMatch(/^unfinished,\d+,Issue T-3,2,,,\d+\r$/m);
    const picture = await service.client.get(`/api/sprints/${first.id}/burndown?format=svg`);
    expect(picture.status).toBe(200);
  });

  it('have the log of a team that moves stories on after each completion', async () => {
    const [one, two] = CLOSED as [object, object];
    await load('Logged', [issue('T-1', { sprints: [one, two, ACTIVE], points: 1 })]);
    const events = await of('/api/boards/Logged/events');
    const ids = (await of('/api/boards/Logged/sprints')).map(({ id }: any) => id);
    expect(
      events.map(({ revision, type, id, after }: any) => [
        revision,
        type,
        type.startsWith('sprint') ? ids.indexOf(id) : ids.indexOf(after.sprint_id),
      ]),
    ).toEqual([
      [1, 'board.created', -1],
      [2, 'sprint.created', 0],
      [3, 'sprint.created', 1],
      [4, 'sprint.created', 2],
      [5, 'story.created', 0],
      [6, 'sprint.completed', 0],
      [7, 'story.moved', 1],
      [8, 'sprint.completed', 1],
      [9, 'story.moved', 2],
    ]);
    expect(events.map(({ at }: any) => at)).toEqual(Array(9).fill('2026-03-18T10:00:00.000Z'));
    expect(events[5].after).toMatchObject({
      state: 'completed',
      completed_at: '2026-01-17T08:30:00.000Z',
    });
    const [story] = await of('/api/boards/Logged/stories');
    expect(story).toMatchObject({ sprint_id: ids[2], version: 3 });
    const history = await of(`/api/stories/${story.id}/history`);
    expect(history.map(({ revision }: any) => revision)).toEqual([5, 7, 9]);
    const replayed = history.reduce(
      (state: object, { after }: any) => ({ ...state, ...after }),
      {},
    );
    expect(replayed).toEqual(story);
  });

  it('are completed if they were closed since the last import, even if stories were moved on', async () => {
    const open = sprint(1, 'active');
    const before = [
      issue('T-1', { sprints: [open], points: 1 }),
      issue('T-2', { sprints: [open], points: 2 }),
      issue('T-3', { points: 4 }),
    ];
    await load('Closed', before);
    const [one] = CLOSED as [object];
    const next = sprint(2, 'active');
    const issues = [
      issue('T-1', { sprints: [one], points: 1, done: '2026-01-14T10:00:00Z' }),
      issue('T-2', { sprints: [one, next], points: 2 }),
      issue('T-3', { sprints: [one], points: 4, done: '2026-01-15T10:00:00Z' }),
    ];
    const { revision } = await of('/api/boards/Closed');
    const dryRun = await load('Closed', issues, '?dry_run=true');
    expect(dryRun.headers.get('x-board-revision')).toBe(String(revision));
    const answer = await load('Closed', issues);
    expect(dryRun.text).toBe(answer.text);
    expect(answer.body).toMatchObject({
      created: { sprints: 1, stories: 0 },
      updated: { sprints: 1, stories: 3 },
    });
    const [first, second] = await of('/api/boards/Closed/sprints');
    expect(await of(`/api/sprints/${first.id}/report`)).toMatchObject({
      commitment_rule: 'imported',
      committed: { count: 3, points: 7 },
      completed: { count: 2, points: 5 },
      unfinished: { stories: [{ title: 'Issue T-2', carried_to: second.id }] },
    });
  });

  it('are unchanged by a second import', async () => {
    await load('Again', ISSUES);
    const before = await of('/api/boards/Again/events');
    const dryRun = await load('Again', ISSUES, '?dry_run=true');
    service.clock.set('2026-05-18T10:00:00.000Z');
    const answer = await load('Again', ISSUES);
    expect(answer.text).toBe(dryRun.text);
    expect(answer.body).toMatchObject({
      created: { sprints: 0, stories: 0, tasks: 0 },
      updated: { sprints: 0, stories: 0, tasks: 0 },
      unchanged: { sprints: 6, stories: 16, tasks: 1 },
    });
    expect(await of('/api/boards/Again/events')).toEqual(before);
  });

  it('keep their stories, dates and reports, whatever a later file says', async () => {
    await load('Kept', ISSUES);
    const [first] = await of('/api/boards/Kept/sprints');
    const { sprint: _, ...report } = await of(`/api/sprints/${first.id}/report`);
    const moved = { ...CLOSED[0], endDate: '2026-01-23T17:00:00.000Z' };
    const answer = await load('Kept', [
      issue('T-1', { sprints: [ACTIVE], points: 50, done: '2026-01-08T10:00:00Z' }),
      issue('T-98', { sprints: [moved] }),
    ]);
    expect(answer.body.warnings).toContainEqual({
      code: 'sprint_completed',
      count: 3,
      examples: [
        'Sprint 1 keeps its dates',
        expect.stringMatching(/^entry 1: ".*T-1/),
        expect.stringMatching(/^entry 2: ".*T-98/),
      ],
    });
    const { sprint: again, ...frozen } = await of(`/api/sprints/${first.id}/report`);
    expect([again.end_date, frozen]).toEqual(['2026-01-16', report]);
    const [story] = await of('/api/boards/Kept/stories?external_id=jira:T-1');
    expect(story).toMatchObject({ points: 50, sprint_id: first.id });
  });

  it('keep their reports when their stories are moved to later sprints', async () => {
    const [one, two] = CLOSED as [object, object];
    const left = issue('T-3', { sprints: [one], points: 8 });
    await load('Replanned', [
      issue('T-1', { sprints: [one], points: 1, done: '2026-01-14T10:00:00Z' }),
      issue('T-2', { sprints: [one], points: 2 }),
      left,
    ]);
    const [first] = await of('/api/boards/Replanned/sprints');
    const { sprint: _, ...report } = await of(`/api/sprints/${first.id}/report`);
    service.clock.set('2026-03-25T10:00:00.000Z');
    const later = [
      issue('T-1', { sprints: [one, ACTIVE], points: 1 }),
      issue('T-2', { sprints: [one, two, ACTIVE], points: 2 }),
      left,
    ];
    const answer = await load('Replanned', later);
    expect(answer.body.warnings.map(({ code }: any) => code)).toEqual(['open_in_completed_sprint']);
    const sprints = (await of('/api/boards/Replanned/sprints')).map(({ id }: any) => id);
    const stories = await of('/api/boards/Replanned/stories');
    const placed = stories.map((s: any) => [s.external_id, s.status, sprints.indexOf(s.sprint_id)]);
    expect(placed.sort()).toEqual([
      ['jira:T-1', 'todo', 2],
      ['jira:T-2', 'todo', 2],
      ['jira:T-3', 'todo', 0],
    ]);
    const { sprint: again, ...frozen } = await of(`/api/sprints/${first.id}/report`);
    expect([again.id, frozen]).toEqual([first.id, report]);
    expect(await of(`/api/sprints/${sprints[1]}/report`)).toMatchObject({
      committed: { stories: [{ title: 'Issue T-2' }] },
      unfinished: { stories: [{ title: 'Issue T-2', carried_to: sprints[2] }] },
    });
    expect((await load('Replanned', later)).body).toMatchObject({
      created: { sprints: 0, stories: 0 },
      updated: { sprints: 0, stories: 0 },
    });
  });

  it('are found by their names if no import has set their ids yet', async () => {
    const csv = 'Summary,Issue key,Status,Sprint,Sprint\nOne,T-1,Done,Sprint 1,Sprint 2\n';
    await upload(service.client, 'Adopted', `${csv}Two,T-2,To Do,Sprint 6,\n`, {
      type: 'text/csv',
    });
    await service.client.post('/api/boards/Adopted/sprints', {
      name: 'Sprint 1',
      start_date: '2026-01-05',
      external_id: 'ours',
    });
    const issues = [
      issue('T-1', { sprints: CLOSED.slice(0, 2), points: 3, done: '2026-01-20T10:00:00Z' }),
      issue('T-2', { sprints: [ACTIVE], points: 5 }),
    ];
    expect((await load('Adopted', issues)).body).toMatchObject({
      created: { sprints: 0, stories: 0 },
      updated: { sprints: 3, stories: 2 },
    });
    const sprints = await of('/api/boards/Adopted/sprints');
    expect(sprints.map((s: any) => [s.name, s.external_id, s.start_date, s.completed_at])).toEqual([
      ['Sprint 1', 'jira:sprint:1', '2026-01-05', '2026-01-17T08:30:00.000Z'],
      ['Sprint 1', 'ours', '2026-01-05', null],
      ['Sprint 2', 'jira:sprint:2', '2026-01-19', '2026-01-31T08:30:00.000Z'],
      ['Sprint 6', 'jira:sprint:6', '2026-03-16', null],
    ]);
    expect(await of('/api/boards/Adopted/velocity')).toMatchObject({
      sprints: [
        { committed_points: 3, completed_points: 0 },
        { committed_points: 3, completed_points: 3 },
      ],
    });
    expect((await load('Adopted', issues)).body).toMatchObject({
      updated: { sprints: 0, stories: 0 },
      unchanged: { sprints: 3, stories: 2 },
    });
  });

  it('are not a planned sprint of the board with the same name, if they have no dates', async () => {
    const sprints = '/api/boards/Namesakes/sprints';
    const planned = await made2xx(
      service.client.post(sprints, { name: 'Sprint 1', start_date: '2026-04-06' }),
    );
    const issues = [issue('T-1', { sprints: [{ id: 1, name: 'Sprint 1', state: 'closed' }] })];
    for (let i = 0; i < 2; i += 1) await load('Namesakes', issues);
    expect(await of(sprints)).toMatchObject([
      { external_id: 'jira:sprint:1', start_date: '2026-03-02', state: 'completed' },
      planned,
    ]);
  });

  it('are completed here if they were planned at the last import, even without dates', async () => {
    const named = (state: string): object[] => [
      issue('T-1', { sprints: [{ id: 1, name: 'Sprint 1', state }] }),
    ];
    await load('Planned', named('future'));
    await load('Planned', named('closed'));
    expect(await of('/api/boards/Planned/sprints')).toMatchObject([
      { start_date: '2026-03-02', end_date: '2026-03-15', state: 'completed' },
    ]);
  });

  it('do not keep a story in a later sprint that it has left since the last import', async () => {
    const [one, two, three] = [1, 2, 3].map((n) => sprint(n, 'active')) as [object, object, object];
    const first = sprint(1, 'closed');
    const second = sprint(2, 'closed');
    const other = (in2: object): object => issue('K-2', { sprints: [in2] });
    const place = async (): Promise<[number | null, Record<number, string>]> => {
      const sprints = await of('/api/boards/Left/sprints');
      const [story] = await of('/api/boards/Left/stories?external_id=jira:K-1');
      const names = Object.fromEntries(sprints.map((each: any) => [each.id, each.name]));
      return [names[story.sprint_id] ?? null, names];
    };
    await made2xx(load('Left', [issue('K-1', { sprints: [one] }), other(two)]));
    await made2xx(load('Left', [issue('K-1', { sprints: [first, two] }), other(two)]));
    expect((await place())[0]).toBe('Sprint 2');
    // In the backlog Jira still lists the closed sprint.
    await made2xx(load('Left', [issue('K-1', { sprints: [first] }), other(two)]));
    expect((await place())[0]).toBeNull();
    await made2xx(load('Left', [issue('K-1', { sprints: [first] }), other(second)]));
    expect((await place())[0]).toBeNull();
    await made2xx(load('Left', [issue('K-1', { sprints: [first, three] }), other(second)]));
    expect((await place())[0]).toBe('Sprint 3');
    const sprints = await of('/api/boards/Left/sprints');
    const { id } = sprints.find(({ name }: any) => name === 'Sprint 2');
    const report = await of(`/api/sprints/${id}/report`);
    expect(report.unfinished.stories.map(({ title }: any) => title)).toEqual(['Issue K-2']);
  });

  it('can be reopened and completed here', async () => {
    await load('Reopened', ISSUES);
    const [first] = await of('/api/boards/Reopened/sprints');
    await made2xx(service.client.post(`/api/sprints/${first.id}/reopen`, {}));
    const report = await made2xx(service.client.post(`/api/sprints/${first.id}/complete`, {}));
    expect(report).toMatchObject({
      as_of: '2026-03-18T10:00:00.000Z',
      unfinished: { stories: [{ title: 'Issue T-2', carried_to: null }] },
    });
  });
});

describe('tasks', () => {
  const tasks = (...keys: string[]): object[] =>
    keys.map((key) => issue(key, { parent: 'T-1', done: null }));

  it('are created, and found again in their stories to be updated', async () => {
    await load('Tasks', [issue('T-1'), ...tasks('T-2', 'T-3')]);
    const [story] = await of('/api/boards/Tasks/stories');
    const path = `/api/stories/${story.id}/tasks`;
    const [two, three] = await of(path);
    expect([two.external_id, two.seq, two.status]).toEqual(['jira:T-2', 1, 'done']);
    await made2xx(service.client.put(`/api/tasks/${two.id}`, { status: 'todo' }));
    const answer = await load('Tasks', [issue('T-1'), ...tasks('T-2', 'T-3', 'T-4')]);
    expect(answer.body).toMatchObject({
      created: { tasks: 1 },
      updated: { stories: 0, tasks: 1 },
      unchanged: { tasks: 1 },
    });
    const after = await of(path);
    expect(after.map((task: any) => [task.id, task.seq, task.status, task.version])).toEqual([
      [two.id, 1, 'done', 3],
      [three.id, 2, 'done', 1],
      [expect.any(Number), 3, 'done', 1],
    ]);
    const events = await of('/api/boards/Tasks/events?entity=task');
    expect(events.map(({ type, id }: any) => [type, id])).toEqual([
      ['task.created', two.id],
      ['task.created', three.id],
      ['task.updated', two.id],
      ['task.updated', two.id],
      ['task.created', after[2].id],
    ]);
  });
});

it('sprints of an export from a clock that is ahead neither start nor end in the future', async () => {
  const { client, clock } = service;
  clock.set('2026-03-20T10:00:00.000Z');
  const path = '/api/boards/Ahead';
  for (const start_date of ['2026-03-02', '2026-03-16']) {
    const { id } = await made2xx(client.post(`${path}/sprints`, { start_date }));
    await made2xx(client.post(`/api/sprints/${id}/start`));
    if (start_date === '2026-03-02') await made2xx(client.post(`/api/sprints/${id}/complete`));
  }
  const { text } = await client.get(`${path}/export`);
  clock.set('2026-03-18T10:00:00.000Z');
  await upload(client, 'Behind', text, { type: 'application/x-ndjson' });
  const sprints = await of('/api/boards/Behind/sprints');
  expect(sprints.map((one: any) => [one.started_at, one.completed_at])).toEqual([
    ['2026-03-18T09:59:59.999Z', '2026-03-18T09:59:59.999Z'],
    ['2026-03-18T10:00:00.000Z', null],
  ]);
});
