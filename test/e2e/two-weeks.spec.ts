import { useApp } from '../support/app';
import { made2xx, Workspace } from '../support/make';

// A sprint of a team in Berlin, which is an hour ahead of UTC in November: the team plans on Monday, starts
// the sprint late, changes its scope, and completes it only after the weekend.

const service = useApp();
let team: Workspace;
beforeAll(async () => {
  at('2026-10-30T09:00');
  team = await Workspace.create(service.client, 'Europe/Berlin', 'Team');
});

/** Sets the clock to a time of day in Berlin, in winter. */
const at = (time: string): void => service.clock.set(`${time}:00.000+01:00`);

const get = (path: string): Promise<any> => made2xx(service.client.get(`${team.path}${path}`));
const post = (path: string, body: object = {}): Promise<any> =>
  made2xx(service.client.post(`${team.path}${path}`, body));
const set = (story: { id: number }, change: object): Promise<any> =>
  made2xx(service.client.put(`/api/stories/${story.id}`, change));
const sums = ({ committed, added, removed, re_estimated, completed, unfinished }: any): number[] =>
  [committed, added, removed, re_estimated, completed, unfinished].map(({ points }) => points);

/** Creates and completes a past sprint of two weeks with one done story. */
async function past(monday: string, friday: string, points: number): Promise<void> {
  at(`${monday}T09:00`);
  const sprint = await team.sprint(monday, { end_date: friday });
  const story = await team.story(sprint, { points });
  await post('/sprints/current/start');
  at(`${friday}T16:00`);
  await set(story, { status: 'done' });
  await post('/sprints/current/complete');
}

