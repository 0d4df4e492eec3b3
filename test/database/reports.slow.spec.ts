import { parse } from 'csv-parse/sync';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { Restart } from '../../src/database/change';
import { Database } from '../../src/database/database';
import { DatabaseTimeout } from '../../src/database/errors';
import { UnitOfWork } from '../../src/database/unit-of-work';
import { endOfDay, startOfDay } from '../../src/reports/calendar';
import { WEEKDAYS } from '../../src/boards/working-days';
import type { Caller } from '../../src/http/caller';
import type { ReplayedSprint } from '../../src/reports/report.queries';
import { ReportsService } from '../../src/reports/reports.service';
import { StoriesService } from '../../src/stories/stories.service';
import { TimeSlice } from '../../src/time/time-slice';
import { useApp } from '../support/app';
import type { Answer, Client } from '../support/client';
import { insertRows } from '../support/fill';
import { made2xx, Workspace } from '../support/make';
import type { Statement } from '../support/statements';
import { onStatement } from '../support/statements';

const service = useApp();
let client: Client;
beforeAll(() => {
  ({ client } = service);
});
beforeEach(() => service.clock.set('2026-03-01T12:00:00.000Z'));

const at = (instant: string | number | Date): void =>
  service.clock.set(new Date(instant).toISOString());
const board = (timeZone?: string): Promise<Workspace> =>
  Workspace.create(client, timeZone, 'Reports');
const reportPath = (sprint: { id: number }): string => `/api/sprints/${sprint.id}/report`;
const report = (sprint: { id: number }): Promise<any> => made2xx(client.get(reportPath(sprint)));
const burndown = async (sprint: { id: number }): Promise<any[]> =>
  (await made2xx(client.get(`/api/sprints/${sprint.id}/burndown`))).days;
const update = (story: { id: number }, change: object): Promise<any> =>
  made2xx(client.put(`/api/stories/${story.id}`, change));
const remove = (story: { id: number }): Promise<any> =>
  made2xx(client.delete(`/api/stories/${story.id}`));
const start = (sprint: { id: number }): Promise<any> =>
  made2xx(client.post(`/api/sprints/${sprint.id}/start`));
const complete = (sprint: { id: number }, body?: object): Promise<any> =>
  made2xx(client.post(`/api/sprints/${sprint.id}/complete`, body));
const ids = (group: { stories: { id: number }[] }): number[] => group.stories.map(({ id }) => id);
const without = ({ sprint: _, ...rest }: any): string => JSON.stringify(rest);

const ZONES = [
  'Pacific/Pago_Pago',
  'America/St_Johns',
  'UTC',
  'Australia/Lord_Howe',
  'Pacific/Kiritimati',
];

describe('commitment', () => {
  it.each(ZONES)(
    'is the set of stories in the sprint at the end of its first day in %s',
    async (zone) => {
      const team = await board(zone);
      const sprint = await team.sprint('2026-03-10', { end_date: '2026-03-12' });
      const carried = await team.story(sprint, { points: 1 });
      at(startOfDay('2026-03-10', zone).getTime() - 1);
      expect(await report(sprint)).toMatchObject({
        committed_at: null,
        commitment_rule: null,
        committed: { count: 0 },
        added: { count: 0 },
        unfinished: { count: 1, points: 1 },
      });
      const start = startOfDay('2026-03-10', zone).toISOString();
      at(start);
      expect(await report(sprint)).toMatchObject({
        committed_at: start,
        commitment_rule: 'first_day',
        committed: { count: 1, points: 1 },
      });
      const end = endOfDay('2026-03-10', zone);
      at(end);
      const planned = await team.story(sprint, { points: 2 });
      at(end.getTime() + 1);
      const late = await team.story(sprint, { points: 8 });
      const result = await report(sprint);
      expect(result).toMatchObject({
        committed_at: end.toISOString(),
        commitment_rule: 'first_day',
        committed: { count: 2, points: 3 },
        added: { count: 1, points: 8 },
      });
      expect(ids(result.committed)).toEqual([carried.id, planned.id]);
      expect(ids(result.added)).toEqual([late.id]);
    },
  );

  it.each(ZONES)(
    'of a sprint that starts empty is made at the end of its first day with a story in %s',
    async (zone) => {
      const team = await board(zone);
      at(startOfDay('2028-02-27', zone).getTime() + 3_600_000);
      const sprint = await team.sprint('2028-02-27');
      const end = endOfDay('2028-02-29', zone);
      at(end.getTime() - 1);
      const story = await team.story(sprint, { points: 3 });
      const now = new Date(end.getTime() - 1).toISOString();
      expect(await report(sprint)).toMatchObject({
        as_of: now,
        committed_at: now,
        commitment_rule: 'first_day',
        committed: { count: 1, points: 3 },
      });
      at(end);
      await team.story(sprint, { points: 5 });
      at(end.getTime() + 1);
      await team.story(sprint, { points: 8 });
      await update(story, { points: 1 });
      expect(await report(sprint)).toMatchObject({
        committed_at: end.toISOString(),
        committed: { count: 2, points: 8 },
        added: { count: 1, points: 8 },
        re_estimated: { count: 1, points: -2, stories: [{ id: story.id, from: 3, to: 1 }] },
      });
    },
  );

  it('is the set of stories in the sprint at its last start', async () => {
    const team = await board('Europe/Berlin');
    const sprint = await team.sprint('2026-03-10', { end_date: '2026-03-11' });
    const carried = await team.story(sprint, { points: 3 });
    at('2026-03-10T09:00:00.000Z');
    const planned = await team.story(sprint, { points: 22 });
    await start(sprint);
    const late = await team.story(sprint, { points: 5 });
    const agreed = async (expected: object): Promise<void> => {
      const result = await report(sprint);
      expect(result).toMatchObject({ commitment_rule: 'started', ...expected });
      const { body } = await client.get(`/api/sprints/${sprint.id}/burndown`);
      expect([body.committed_points, body.committed_count]).toEqual([
        result.committed.points,
        result.committed.count,
      ]);
      expect(body.days[0].ideal_points).toBe(result.committed.points / 2);
    };
    await agreed({
      committed_at: '2026-03-10T09:00:00.000Z',
      committed: { count: 2, points: 25, stories: [{ id: carried.id }, { id: planned.id }] },
      added: { count: 1, points: 5 },
    });
    await update(carried, { sprint_id: null });
    at('2026-03-11T09:00:00.000Z');
    await start(sprint);
    await agreed({
      committed_at: '2026-03-11T09:00:00.000Z',
      committed: { count: 2, points: 27, stories: [{ id: planned.id }, { id: late.id }] },
      added: { count: 0 },
      removed: { count: 0 },
    });
    const result = await complete(sprint);
    at('2026-03-20T09:00:00.000Z');
    await made2xx(client.put(team.path, { working_days: ['sun'], time_zone: 'Asia/Tokyo' }));
    expect(without(await report(sprint))).toBe(without(result));
    await agreed({ committed: { count: 2, points: 27 } });
    const { sprints } = (await client.get(`${team.path}/velocity`)).body;
    expect(sprints).toMatchObject([{ committed_points: 27, committed_count: 2 }]);
  });

  it('depends on the current time zone and start date of an open sprint', async () => {
    const team = await board('UTC');
    const sprint = await team.sprint('2026-03-10');
    at('2026-03-10T23:30:00.000Z');
    await team.story(sprint);
    at('2026-03-13T12:00:00.000Z');
    expect(await report(sprint)).toMatchObject({ committed_at: '2026-03-10T23:59:59.999Z' });
    await made2xx(client.put(team.path, { time_zone: 'Europe/Berlin' }));
    expect(await report(sprint)).toMatchObject({
      commitment_rule: 'first_day',
      committed_at: '2026-03-11T22:59:59.999Z',
    });
    await made2xx(client.put(`/api/sprints/${sprint.id}`, { start_date: '2026-03-12' }));
    expect(await report(sprint)).toMatchObject({ committed_at: '2026-03-12T22:59:59.999Z' });
    await made2xx(client.put(`/api/sprints/${sprint.id}`, { start_date: '2026-03-20' }));
    expect(await report(sprint)).toMatchObject({ committed_at: null, committed: { count: 0 } });
  });
});

describe('a report', () => {
  it('lists the stories that were added, removed, re-estimated, completed and unfinished', async () => {
    const [team, others] = [await board(), await board()];
    const otherSprint = await others.sprint('2026-03-02');
    const sprint = await team.sprint('2026-03-02', { end_date: '2026-03-13', name: 'One' });
    const story = (points: number | null, more?: object): Promise<any> =>
      team.story(sprint, { points, ...more });
    const [kept, moved, movedAway, deleted] = [
      await story(1),
      await story(2),
      await story(4),
      await story(8),
    ];
    at('2026-03-04T12:00:00.000Z');
    const added = await story(0.5);
    const addedAndRemoved = await story(16);
    const unestimated = await story(null, { title: 'Not estimated' });
    await update(moved, { points: 3 });
    await update(moved, { sprint_id: null });
    await update(movedAway, { sprint_id: otherSprint.id });
    await remove(deleted);
    await update(addedAndRemoved, { sprint_id: null });
    await update(kept, { status: 'done', points: 1.25 });
    // Changes on the other board do not affect this report.
    await update(movedAway, { points: 100, title: 'Theirs now' });
    const result = await report(sprint);
    expect(result.sprint).toEqual((await client.get(`/api/sprints/${sprint.id}`)).body);
    const brief = ({ count, points, stories }: any): any => [count, points, ids({ stories })];
    expect(brief(result.committed)).toEqual([4, 15, [kept.id, moved.id, movedAway.id, deleted.id]]);
    expect(brief(result.added)).toEqual([3, 16.5, [added.id, addedAndRemoved.id, unestimated.id]]);
    expect(brief(result.removed)).toEqual([
      ...[4, 31],
      [moved.id, movedAway.id, deleted.id, addedAndRemoved.id],
    ]);
    expect(result.re_estimated).toEqual({
      count: 2,
      points: 1.25,
      stories: [
        { id: kept.id, title: 'A story', from: 1, to: 1.25 },
        { id: moved.id, title: 'A story', from: 2, to: 3 },
      ],
    });
    expect(brief(result.completed)).toEqual([1, 1.25, [kept.id]]);
    expect(result.unfinished).toEqual({
      count: 2,
      points: 0.5,
      stories: [
        { id: added.id, title: 'A story', points: 0.5 },
        { id: unestimated.id, title: 'Not estimated', points: null },
      ],
    });
    expect(result.removed.stories[1]).toEqual({ id: movedAway.id, title: 'A story', points: 4 });
    // The other board's log begins with the arrival of the story.
    expect(ids((await report(otherSprint)).committed)).toEqual([movedAway.id]);
  });

  it('exists for current, next and previous, as does a burndown', async () => {
    const team = await board();
    at('2026-03-10T12:00:00.000Z');
    const past = await team.sprint('2026-03-02', { end_date: '2026-03-08' });
    const present = await team.sprint('2026-03-09', { end_date: '2026-03-15' });
    const future = await team.sprint('2026-03-16');
    for (const [word, { id }] of Object.entries({
      previous: past,
      current: present,
      next: future,
    })) {
      for (const what of ['report', 'burndown']) {
        const named = await client.get(`${team.path}/sprints/${word}/${what}`);
        expect(named.body).toEqual((await client.get(`/api/sprints/${id}/${what}`)).body);
      }
    }
    const none = await client.get(`${(await board()).path}/sprints/current/report`);
    expect([none.status, none.body.code]).toEqual([404, 'no_current_sprint']);
    const missing = await client.get('/api/sprints/999999999/burndown');
    expect([missing.status, missing.body.code]).toEqual([404, 'sprint_not_found']);
  });

  it('stays the same byte for byte after completion', async () => {
    const [team, others] = [await board('Europe/Berlin'), await board()];
    const otherSprint = await others.sprint('2026-03-02');
    const sprint = await team.sprint('2026-03-02', { end_date: '2026-03-06' });
    const next = await team.sprint('2026-03-07');
    const stories: any[] = [];
    for (const points of [1, 2, 3, 5, 8]) stories.push(await team.story(sprint, { points }));
    const [done, renamed, reestimated, gone, movedAway] = stories;
    at('2026-03-04T12:00:00.000Z');
    await team.story(sprint, { points: 13 });
    await update(done, { status: 'done' });
    at('2026-03-05T23:30:00.000Z');
    const dryRun = await complete(sprint, { unfinished: 'next', dry_run: true });
    expect((await report(sprint)).sprint.state).toBe('active');
    const result = await complete(sprint, { unfinished: 'next' });
    expect(without(result)).toBe(without(dryRun));
    expect(result).toMatchObject({ as_of: '2026-03-05T23:30:00.000Z', unfinished: { count: 5 } });
    for (const story of result.unfinished.stories) expect(story.carried_to).toBe(next.id);
    expect(result.removed.count).toBe(0);
    const days = JSON.stringify(await burndown(sprint));
    expect(JSON.parse(days).map((day: any) => day.date)).toHaveLength(5);

    const unchanged = async (): Promise<void> => {
      expect(without(await report(sprint))).toBe(without(result));
      expect(JSON.stringify(await burndown(sprint))).toBe(days);
    };
    at('2026-03-09T12:00:00.000Z');
    await unchanged();
    await update(renamed, { title: 'Another' });
    await update(done, { title: 'Done, and renamed', points: 100, status: 'todo' });
    await update(reestimated, { points: 40, status: 'done' });
    await remove(gone);
    await update(movedAway, { sprint_id: otherSprint.id });
    await unchanged();
    await made2xx(
      client.put(team.path, { time_zone: 'Pacific/Kiritimati', name: `${team.name}!` }),
    );
    await made2xx(client.put(`/api/sprints/${sprint.id}`, { name: 'Renamed', goal: 'Frozen' }));
    await made2xx(client.post(`/api/sprints/${next.id}/complete`));
    await made2xx(client.post(`/api/sprints/${next.id}/reopen`));
    await made2xx(client.delete(`/api/sprints/${next.id}`));
    await unchanged();
    expect((await report(sprint)).sprint.name).toBe('Renamed');
  });

  it('counts carried-over stories of a reopened sprint as removed until they are moved back', async () => {
    const team = await board();
    const sprint = await team.sprint('2026-03-02');
    const [one, two] = [await team.story(sprint, { points: 1 }), await team.story(sprint)];
    at('2026-03-03T12:00:00.000Z');
    const closed = await complete(sprint);
    expect(closed).toMatchObject({ removed: { count: 0 }, unfinished: { count: 2 } });
    await made2xx(client.post(`/api/sprints/${sprint.id}/reopen`));
    at('2026-03-04T12:00:00.000Z');
    let result = await report(sprint);
    expect(result.as_of).toBe('2026-03-04T12:00:00.000Z');
    expect(ids(result.removed)).toEqual([one.id, two.id]);
    expect(result.unfinished.count).toBe(0);
    await update(two, { sprint_id: sprint.id });
    await update(two, { status: 'done' });
    result = await complete(sprint);
    expect(ids(result.removed)).toEqual([one.id]);
    expect(ids(result.completed)).toEqual([two.id]);
    expect(without(await report(sprint))).toBe(without(result));
  });
});