describe('two weeks of a team', () => {
  let sprint: any;
  const stories: Record<string, any> = {};

  it('begin after three completed sprints', async () => {
    await past('2026-10-05', '2026-10-16', 20);
    await past('2026-10-19', '2026-10-30', 22);
    await past('2026-11-02', '2026-11-13', 24);
    expect(await get('/velocity')).toMatchObject({ average_points: 22, median_points: 22 });
  });

  it('begin with a story that was carried over on the previous Friday', async () => {
    at('2026-11-13T17:00');
    sprint = await team.sprint('2026-11-16', { end_date: '2026-11-27', name: 'Sprint 4' });
    stories.carried = await team.story(sprint, { title: 'Carried over', points: 3 });
    expect(await get('/sprints/next/report')).toMatchObject({
      committed_at: null,
      commitment_rule: null,
      committed: { count: 0 },
      added: { count: 0 },
      unfinished: { points: 3 },
    });
    const early = await service.client.post(`/api/sprints/${sprint.id}/start`);
    expect([early.status, early.body.code]).toEqual([409, 'sprint_not_begun']);
  });

  it('commit to all stories that are planned on Monday, even in the afternoon', async () => {
    at('2026-11-16T09:30');
    stories.search = await team.story(sprint, { title: 'Search', points: 8 });
    stories.login = await team.story(sprint, { title: 'Login', points: 5 });
    stories.export = await team.story(sprint, { title: 'Export', points: 5 });
    expect(sums(await get('/sprints/current/report'))).toEqual([21, 0, 0, 0, 0, 21]);
    at('2026-11-16T14:00');
    stories.mail = await team.story(sprint, { title: 'Mail', points: 4 });
    const started = await post('/sprints/current/start');
    expect(started.started_at).toBe('2026-11-16T13:00:00.000Z');
    expect(await get('/sprints/current/report')).toMatchObject({
      committed_at: '2026-11-16T13:00:00.000Z',
      commitment_rule: 'started',
      committed: { points: 25, count: 5 },
    });
  });

  it('report later changes as changes of scope', async () => {
    at('2026-11-16T18:00');
    stories.bug = await team.story(sprint, { title: 'Bug', points: 2 });
    at('2026-11-18T11:00');
    await set(stories.carried, { status: 'done' });
    await set(stories.search, { points: 13 });
    at('2026-11-19T23:30');
    await set(stories.export, { sprint_id: null });
    expect(sums(await get('/sprints/current/report'))).toEqual([25, 2, 5, 5, 3, 24]);
  });

  it('have an ideal line that falls on working days only', async () => {
    at('2026-11-23T08:00');
    const { days, committed_points } = await get('/sprints/current/burndown');
    expect(committed_points).toBe(25);
    expect(
      days.map(({ date, working, ideal_points, remaining_points }: any) => [
        ...[date.slice(8), working, ideal_points, remaining_points],
      ]),
    ).toEqual([
      ['16', true, 22.5, 27],
      ['17', true, 20, 27],
      ['18', true, 17.5, 29],
      ['19', true, 15, 24],
      ['20', true, 12.5, 24],
      ['21', false, 12.5, 24],
      ['22', false, 12.5, 24],
      ['23', true, 10, 24],
    ]);
  });

  it('stay current over the weekend until the sprint is completed', async () => {
    at('2026-11-25T10:00');
    await set(stories.search, { status: 'done' });
    await set(stories.bug, { status: 'done' });
    const next = await team.sprint('2026-11-30', { end_date: '2026-12-11', name: 'Sprint 5' });
    at('2026-11-28T10:00');
    expect(await get('/sprints/current')).toMatchObject({ id: sprint.id, state: 'ended' });
    expect(await get('/sprints/next')).toMatchObject({ id: next.id, state: 'planned' });
    // On Monday the next sprint is active; the one that is not completed is the previous one.
    at('2026-11-30T08:30');
    expect(await get('/sprints/current')).toMatchObject({ id: next.id, state: 'active' });
    const { id } = await get('/sprints/previous');
    expect(id).toBe(sprint.id);
    const { body } = await service.client.post(`/api/sprints/${id}/complete`, {
      unfinished: 'current',
    });
    expect(body.code).toBe('invalid_request');
    const report = await made2xx(
      service.client.post(`/api/sprints/${id}/complete`, { unfinished: 'next' }),
    );
    expect(sums(report)).toEqual([25, 2, 5, 5, 18, 9]);
    expect(report.unfinished.stories.map(({ carried_to }: any) => carried_to)).toEqual([
      next.id,
      next.id,
    ]);
  });

  it('end with a burndown that equals the report, and a report that no longer changes', async () => {
    const path = `/sprints/${sprint.id}`;
    const report = await service.client.get(`/api${path}/report`);
    const { days } = (await service.client.get(`/api${path}/burndown`)).body;
    expect(days).toHaveLength(12);
    expect(days.at(-1)).toMatchObject({
      completed_points: 18,
      remaining_points: 9,
      ideal_points: 0,
    });
    await made2xx(
      service.client.put(team.path, { time_zone: 'Asia/Tokyo', working_days: ['sun'] }),
    );
    at('2026-12-24T12:00');
    const { sprint: _, ...before } = report.body;
    const { sprint: __, ...after } = (await service.client.get(`/api${path}/report`)).body;
    expect(JSON.stringify(after)).toBe(JSON.stringify(before));
    expect((await service.client.get(`/api${path}/burndown`)).body.days).toEqual(days);
    await made2xx(
      service.client.put(team.path, {
        time_zone: 'Europe/Berlin',
        working_days: ['mon', 'tue', 'wed', 'thu', 'fri'],
      }),
    );
  });

  it('are followed by a sprint whose commitment includes the carried-over stories', async () => {
    at('2026-11-30T10:00');
    await team.story(await get('/sprints/current'), { title: 'Filters', points: 10 });
    expect(await get('/sprints/current/report')).toMatchObject({
      commitment_rule: 'first_day',
      committed: { points: 19, count: 3 },
      added: { count: 0 },
    });
  });

  it('result in a forecast with sprints from Monday to Monday', async () => {
    for (let i = 0; i < 10; i += 1) await team.story(null, { points: 5 });
    const { asked, when, backlog } = await get('/forecast?seed=7');
    // The story `Export` is in the backlog again.
    expect(backlog).toEqual({ count: 11, points: 55 });
    expect(asked).toEqual({ stories: null, points: null, sprint_days: 14, from: '2026-12-12' });
    for (const { sprints, date } of when) {
      const days = (Date.parse(date) - Date.parse(asked.from)) / 86_400_000;
      expect(days).toBe(sprints * 14);
    }
  });
});