describe('a burndown', () => {
  it.each([
    ['the spring change of the clocks', 'Europe/Berlin', '2026-03-28', '2026-03-30', 3],
    ['the autumn change of the clocks', 'America/New_York', '2026-10-31', '2026-11-02', 3],
    ['a leap day', 'Australia/Lord_Howe', '2028-02-28', '2028-03-01', 3],
    ['a February without a leap day', 'Pacific/Pago_Pago', '2026-02-27', '2026-03-02', 4],
    ['the turn of the year', 'Pacific/Kiritimati', '2026-12-31', '2027-01-02', 3],
  ])('has a row for each day over %s', async (_, zone, start_date, end_date, count) => {
    const team = await board(zone);
    at(startOfDay(start_date, zone).getTime() - 1);
    await made2xx(client.put(team.path, { working_days: WEEKDAYS }));
    const sprint = await team.sprint(start_date, { end_date });
    const stories: any[] = [];
    for (let i = 0; i < count; i += 1) stories.push(await team.story(sprint, { points: count }));
    expect(await burndown(sprint)).toEqual([]);
    let seen: any[] = [];
    for (const [i, story] of stories.entries()) {
      // The last millisecond of each day.
      const date = new Date(Date.parse(start_date) + i * 86_400_000).toISOString().slice(0, 10);
      at(endOfDay(date, zone));
      await update(story, { status: 'done' });
      seen = await burndown(sprint);
      expect(seen).toHaveLength(i + 1);
      expect(seen[i]).toEqual({
        date,
        working: true,
        scope_points: count * count,
        completed_points: count * (i + 1),
        remaining_points: count * (count - i - 1),
        ideal_points: count * (count - i - 1),
        scope_count: count,
        completed_count: i + 1,
        remaining_count: count - i - 1,
      });
    }
    at(endOfDay(end_date, zone).getTime() + 1);
    expect(await burndown(sprint)).toEqual(seen);
  });

  it('has an ideal line that begins at the committed points and falls on working days only', async () => {
    const team = await board();
    const sprint = await team.sprint('2026-02-27', { end_date: '2026-03-03' });
    await team.story(sprint, { points: 9 });
    at('2026-02-27T12:00:00.000Z');
    const show = async (): Promise<any> =>
      (await client.get(`/api/sprints/${sprint.id}/burndown`)).body;
    expect(await show()).toMatchObject({
      committed_points: 9,
      committed_count: 1,
      days: [{ date: '2026-02-27', working: true, ideal_points: 6 }],
    });
    at('2026-03-20T12:00:00.000Z');
    const ideal = async (): Promise<any[]> =>
      (await show()).days.map((day: any) => [day.working, day.ideal_points]);
    expect(await ideal()).toEqual([
      ...[
        [true, 6],
        [false, 6],
        [false, 6],
      ],
      ...[
        [true, 3],
        [true, 0],
      ],
    ]);
    await made2xx(client.put(team.path, { working_days: ['mon', 'sat'] }));
    expect(await ideal()).toEqual([
      ...[
        [false, 9],
        [true, 4.5],
        [false, 4.5],
      ],
      ...[
        [true, 0],
        [false, 0],
      ],
    ]);
    await made2xx(client.put(team.path, { working_days: ['thu'] }));
    expect(await ideal()).toEqual([
      ...[
        [false, 7.2],
        [false, 5.4],
        [false, 3.6],
      ],
      ...[
        [false, 1.8],
        [false, 0],
      ],
    ]);
    await complete(sprint);
    const { sprint: _, ...frozen } = await show();
    await made2xx(client.put(team.path, { working_days: ['fri'] }));
    expect(await show()).toMatchObject(frozen);
    const planned = await team.sprint('2026-04-01', { end_date: '2026-04-10' });
    await team.story(planned, { points: 9 });
    expect((await client.get(`/api/sprints/${planned.id}/burndown`)).body).toMatchObject({
      committed_points: 0,
      committed_count: 0,
      days: [],
    });
  });

  it('has the sums of the report in its last row: after the end date, without one, and once completed', async () => {
    const team = await board();
    const agree = async (sprint: { id: number }, date: string): Promise<void> => {
      const [result, days] = [await report(sprint), await burndown(sprint)];
      expect(days.at(-1)).toMatchObject({
        date,
        completed_points: result.completed.points,
        completed_count: result.completed.count,
        remaining_points: result.unfinished.points,
        remaining_count: result.unfinished.count,
      });
    };
    const ending = await team.sprint('2026-03-02', { end_date: '2026-03-03' });
    const endless = await team.sprint('2026-03-02');
    const story = await team.story(ending, { points: 3 });
    const other = await team.story(endless, { points: 5 });
    at('2026-03-05T12:00:00.000Z');
    await update(story, { status: 'done' });
    await agree(ending, '2026-03-03');
    await agree(endless, '2026-03-05');
    for (const day of await burndown(endless)) expect(day.ideal_points).toBeNull();
    await complete(endless);
    at('2026-03-07T12:00:00.000Z');
    await update(other, { points: 1 });
    await agree(endless, '2026-03-05');
  });
});

describe('formats', () => {
  const CSV = { headers: { accept: 'text/csv' } };
  let team: Workspace;
  let sprint: any;
  let paths: Record<'report' | 'burndown' | 'velocity' | 'forecast', string>;
  beforeAll(async () => {
    at('2026-03-01T12:00:00.000Z');
    team = await board();
    for (const [i, done] of [3, 5, 1].entries()) {
      const old = await team.sprint(`2026-02-0${i + 1}`, { name: `Old, ${i}` });
      for (let n = 0; n < done; n += 1) await team.story(old, { status: 'done', points: 2 });
      await complete(old);
    }
    sprint = await team.sprint('2026-03-01', { end_date: '2026-03-14', name: 'Now <&> "then"' });
    await team.story(sprint, { title: 'Say "hi", twice', points: 3 });
    await team.story(sprint, { status: 'done', points: 5 });
    await team.story(null, { points: 8 });
    paths = {
      report: reportPath(sprint),
      burndown: `/api/sprints/${sprint.id}/burndown`,
      velocity: `${team.path}/velocity`,
      forecast: `${team.path}/forecast`,
    };
  });
  const rows = ({ text }: Answer): any[] => parse(text, { columns: true, bom: false });
  const asText = (row: object): Record<string, string> =>
    Object.fromEntries(Object.entries(row).map(([name, value]) => [name, String(value ?? '')]));

  it('are JSON by default', async () => {
    for (const path of Object.values(paths)) {
      const plain = await client.get(path);
      for (const accept of ['*/*', 'application/json; charset=utf-8', 'application/*, */*;q=0.1']) {
        const asked = await client.get(path, { headers: { accept } });
        expect(asked.headers.get('content-type')).toBe('application/json; charset=utf-8');
        expect(asked.body).toEqual(plain.body);
      }
      expect(plain.headers.get('vary')).toBe('Accept');
    }
  });

  it('include CSV with the rows of the JSON', async () => {
    const days = (await client.get(paths.burndown)).body.days;
    const answer = await client.get(paths.burndown, CSV);
    expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8; header=present');
    expect(rows(answer)).toEqual(days.map(asText));
    const { sprints } = (await client.get(paths.velocity)).body;
    expect(rows(await client.get(paths.velocity, CSV))).toEqual(sprints.map(asText));
    const { when, next_sprint } = (await client.get(paths.forecast)).body;
    expect(rows(await client.get(paths.forecast, CSV))).toEqual(
      when.map((row: any, i: number) => asText({ ...row, ...next_sprint[i] })),
    );
    const result = (await client.get(paths.report)).body;
    const reportRows = rows(await client.get(paths.report, CSV));
    expect(reportRows.map((row) => [row.group, Number(row.id), row.title])).toEqual(
      ['committed', 'added', 'removed', 're_estimated', 'completed', 'unfinished'].flatMap(
        (group) => result[group].stories.map((story: any) => [group, story.id, story.title]),
      ),
    );
  });

  it('include SVG for burndown, velocity and forecast, with a CSP that allows only its own style', async () => {
    for (const path of [paths.burndown, paths.velocity, paths.forecast]) {
      const picture = await client.get(path, {
        headers: { accept: 'image/avif,image/svg+xml,image/*,*/*;q=0.8' },
      });
      expect(picture.headers.get('content-type')).toBe('image/svg+xml; charset=utf-8');
      expect(picture.text).toMatch(/^<svg .*<\/svg>$/s);
      const [, style = ''] = /<style>(.*?)<\/style>/s.exec(picture.text) ?? [];
      const hash = createHash('sha256').update(style).digest('base64');
      expect(picture.headers.get('content-security-policy')).toBe(
        `default-src 'none'; style-src 'sha256-${hash}'; frame-ancestors 'none'`,
      );
      expect(picture.text.replace(style, '')).not.toMatch(/<style>.+<\/style>| style=|<script/);
    }
    expect((await client.get(`${paths.burndown}?format=svg`)).text).toContain(
      'Now &lt;&amp;&gt; &quot;then&quot;',
    );
    const json = await client.get(paths.burndown);
    expect(json.headers.get('content-security-policy')).not.toContain('style-src');
  });

  it('include PNG of the requested width, theme and kind', async () => {
    for (const path of [paths.burndown, paths.velocity, paths.forecast]) {
      const picture = await client.get(path, { headers: { accept: 'image/png' } });
      expect(picture.headers.get('content-type')).toBe('image/png');
      expect(picture.headers.get('vary')).toBe('Accept');
      const images = [];
      for (const query of ['', '&theme=auto', '&theme=dark', '&width=360']) {
        const { bytes } = await client.get(`${path}?format=png${query}`);
        expect(bytes.subarray(0, 8)).toEqual(Buffer.from('89504e470d0a1a0a', 'hex'));
        expect(bytes.readUInt32BE(16)).toBe(query === '&width=360' ? 720 : 1440);
        images.push(bytes.toString('base64'));
      }
      expect(images[1]).toBe(images[0]);
      expect(new Set(images).size).toBe(3);
      const titles = await client.get(`${path}?format=svg&width=1600&theme=light`);
      expect(titles.text).toContain(`<title>${team.name}, `);
      expect(titles.text).toContain('width="1600"');
      expect(titles.text).not.toContain('<style>');
    }
    const up = await client.get(`${paths.burndown}?format=svg&kind=burnup`);
    expect(up.text).toContain('burn-up');
    const down = await client.get(`${paths.burndown}?format=svg&kind=burndown`);
    expect(down.text).not.toContain('burn-up');
    expect(down.text).toBe((await client.get(`${paths.burndown}?format=svg`)).text);
  });

  it('include pictures of sprints that begin in the last days of the year 9999', async () => {
    const own = await board();
    for (const start of ['9999-12-18', '9999-12-25', '9999-12-31']) {
      const sprint = await own.sprint(start);
      await own.story(sprint, { points: 3 });
      for (const width of [360, 1600]) {
        const path = `/api/sprints/${sprint.id}/burndown?format=svg&width=${width}`;
        const picture = await client.get(path);
        expect([start, width, picture.status]).toEqual([start, width, 200]);
        expect(picture.text).not.toContain('NaN');
      }
    }
  });

  it('include pictures that shade the non-working days of the board', async () => {
    const own = await board();
    const open = await own.sprint('2026-02-23', { end_date: '2026-03-08' });
    await own.story(open, { points: 3 });
    const picture = async (): Promise<string> =>
      (await client.get(`/api/sprints/${open.id}/burndown?format=svg`)).text;
    expect(await picture()).toContain('>Not a working day<');
    const working_days = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'];
    await made2xx(client.patch(own.path, { working_days }));
    expect(await picture()).not.toContain('>Not a working day<');
  });

  it('name the board in pictures as it is named, however a path writes it', async () => {
    const path = `/api/boards/${encodeURIComponent(` ${team.name} `)}`;
    for (const report of ['velocity', 'forecast']) {
      const picture = await client.get(`${path}/${report}?format=svg`);
      expect(picture.text).toBe((await client.get(`${team.path}/${report}?format=svg`)).text);
    }
  });

  it('reject a width, a theme or a kind that does not exist', async () => {
    for (const query of ['width=359', 'width=1601', 'width=a', 'theme=blue', 'kind=pie']) {
      const rejected = await client.get(`${paths.burndown}?format=png&${query}`);
      expect([rejected.status, rejected.body.errors[0].parameter]).toEqual([
        400,
        query.split('=')[0],
      ]);
    }
  });

  it('are chosen by `?format=` before `Accept`', async () => {
    for (const [path, formats] of [
      [paths.report, ['json', 'csv']],
      [paths.burndown, ['json', 'csv', 'svg', 'png']],
      [paths.velocity, ['json', 'csv', 'svg', 'png']],
      [paths.forecast, ['json', 'csv', 'svg', 'png']],
    ] as const) {
      for (const format of formats) {
        const accept = format === 'csv' ? 'application/json' : 'text/csv';
        const asked = await client.get(`${path}?format=${format}`, { headers: { accept } });
        expect(asked.headers.get('content-type')).toContain(format);
        const named = await client.get(`${path}?format=${format}`, {
          headers: { accept: 'text/html' },
        });
        expect(named.text).toBe(asked.text);
      }
    }
  });

  it('that do not exist are rejected with 406 in `Accept` and 400 in `?format=`', async () => {
    for (const [path, accept] of [
      [paths.report, 'image/svg+xml'],
      [paths.burndown, 'text/html'],
      [paths.velocity, 'text/csv;q=0, application/pdf'],
      [paths.report, 'image/png'],
      [paths.forecast, 'image/gif'],
    ] as const) {
      const rejected = await client.get(path, { headers: { accept } });
      expect([rejected.status, rejected.body.code]).toEqual([406, 'not_acceptable']);
      expect(rejected.headers.get('vary')).toBe('Accept');
    }
    for (const query of ['format=svg', 'format=', 'format=JSON', 'format=csv&format=json']) {
      const rejected = await client.get(`${paths.report}?${query}`);
      expect([rejected.status, rejected.body.errors[0].parameter]).toEqual([400, 'format']);
    }
  });

  it('each have an entity tag, and are answered with 304 for it', async () => {
    for (const path of Object.values(paths)) {
      const tags = new Set<string>();
      for (const format of ['json', 'csv', 'svg', 'png']) {
        const answer = await client.get(`${path}?format=${format}`);
        if (answer.status !== 200) continue;
        const tag = answer.headers.get('etag') ?? '';
        const [, strong = ''] = /^(?:W\/)?("[\w-]{27}")$/.exec(tag) ?? [];
        // The report of an open sprint contains the time of the response.
        expect(tag === strong).toBe(path !== paths.report || format !== 'json');
        tags.add(tag);
        const again = await client.get(`${path}?format=${format}`, {
          headers: { 'if-none-match': `"other", W/${strong}` },
        });
        expect([again.status, again.text]).toEqual([304, '']);
        expect(again.headers.get('etag')).toBe(tag);
        expect(again.headers.get('vary')).toBe('Accept');
        const head = await client.call('HEAD', `${path}?format=${format}`);
        expect([head.status, head.text]).toEqual([200, '']);
        for (const name of ['etag', 'content-type', 'content-length', 'vary']) {
          expect([name, head.headers.get(name)]).toEqual([name, answer.headers.get(name)]);
        }
      }
      expect(tags.size).toBeGreaterThan(1);
    }
    const { headers } = await client.get(`${paths.burndown}?format=svg`);
    await team.story(sprint, { points: 1 });
    const other = await client.get(`${paths.burndown}?format=svg`, {
      headers: { 'if-none-match': headers.get('etag') ?? '' },
    });
    expect(other.status).toBe(200);
  });

  it('keep their entity tag while nothing changes, though time passes', async () => {
    const own = await board();
    const open = await own.sprint('2026-02-23', { end_date: '2026-03-08' });
    const path = `/api/sprints/${open.id}/report`;
    const { headers } = await client.get(path);
    const again = async (tag = headers.get('etag')): Promise<number> =>
      (await client.get(path, { headers: { 'if-none-match': tag ?? '' } })).status;
    at('2026-03-01T12:00:01.000Z');
    expect(await again()).toBe(304);
    const story = await own.story(open, { points: 1 });
    expect(await again()).toBe(200);
    await made2xx(client.delete(`/api/stories/${story.id}`));
    const later = (await client.get(path)).headers.get('etag');
    at('2026-03-09T12:00:00.000Z');
    // Its state is `ended` now.
    expect(await again(later)).toBe(200);
    await complete(open);
    expect((await client.get(path)).headers.get('etag')).toMatch(/^"/);
  });

  it('keep their entity tag on the first day, while the commitment is not fixed', async () => {
    const own = await board();
    const open = await own.sprint('2026-02-23', { end_date: '2026-03-08' });
    await own.story(open, { points: 1 });
    const path = `/api/sprints/${open.id}/report`;
    at('2026-03-01T12:00:02.000Z');
    const { headers, body } = await client.get(path);
    expect(body.committed_at).toBe(body.as_of);
    const again = async (): Promise<number> =>
      (await client.get(path, { headers: { 'if-none-match': headers.get('etag') ?? '' } })).status;
    at('2026-03-01T12:00:03.000Z');
    expect(await again()).toBe(304);
    at('2026-03-02T00:00:00.000Z');
    expect(await again()).toBe(200);
  });

  it('are streamed for a sprint of decades, with an entity tag', async () => {
    const long = await (await board()).sprint('1990-01-01');
    const path = `/api/sprints/${long.id}/burndown`;
    const answer = await client.get(`${path}?format=csv`);
    expect(answer.headers.get('content-length')).toBeNull();
    const lines = answer.text.trimEnd().split('\r\n');
    expect(lines).toHaveLength(13_210);
    expect([lines[1], lines.at(-1)]).toEqual([
      '1990-01-01,true,0,0,0,,0,0,0',
      '2026-03-01,false,0,0,0,,0,0,0',
    ]);
    const tag = answer.headers.get('etag') ?? '';
    const again = (format: string): Promise<Answer> =>
      client.get(`${path}?format=${format}`, { headers: { 'if-none-match': tag } });
    expect((await again('csv')).status).toBe(304);
    const json = await again('json');
    expect(json.body).toMatchObject({ committed_points: 0, committed_count: 0 });
    expect(json.body.days).toHaveLength(lines.length - 1);
    expect(json.body.days.slice(498, 502).map((day: any) => day.date)).toEqual([
      ...['1991-05-14', '1991-05-15', '1991-05-16', '1991-05-17'],
    ]);
    at('2026-03-02T12:00:00.000Z');
    expect((await again('csv')).text.trimEnd().split('\r\n')).toHaveLength(lines.length + 1);
    expect((await client.get(`${path}?format=svg`)).text.length).toBeLessThan(200_000);
  });

  it('have another entity tag after the working days changed, even if they are streamed', async () => {
    const own = await board();
    const long = await own.sprint('1990-01-01');
    const path = `/api/sprints/${long.id}/burndown?format=csv`;
    const { headers } = await client.get(path);
    // The first day of the sprint is a Monday, and today is a Sunday.
    await made2xx(client.patch(own.path, { working_days: ['mon', 'tue', 'wed', 'thu'] }));
    const again = await client.get(path, {
      headers: { 'if-none-match': headers.get('etag') ?? '' },
    });
    expect(again.status).toBe(200);
    expect(again.text).toContain('\r\n1990-01-05,false,');
  });

  it('are not computed for HEAD if they are streamed', async () => {
    const long = await (await board()).sprint('1990-01-01');
    const path = `/api/sprints/${long.id}/burndown`;
    const pauses = jest.spyOn(TimeSlice.prototype, 'pause');
    const head = await client.call('HEAD', path);
    // Meanwhile the response to HEAD would be computed to its end.
    const { headers } = await client.get(path);
    const count = pauses.mock.calls.length;
    pauses.mockRestore();
    // One for each of the 27 chunks of one response.
    expect(count).toBeLessThan(40);
    expect([head.status, head.headers.get('etag')]).toEqual([200, headers.get('etag')]);
  });

  it.each(['json', 'csv'])(
    'let other requests run between the days of a burndown, as %s',
    async (format) => {
      const long = await (await board()).sprint('1000-01-01');
      const path = `/api/sprints/${long.id}/burndown?format=${format}`;
      // In a separate thread, because a reader in this one would alternate with the service.
      const reader = new Worker(READER, {
        eval: true,
        workerData: [new URL(service.url).port, path],
      });
      let last = performance.now();
      let longest = 0;
      let timer = setImmediate(function turn() {
        const now = performance.now();
        longest = Math.max(longest, now - last);
        last = now;
        timer = setImmediate(turn);
      });
      const [{ bytes, ms }] = (await once(reader, 'message')) as [{ bytes: number; ms: number }];
      clearImmediate(timer);
      expect(bytes).toBeGreaterThan(10_000_000);
      expect(longest).toBeLessThan(ms / 4);
    },
  );
});

/** Reads the response to a path as fast as it arrives. */
const READER = `
  const { connect } = require('node:net');
  const { parentPort, workerData: [port, path] } = require('node:worker_threads');
  const begin = performance.now();
  let bytes = 0;
  const socket = connect(port, '127.0.0.1');
  socket.write('GET ' + path + ' HTTP/1.1\\r\\nHost: localhost\\r\\nConnection: close\\r\\n\\r\\n');
  socket.on('data', (data) => (bytes += data.length));
  socket.on('end', () => parentPort.postMessage({ bytes, ms: performance.now() - begin }));
`;

/** Creates a board with `count` sprints: sprint n completes n stories of 2 points and carries over one. */
async function history(count: number, days = 7): Promise<Workspace> {
  const team = await board();
  for (let i = 1; i <= count; i += 1) {
    const start = Date.parse('2026-01-01') + (i - 1) * days * 86_400_000;
    const date = (offset: number): string =>
      new Date(start + offset * 86_400_000).toISOString().slice(0, 10);
    at(`${date(0)}T08:00:00.000Z`);
    const sprint = await team.sprint(date(0), { end_date: date(days - 1), name: `Sprint ${i}` });
    for (let n = 0; n < i; n += 1) await team.story(sprint, { points: 2, status: 'done' });
    await team.story(sprint, { points: 0.5 });
    at(`${date(days - 1)}T18:00:00.000Z`);
    await complete(sprint);
  }
  return team;
}

describe('velocity', () => {
  it('has the last completed sprints, oldest first, with average and median', async () => {
    const team = await history(4);
    await team.sprint('2025-12-01');
    const { body } = await client.get(`${team.path}/velocity`);
    expect(body).toMatchObject({
      average_points: 5,
      median_points: 5,
      average_count: 2.5,
      median_count: 2.5,
    });
    expect(body.sprints.map((sprint: any) => sprint.name)).toEqual([
      ...['Sprint 1', 'Sprint 2', 'Sprint 3', 'Sprint 4'],
    ]);
    expect(body.sprints[1]).toEqual({
      id: body.sprints[1].id,
      name: 'Sprint 2',
      start_date: '2026-01-08',
      end_date: '2026-01-14',
      completed_at: '2026-01-14T18:00:00.000Z',
      committed_points: 4.5,
      completed_points: 4,
      unfinished_points: 0.5,
      committed_count: 3,
      completed_count: 2,
      unfinished_count: 1,
    });
    const last = await client.get(`${team.path}/velocity?last=2`);
    expect(last.body).toMatchObject({ sprints: body.sprints.slice(2), average_points: 7 });
    for (const query of ['last=0', 'last=101', 'last=x', 'first=1']) {
      expect((await client.get(`${team.path}/velocity?${query}`)).status).toBe(400);
    }
    const missing = await client.get('/api/boards/unknown/velocity');
    expect([missing.status, missing.body.code]).toEqual([404, 'board_not_found']);
  });

  it('has the last ten sprints by default', async () => {
    const { body } = await client.get(`${(await history(11)).path}/velocity`);
    expect(body.sprints.map((sprint: any) => sprint.name)).toEqual(
      Array.from({ length: 10 }, (_, i) => `Sprint ${i + 2}`),
    );
  });

  it('of no sprint is null', async () => {
    const { body } = await client.get(`${(await board()).path}/velocity`);
    expect(body).toEqual({
      sprints: [],
      average_points: null,
      median_points: null,
      average_count: null,
      median_count: null,
    });
  });

  it('is drawn with the day of completion in the time zone of the board, of a sprint without an end date', async () => {
    at('2026-03-15T11:00:00.000Z');
    const team = await board('Pacific/Auckland');
    const sprint = await team.sprint('2026-03-16', { name: 'Open' });
    // In Auckland it is 08:00 on March 17.
    at('2026-03-16T19:00:00.000Z');
    await complete(sprint);
    const { text } = await client.get(`${team.path}/velocity?format=svg`);
    expect(text).toContain('velocity, Mar 16 – 17, 2026:');
    expect(text).toContain('>Mar 16 – 17<');
  });

  it('leaves out a reopened sprint until it is completed again', async () => {
    const team = await history(2);
    const velocity = async (): Promise<any> => (await client.get(`${team.path}/velocity`)).body;
    const [first, second] = (await velocity()).sprints;
    await made2xx(client.post(`/api/sprints/${second.id}/reopen`));
    expect((await velocity()).sprints).toEqual([first]);
    await team.story(second, { points: 3, status: 'done' });
    await complete(second);
    expect((await velocity()).sprints[1]).toMatchObject({
      id: second.id,
      completed_points: 7,
      unfinished_points: 0,
    });
    await made2xx(client.put(`/api/sprints/${second.id}`, { name: 'Renamed' }));
    await made2xx(client.put(team.path, { time_zone: 'Pacific/Kiritimati' }));
    expect((await velocity()).sprints[1]).toMatchObject({ name: 'Renamed', completed_points: 7 });
  });
});

describe('velocity after the database has failed', () => {
  it('has the totals of the sprint', async () => {
    const team = await history(1);
    const velocity = (): Promise<Answer> => client.get(`${team.path}/velocity`);
    const stop = onStatement({
      before: ({ sql }) => {
        if (sql.includes('FROM events')) throw new DatabaseTimeout('away');
      },
    });
    const failed = await velocity().finally(stop);
    expect([failed.status, failed.body.code]).toEqual([503, 'database_unavailable']);
    expect((await velocity()).body.sprints).toHaveLength(1);
  });
});

describe('velocity after a restored backup', () => {
  it('has the totals of the restored sprint, even if its version repeats', async () => {
    const team = await board();
    const sprint = await team.sprint('2026-02-23');
    const story = await team.story(sprint, { points: 2, status: 'done' });
    const { id: boardId, revision } = await made2xx(client.get(team.path));
    const velocity = async (): Promise<any> => made2xx(client.get(`${team.path}/velocity`));
    await complete(sprint);
    expect((await velocity()).average_points).toBe(2);
    await service.app.get(UnitOfWork).maintain(async (manager) => {
      await manager.query('DELETE FROM events WHERE board_id = ? AND revision > ?', [
        boardId,
        revision,
      ]);
      await manager.query('UPDATE boards SET revision = ? WHERE id = ?', [revision, boardId]);
      await manager.query('UPDATE sprints SET completed_at = NULL, version = ? WHERE id = ?', [
        sprint.version,
        sprint.id,
      ]);
    });
    at('2026-03-01T13:00:00.000Z');
    await update(story, { points: 5 });
    await complete(sprint);
    expect((await velocity()).average_points).toBe(5);
  });
});

describe('a forecast', () => {
  it('draws from the completed sprints, and is the same for the same seed', async () => {
    const team = await history(5);
    at('2026-02-10T12:00:00.000Z');
    for (let i = 0; i < 4; i += 1) await team.story(null, { points: 10 });
    await team.story(null, { points: 50, status: 'done' });
    const path = `${team.path}/forecast`;
    const { body } = await client.get(path);
    expect(body).toMatchObject({
      seed: 1,
      trials: 10_000,
      history: { sprints: 5 },
      backlog: { count: 9, points: 42.5 },
      asked: { stories: null, points: null, sprint_days: 7, from: '2026-02-10' },
      next_sprint: [
        { percent: 50, points: 6, count: 3 },
        { percent: 85, points: 2, count: 1 },
        { percent: 95, points: 2, count: 1 },
      ],
    });
    for (const [i, { sprints, date }] of body.when.entries()) {
      // Each sprint completes 2 to 10 points; the sprints begin today and last a week each.
      expect(sprints).toBeGreaterThanOrEqual(i === 0 ? 5 : body.when[i - 1].sprints);
      expect(sprints).toBeLessThanOrEqual(22);
      const days = (Date.parse(date) - Date.parse('2026-02-10')) / 86_400_000;
      expect(days).toBe(7 * sprints);
    }
    expect((await client.get(path)).text).toBe(`${JSON.stringify(body)}\n`);
    expect((await client.get(`${path}?seed=1&trials=10000`)).text).toBe(
      `${JSON.stringify(body)}\n`,
    );
    const other = await client.get(`${path}?seed=-2&trials=10`);
    expect(other.body).toMatchObject({ seed: -2, trials: 10, next_sprint: body.next_sprint });
  });

  it('draws from no more than the last ten sprints', async () => {
    const team = await history(11);
    const { body } = await client.get(`${team.path}/forecast`);
    expect(body.history).toEqual({ sprints: 10 });
    // Nine of the ten sprints completed at least three stories, all of them at least two.
    expect(body.next_sprint.map(({ count }: any) => count)).toEqual([7, 3, 2]);
  });

  it('is for the backlog, or for named stories or points, from the end of the active sprint', async () => {
    const team = await board();
    at('2026-01-01T12:00:00.000Z');
    for (const [i, days] of [10, 14, 30].entries()) {
      const end_date = new Date(Date.parse('2026-01-01') + (days - 1) * 86_400_000).toISOString();
      const sprint = await team.sprint('2026-01-01', { end_date, name: `${i}` });
      await team.story(sprint, { points: 4, status: 'done' });
      await team.story(sprint, { points: 1, status: 'done' });
      await complete(sprint);
    }
    const when = async (query = ''): Promise<any> =>
      (await client.get(`${team.path}/forecast${query}`)).body.when[1];
    expect(await when()).toEqual({ percent: 85, sprints: 0, date: '2026-01-01' });
    await team.story(null, { points: 11 });
    expect(await when()).toEqual({ percent: 85, sprints: 3, date: '2026-02-12' });
    // Not all stories are estimated, so stories are counted.
    const unestimated = await team.story(null);
    expect(await when()).toEqual({ percent: 85, sprints: 1, date: '2026-01-15' });
    expect(await when('?points=10.01')).toMatchObject({ sprints: 3 });
    expect(await when('?points=10')).toMatchObject({ sprints: 2 });
    expect(await when('?stories=5')).toMatchObject({ sprints: 3 });
    expect(await when('?stories=1&sprint_days=3')).toMatchObject({ date: '2026-01-04' });
    expect(await when('?stories=2001')).toEqual({ percent: 85, sprints: null, date: null });
    await update(unestimated, { points: 0 });
    const active = await team.sprint('2026-01-01', { end_date: '2026-01-05' });
    // The active sprint ends on the 5th, so the next ones begin on the 6th.
    expect(await when()).toEqual({ percent: 85, sprints: 3, date: '2026-02-17' });
    await made2xx(client.put(`/api/sprints/${active.id}`, { end_date: null }));
    expect(await when()).toMatchObject({ date: '2026-02-12' });
    // A sprint that has ended delays nothing: the next ones begin today.
    await made2xx(client.put(`/api/sprints/${active.id}`, { end_date: '2026-01-02' }));
    at('2026-01-04T12:00:00.000Z');
    expect(await when()).toMatchObject({ date: '2026-02-15' });
  });

  it('has no date if the active sprint ends on the last one', async () => {
    const team = await history(3);
    await team.sprint('2026-01-22', { end_date: '9999-12-31' });
    at('2026-02-01T12:00:00.000Z');
    const { body } = await client.get(`${team.path}/forecast?stories=1`);
    expect(body.asked.from).toBe('9999-12-31');
    expect(body.when[0]).toEqual({ percent: 50, sprints: 1, date: null });
    const picture = await client.get(`${team.path}/forecast?stories=1&format=svg`);
    expect(picture.text).toContain('Done in 1 sprint, 85 % sure');
  });

  it('schedules sprints from start to start, with the weekends between them, and shows its assumptions', async () => {
    const team = await board('Europe/Berlin');
    // Twelve days each: Monday to Friday of the next week.
    for (const start of ['2026-01-05', '2026-01-19', '2026-02-02']) {
      at(`${start}T09:00:00.000Z`);
      const end_date = new Date(Date.parse(start) + 11 * 86_400_000).toISOString().slice(0, 10);
      const sprint = await team.sprint(start, { end_date });
      await team.story(sprint, { points: 4, status: 'done' });
      at(`${end_date}T16:00:00.000Z`);
      await complete(sprint);
    }
    at('2026-02-16T09:00:00.000Z');
    await team.sprint('2026-02-16', { end_date: '2026-02-27' });
    const asked = async (query: string): Promise<any[]> => {
      const { body } = await client.get(`${team.path}/forecast${query}`);
      return [body.asked, body.when[2].sprints, body.when[2].date];
    };
    const assumed = { stories: null, points: null, sprint_days: 14, from: '2026-02-28' };
    expect(await asked('')).toEqual([assumed, 0, '2026-02-28']);
    expect(await asked('?points=12')).toEqual([{ ...assumed, points: 12 }, 3, '2026-04-11']);
    expect(await asked('?stories=2')).toEqual([{ ...assumed, stories: 2 }, 2, '2026-03-28']);
    expect(await asked('?stories=2&sprint_days=12')).toEqual([
      ...[{ ...assumed, stories: 2, sprint_days: 12 }, 2, '2026-03-24'],
    ]);
  });

  it('counts the days of a sprint in the time zone of its completion', async () => {
    const team = await board();
    at('2026-01-10T12:00:00.000Z');
    for (let i = 0; i < 3; i += 1) {
      const sprint = await team.sprint('2026-01-01');
      await team.story(sprint, { status: 'done' });
      await complete(sprint);
    }
    // In that zone it was the 11th already.
    await made2xx(client.put(team.path, { time_zone: 'Pacific/Kiritimati' }));
    const { body } = await client.get(`${team.path}/forecast?stories=1`);
    expect(body.when[0]).toEqual({ percent: 50, sprints: 1, date: '2026-01-21' });
  });

  it('is rejected if it waits too long for another one', async () => {
    const team = await history(10);
    const forecast = (seed: number): Promise<Answer> =>
      client.get(`${team.path}/forecast?stories=500&seed=${seed}`);
    // Reads the totals of the sprints, which may pause, too.
    await forecast(1);
    let end = (): void => undefined;
    const pausing = new Promise<void>((resolve) => (end = resolve));
    const isOver = jest.spyOn(TimeSlice.prototype, 'isOver', 'get').mockReturnValue(true);
    const pause = jest.spyOn(TimeSlice.prototype, 'pause').mockReturnValue(pausing);
    try {
      // Either may begin first; it cannot end.
      const answers = [forecast(2), forecast(3)];
      const { status, body } = await Promise.race(answers);
      expect([status, body.code]).toEqual([503, 'overloaded']);
      end();
      const all = await Promise.all(answers);
      expect(all.map((answer) => answer.status).sort()).toEqual([200, 503]);
    } finally {
      end();
      pause.mockRestore();
      isOver.mockRestore();
    }
  });

  it('is rejected with fewer than three completed sprints and for invalid parameters', async () => {
    const team = await history(2);
    const path = `${team.path}/forecast`;
    const rejected = await client.get(path);
    expect([rejected.status, rejected.body.code]).toEqual([409, 'not_enough_history']);
    for (const query of ['seed=1.5', 'seed=2147483648', 'trials=0', 'trials=10001', 'stories=0']) {
      expect((await client.get(`${path}?${query}`)).status).toBe(400);
    }
    for (const query of ['points=-1', 'points=0.001', 'sprint_days=0', 'days=1']) {
      expect((await client.get(`${path}?${query}`)).status).toBe(400);
    }
    const both = await client.get(`${path}?stories=1&points=1`);
    expect([both.status, both.body.errors.map((error: any) => error.parameter)]).toEqual([
      400,
      ['stories', 'points'],
    ]);
    const missing = await client.get('/api/boards/unknown/forecast?stories=1&points=1');
    expect(missing.body.code).toBe('board_not_found');
  });
});

describe('a report', () => {
  it('reads the log by an index only', async () => {
    const team = await board();
    const sprint = await team.sprint('2026-03-01');
    const { id: boardId } = (await client.get(team.path)).body;
    await insertEvents(boardId as number, sprint.id as number);
    const statements: Statement[] = [];
    const stop = onStatement({ before: (statement) => void statements.push(statement) });
    const { unfinished, completed } = await report(sprint);
    stop();
    expect(unfinished.count + completed.count).toBe(500);
    const explain =
      service.database.engine === 'sqlite' ? 'EXPLAIN QUERY PLAN' : 'EXPLAIN FORMAT=TRADITIONAL';
    const plan: string[] = [];
    for (const { sql, parameters } of statements.filter(({ sql }) => /FROM events/.test(sql))) {
      const rows = await service.app.get(Database).query<any>(`${explain} ${sql}`, parameters);
      plan.push(...rows.map((row) => row.detail ?? `${row.table} ${row.key}`));
    }
    const uses = (index: string): number => plan.filter((line) => line.includes(index)).length;
    expect(uses('ix_events_sprint')).toBe(1);
    // The events of the board, of the sprint, and of its 500 stories, 40 at a time.
    expect(uses('ix_events_entity')).toBe(15);
    expect(plan.filter((line) => /^SCAN |^(e|events) null/.test(line))).toEqual([]);
  });

  it('that continues an earlier replay equals one that reads the whole log', async () => {
    const team = await board();
    const sprint = await team.sprint('2026-03-02', { end_date: '2026-03-20' });
    const inIt = (points: number): Promise<any> => team.story(sprint, { points });
    const [kept, taken, done, gone] = [await inIt(1), await inIt(2), await inIt(3), await inIt(5)];
    const late = await team.story(null, { points: 8, title: 'Late' });
    await update(late, { points: 13 });
    at('2026-03-02T09:00:00.000Z');
    await start(sprint);
    const reports = service.app.get(ReportsService);
    const earlier = await reports.replayed({ key: 'test' }, sprint.id as number);
    const replayReport = (replayed?: ReplayedSprint): Promise<any> =>
      service.app
        .get(Database)
        .snapshot({ key: 'test' }, (reader) =>
          reports.reportOf(reader, sprint.id as number, service.clock.now(), replayed),
        );

    at('2026-03-03T09:00:00.000Z');
    await update(late, { sprint_id: sprint.id });
    await update(kept, { points: 21, title: 'Larger' });
    await update(taken, { sprint_id: null });
    await update(done, { status: 'done' });
    await inIt(0.5);
    await remove(gone);
    await made2xx(client.put(team.path, { time_zone: 'Asia/Tokyo', working_days: ['mon'] }));
    await complete(sprint);
    await made2xx(client.post(`/api/sprints/${sprint.id}/reopen`));
    await update(taken, { sprint_id: sprint.id });
    await made2xx(client.put(`/api/sprints/${sprint.id}`, { end_date: '2026-03-25' }));
    at('2026-03-04T09:00:00.000Z');
    await complete(sprint);
    const whole = await replayReport();
    expect(whole).toMatchObject({ committed: { count: 4 }, added: { count: 2 } });
    expect(JSON.stringify(await replayReport(earlier))).toBe(JSON.stringify(whole));
  });

  it('of a completion whose transaction is retried equals the report that is read afterwards', async () => {
    const team = await board();
    const sprint = await team.sprint('2026-03-01', { end_date: '2026-03-20' });
    const inIt = (points: number): Promise<any> => team.story(sprint, { points });
    const [first] = [await inIt(1), await inIt(2), await inIt(3)];
    const caller: Caller = { actor: 'ben', tokenId: 0, scope: 'write', clientKey: 'ben' };
    let isWritten = false;
    let attempts = 0;
    let other: Promise<unknown> | undefined;
    const stop = onStatement({
      before: ({ sql }) => {
        if (sql.startsWith('UPDATE boards SET revision')) isWritten = true;
        if (sql === 'COMMIT' && isWritten && ++attempts === 1) throw new Restart('a rollback');
      },
      after: ({ sql }) => {
        // Its event gets a revision that an event of the first attempt had.
        if (sql === 'ROLLBACK' && attempts === 1) {
          other = service.app.get(StoriesService).update(caller, first.id as number, { points: 8 });
        }
      },
    });
    const completion = await complete(sprint).finally(stop);
    await other;
    expect(attempts).toBeGreaterThan(1);
    expect(completion.unfinished.count).toBe(3);
    expect(completion).toEqual(await report(sprint));
  });

  /** Inserts 500 stories and 5,000 events of a sprint, and as many events of other stories. */
  const insertEvents = (boardId: number, sprintId: number): Promise<void> =>
    insertRows(service, 'events', 10_000, (i) => {
      const sprint_id = i % 2 === 0 ? sprintId : null;
      const version = 1 + Math.floor(i / 1000);
      const isFirst = version === 1;
      const after = isFirst ? { title: 'A story', sprint_id, points: i % 8 } : { points: i % 5 };
      return {
        board_id: boardId,
        revision: 100 + i,
        type: isFirst ? 'story.created' : 'story.updated',
        at: '2026-03-01 12:00:00.000',
        actor: 'ada',
        entity: 'story',
        entity_id: 1_000_000 + (i % 1000),
        entity_version: version,
        sprint_id,
        before: isFirst ? null : '{}',
        after: JSON.stringify(after),
      };
    });
});
