import { readFileSync } from 'node:fs';
import { useApp } from '../support/app';
import { afterwards } from '../support/faults';
import { published, withPublished } from '../support/published';
import { made2xx } from '../support/make';
import { expectProblem } from '../support/problems';
import type { UploadOptions } from '../support/upload';
import { importTwice, upload } from '../support/upload';

const service = useApp();

async function of(path: string): Promise<any> {
  const { status, body } = await service.client.get(path);
  expect(status).toBe(200);
  return body;
}

const load = (
  board: string,
  file: string | Buffer,
  options?: Omit<UploadOptions, 'type'>,
): Promise<any> => made2xx(upload(service.client, board, file, options));

type Fields = Record<string, any>;

const NOTHING = { sprints: 0, stories: 0, tasks: 0 };

/** Counts stories, points and tasks by sprint, and stories by status. */
async function sums(board: string) {
  const sprints: any[] = await of(`/api/boards/${board}/sprints`);
  const stories: any[] = await of(`/api/boards/${board}/stories`);
  const tasks: any[] = [];
  for (const { id } of stories) tasks.push(...(await of(`/api/stories/${id}/tasks`)));
  const inSprint = (id: number | null) => stories.filter((story) => story.sprint_id === id);
  const count = (rows: any[]) => {
    const found: Record<string, number> = {};
    for (const { status } of rows) found[status] = (found[status] ?? 0) + 1;
    return found;
  };
  return {
    sprints: sprints.map(({ id, name, start_date, end_date, state }) => [
      ...[name, start_date, end_date, state],
      ...[inSprint(id).length, inSprint(id).reduce((sum, { points }) => sum + points, 0)],
    ]),
    backlog: inSprint(null).length,
    stories: count(stories),
    tasks: count(tasks),
  };
}

const SPRINT = {
  id: 7,
  name: 'Sprint 7',
  state: 'closed',
  startDate: '2026-01-05T09:00:00.000Z',
  endDate: '2026-01-16T17:00:00.000Z',
  completeDate: '2026-01-16T16:30:00.000Z',
};
const NEXT = { ...SPRINT, id: 8, name: 'Sprint 8', state: 'active', completeDate: null };
const issue = (key: string, fields: object) => ({
  key,
  fields: {
    summary: `Issue ${key}`,
    issuetype: { subtask: false, hierarchyLevel: 0 },
    status: { name: 'Open', statusCategory: { key: 'new' } },
    ...fields,
  },
});
const done = (resolutiondate: string) => ({
  status: { name: 'Shipped', statusCategory: { key: 'done' } },
  resolutiondate,
});

describe('an import of a Jira search', () => {
  const search = JSON.stringify({
    names: { customfield_1: 'Story Points' },
    issues: [
      issue('A-1', {
        ...done('2026-01-13T10:00:00.000Z'),
        sprint: null,
        closedSprints: [SPRINT],
        customfield_1: 5,
      }),
      issue('A-2', { closedSprints: [SPRINT], sprint: NEXT, customfield_1: 3 }),
      issue('A-3', { issuetype: { subtask: true }, parent: { key: 'A-2' } }),
      issue('A-4', { customfield_1: 8 }),
    ],
  });

  it('has a report and a velocity of the completed sprint at once', async () => {
    const answer = await importTwice(service, 'Search', search, {
      at: '2026-01-20T09:30:00.000Z',
    });
    expect(answer).toMatchObject({
      format: 'jira-json',
      created: { sprints: 2, stories: 3, tasks: 1 },
      unmapped: { statuses: [] },
    });
    const [first] = await of('/api/boards/Search/sprints');
    expect(first).toMatchObject({
      state: 'completed',
      completed_at: '2026-01-16T16:30:00.000Z',
      external_id: 'jira:sprint:7',
    });
    expect(await of(`/api/sprints/${first.id}/report`)).toMatchObject({
      commitment_rule: 'imported',
      committed: { count: 2, points: 8 },
      completed: { count: 1, points: 5 },
      unfinished: { count: 1, points: 3 },
    });
    const { days } = await of(`/api/sprints/${first.id}/burndown`);
    expect(days.map((day: any) => day.remaining_points)).toEqual([
      ...[8, 8, 8, 8, 8, 8, 8, 8],
      ...[3, 3, 3, 3],
    ]);
    expect(await of('/api/boards/Search/velocity')).toMatchObject({ average_points: 5 });
  });

  it('applies the changes since the last import', async () => {
    service.clock.set('2026-01-20T09:30:00.000Z');
    await load('Changed', search);
    const later = JSON.parse(search);
    later.issues[1].fields = {
      ...later.issues[1].fields,
      ...done('2026-01-21T10:00:00.000Z'),
      summary: 'Renamed',
    };
    later.issues[1].fields.sprint = {
      ...NEXT,
      state: 'closed',
      completeDate: '2026-01-30T16:00:00Z',
    };
    service.clock.set('2026-02-02T09:30:00.000Z');
    expect(await load('Changed', JSON.stringify(later))).toMatchObject({
      created: NOTHING,
      updated: { sprints: 1, stories: 1, tasks: 0 },
    });
    const [, story] = await of('/api/boards/Changed/stories?sort=title');
    expect(await of('/api/boards/Changed/stories?external_id=jira:A-2')).toMatchObject([
      { title: 'Renamed', status: 'done', done_at: '2026-01-21T10:00:00.000Z' },
    ]);
    expect(story.title).toBe('Issue A-4');
    expect(await of('/api/boards/Changed/velocity')).toMatchObject({
      sprints: [{ completed_points: 5 }, { completed_points: 3 }],
    });
  });
});

describe('an import of a Jira CSV export', () => {
  it('schedules its sprints once, and keeps fields that the file does not have', async () => {
    const file =
      'Résumé;Clé de ticket;Type de ticket;État;Sprint;Sprint;Résolue\n' +
      'Se connecter;A-1;Story;Terminé(e);Sprint 9;Sprint 10;13/02/2026 14:51\n' +
      'Se déconnecter;A-2;Story;En attente;Sprint 9;;\n';
    const answer = await importTwice(service, 'Laid', file);
    expect(answer).toMatchObject({
      format: 'jira-csv',
      created: { sprints: 2, stories: 2, tasks: 0 },
      unmapped: { statuses: [{ value: 'En attente', count: 1 }] },
    });
    expect(await sums('Laid')).toEqual({
      sprints: [
        ['Sprint 9', '2026-11-23', '2026-12-06', expect.any(String), 1, 0],
        ['Sprint 10', '2026-12-07', '2026-12-20', 'planned', 1, 0],
      ],
      backlog: 0,
      stories: { done: 1, todo: 1 },
      tasks: {},
    });
    const [story] = await of('/api/boards/Laid/stories?external_id=jira:A-1');
    await service.client.put(`/api/stories/${story.id}`, { points: 5, priority: 1 });
    expect(await load('Laid', file)).toMatchObject({ updated: NOTHING });
    expect(await of(`/api/stories/${story.id}`)).toMatchObject({ points: 5, priority: 1 });
  });

  it('keeps the dates of a sprint on the board if the mapping of the response is sent back', async () => {
    const file = 'Summary,Issue key,Sprint\nA,K-1,Sprint 1\nB,K-2,Sprint 2\n';
    const created = await importTwice(service, 'Back', file);
    const assumed = {
      'Sprint 1': { start_date: '2026-11-23', end_date: '2026-12-06' },
      'Sprint 2': { start_date: '2026-12-07', end_date: '2026-12-20' },
    };
    expect(created.mapping.sprints).toEqual(assumed);
    const [first] = await of('/api/boards/Back/sprints');
    const dates = { start_date: '2027-03-01', end_date: '2027-03-14' };
    await made2xx(service.client.put(`/api/sprints/${first.id}`, dates));
    const again = await load('Back', file, { query: '?dry_run=true' });
    expect(again.mapping.sprints).toEqual({});
    const sent = await load('Back', file, { mapping: again.mapping });
    expect(sent).toMatchObject({ updated: NOTHING, unchanged: created.created });
    expect(await of(`/api/sprints/${first.id}`)).toMatchObject(dates);
    // Dates that the user sends are those of the sprint, and stay in the mapping.
    const mapping = { sprints: { 'Sprint 1': assumed['Sprint 1'] } };
    const moved = await load('Back', `${file}C,K-3,Sprint 3\n`, { mapping });
    expect(moved.updated).toMatchObject({ sprints: 1 });
    expect(moved.mapping.sprints).toEqual({ ...mapping.sprints, 'Sprint 3': expect.anything() });
    expect(await of(`/api/sprints/${first.id}`)).toMatchObject(assumed['Sprint 1']);
  });

  it('has no dates of sprints with the same name in its mapping, which could not tell them apart', async () => {
    const future = (id: number) => ({ id, name: id < 3 ? 'Same' : 'Other', state: 'future' });
    const issues = [1, 2, 3].map((id) => issue(`K-${id}`, { customfield_1: [future(id)] }));
    const created = await importTwice(service, 'Twins', JSON.stringify({ issues }));
    expect(created.created).toMatchObject({ sprints: 3 });
    expect(Object.keys(created.mapping.sprints)).toEqual(['Other']);
    const { mapping } = created;
    expect(await load('Twins', JSON.stringify({ issues }), { mapping })).toMatchObject({
      updated: NOTHING,
    });
  });

  it('lists priorities that are not known, until the mapping has them', async () => {
    const file =
      'Summary,Issue key,Status,Priority\n' +
      'One,A-1,Done,Showstopper\nTwo,A-2,Done,Showstopper\nThree,A-3,Done,Low\n';
    const answer = await load('Priorities', file);
    expect(answer).toMatchObject({
      mapping: { priority: { Low: 4 } },
      warnings: [{ code: 'priority_unknown', count: 2 }],
      unmapped: { statuses: [], priorities: [{ value: 'Showstopper', count: 2 }] },
    });
    const mapped = await load('Priorities', file, { mapping: { priority: { showstopper: 0 } } });
    expect(mapped).toMatchObject({ warnings: [], updated: { stories: 2 } });
    expect(mapped.unmapped).toEqual({ statuses: [] });
  });

  it('adds sub-tasks to their stories of an earlier file as tasks', async () => {
    const header = 'Summary,Issue key,Issue Type,Status,Assignee,Parent id,Parent key\n';
    const stories = 'One,A-1,Story,To Do,,,\nTwo,A-2,Story,To Do,,,\n';
    const parts =
      'Part,A-3,Sub-task,Done,Ann,101,A-1\nOther,A-4,Sub-task,To Do,,101,A-1\n' +
      'Third,A-5,Sub-task,To Do,,102,A-2\nLost,A-6,Sub-task,To Do,,109,A-9\n';
    await load('Split', header + stories);
    const dry = await load('Split', header + parts, { query: '?dry_run=true' });
    const answer = await load('Split', header + parts);
    expect(dry).toEqual(answer);
    expect(answer).toMatchObject({ created: { stories: 1, tasks: 3 }, updated: NOTHING });
    expect(answer.warnings).toContainEqual({
      code: 'parent_missing',
      count: 4,
      examples: expect.arrayContaining([
        'line 2: "Part" is a sub-task, but jira:A-1 is not in the file',
      ]),
    });
    const [one] = await of('/api/boards/Split/stories?external_id=jira:A-1');
    const tasks = await of(`/api/stories/${one.id}/tasks`);
    expect(tasks).toMatchObject([
      { external_id: 'jira:A-3', title: 'Part', status: 'done', assignee: 'Ann', seq: 1 },
      { external_id: 'jira:A-4', title: 'Other', status: 'todo', seq: 2 },
    ]);
    for (const file of [header + parts, header + stories + parts]) {
      const again = await load('Split', file);
      expect(again).toMatchObject({ created: NOTHING, updated: NOTHING, skipped: [] });
    }
    const changed = parts.replace('Other,A-4,Sub-task,To Do', 'Other,A-4,Sub-task,Done');
    expect(await load('Split', header + changed)).toMatchObject({ updated: { tasks: 1 } });
  });

  it('keeps the statuses and assignees of tasks if the file does not have them', async () => {
    const keys = 'One,A-1,Story,\nTwo,A-2,Story,\nPart,A-3,Sub-task,A-1\n';
    const names = 'Summary,Issue key,Issue Type,Parent key';
    const all = `${names},Status,Assignee\nOne,A-1,Story,,To Do,\nPart,A-3,Sub-task,A-1,Done,Ann\n`;
    await load('Bare', all);
    const [one] = await of('/api/boards/Bare/stories');
    const part = { external_id: 'jira:A-3', status: 'done', assignee: 'Ann' };
    const [{ done_at }] = await of(`/api/stories/${one.id}/tasks`);
    const again = await load('Bare', `${names}\n${keys}`);
    expect(again).toMatchObject({ updated: NOTHING, unchanged: { tasks: 1 } });
    // Without its story, the file has the sub-task only.
    expect(await load('Bare', `${names}\nPart,A-3,Sub-task,A-1\n`)).toMatchObject({
      updated: NOTHING,
    });
    await load('Bare', `${names}\n${keys.replace('Sub-task,A-1', 'Sub-task,A-2')}`);
    const [two] = await of('/api/boards/Bare/stories?external_id=jira:A-2');
    expect(await of(`/api/stories/${two.id}/tasks`)).toMatchObject([{ ...part, done_at }]);
  });

  it('is rejected if a story of an earlier file would get too many sub-tasks, however many', async () => {
    const header = 'Summary,Issue key,Issue Type,Parent key\n';
    await load('Split far', `${header}One,A-1,Story,\n`);
    const parts = Array.from({ length: 33_000 }, (_, i) => `Part,A-${i + 2},Sub-task,A-1\n`);
    for (const count of [33_000, 1001]) {
      const file = header + parts.slice(0, count).join('');
      expectProblem(await upload(service.client, 'Split far', file), 409, 'too_many_tasks');
    }
    const most = await load('Split far', header + parts.slice(0, 1000).join(''));
    expect(most).toMatchObject({ created: { tasks: 1000 } });
  });

  it('names the entry of JSON that the board cannot take', async () => {
    const last = { title: 'Last', seq: 2 ** 31 - 1 };
    await made2xx(service.client.post('/api/boards/Last%20story/backlog', last));
    const file = JSON.stringify({ issues: [issue('A-1', { summary: 'Next' })] });
    const answer = await upload(service.client, 'Last story', file);
    expectProblem(answer, 400, 'invalid_file');
    expect(answer.body.detail).toMatch(
      /^Some entries cannot be imported\. Entry 1: seq would exceed/,
    );
  });

  it('is rejected if a sub-task would follow a task with the greatest seq', async () => {
    const file = 'Summary,Issue key,Issue Type,Parent key\nOne,A-1,Story,\nPart,A-2,Sub-task,A-1\n';
    await load('Last task', file);
    const [story] = await of('/api/boards/Last%20task/stories');
    const [task] = await of(`/api/stories/${story.id}/tasks`);
    await made2xx(service.client.put(`/api/tasks/${task.id}`, { seq: 2 ** 31 - 1 }));
    const answer = await upload(service.client, 'Last task', `${file}Next,A-3,Sub-task,A-1\n`);
    expectProblem(answer, 400, 'invalid_file');
    expect(answer.body.errors).toMatchObject([{ line: 4, code: 'seq_exhausted' }]);
    expect(await of(`/api/stories/${story.id}/tasks`)).toHaveLength(1);
  });

  it('does not duplicate a sub-task that an earlier import turned into a story', async () => {
    const header = 'Summary,Issue key,Issue Type,Status,Parent key\n';
    const subtask = 'Part,A-2,Sub-task,Done,A-1\n';
    const file = `${header}One,A-1,Story,To Do,\n${subtask}Other part,A-3,Sub-task,To Do,A-1\n`;
    expect(await load('Parts', header + subtask)).toMatchObject({ created: { stories: 1 } });
    const skipped = [
      {
        line: 3,
        code: 'subtask_is_story',
        detail: 'jira:A-2 is a story of the board since an earlier import',
      },
    ];
    expect(await load('Parts', file)).toMatchObject({ created: { stories: 1, tasks: 1 }, skipped });
    expect(await load('Parts', file)).toMatchObject({
      created: NOTHING,
      updated: NOTHING,
      unchanged: { stories: 1, tasks: 1 },
      skipped,
    });
    const stories = await of('/api/boards/Parts/stories');
    expect(stories.map(({ title }: Fields) => title)).toEqual(['Part', 'One']);
    const one = stories.find(({ title }: Fields) => title === 'One');
    expect(await of(`/api/stories/${one?.id}/tasks`)).toMatchObject([{ title: 'Other part' }]);
  });

  it('moves a sub-task to its new story', async () => {
    const header = 'Summary,Issue key,Issue Type,Status,Parent key\n';
    const stories = 'One,A-1,Story,To Do,\nTwo,A-2,Story,To Do,\n';
    const before = 'Part,A-3,Sub-task,Done,A-1\nOther,A-4,Sub-task,To Do,A-2\n';
    const after = before.replace('A-1', 'A-2');
    const tasksOf = async (key: string): Promise<Fields[]> => {
      const [story] = await of(`/api/boards/Moved/stories?external_id=jira:${key}`);
      return (await of(`/api/stories/${story.id}/tasks`)) as Fields[];
    };
    service.clock.set('2026-11-19T10:00:00.000Z');
    afterwards(() => service.clock.set());
    await load('Moved', header + stories + before);
    const [part] = await tasksOf('A-1');
    service.clock.set('2026-11-20T10:00:00.000Z');
    expect(await load('Moved', header + stories + after)).toMatchObject({
      created: NOTHING,
      updated: { stories: 0, tasks: 1 },
      unchanged: { stories: 2, tasks: 1 },
      skipped: [],
    });
    expect(await tasksOf('A-1')).toEqual([]);
    const { status, created_at, done_at } = part!;
    expect(await tasksOf('A-2')).toMatchObject([
      { external_id: 'jira:A-4' },
      { external_id: 'jira:A-3', title: 'Part', seq: 2, status, created_at, done_at },
    ]);
    // Its new story may be only on the board, or new.
    await load('Moved', header + before);
    expect(await tasksOf('A-1')).toMatchObject([{ external_id: 'jira:A-3' }]);
    await load('Moved', `${header}New,A-5,Story,To Do,\n${before.replace('A-1', 'A-5')}`);
    expect(await tasksOf('A-1')).toEqual([]);
    expect(await tasksOf('A-5')).toMatchObject([{ external_id: 'jira:A-3' }]);
    expect(await tasksOf('A-2')).toMatchObject([{ external_id: 'jira:A-4' }]);
    // It is no longer done.
    await load('Moved', header + before.replace('Done', 'To Do'));
    expect(await tasksOf('A-1')).toMatchObject([{ status: 'todo', done_at: null }]);
  });

  it('does not duplicate a task of an earlier import that is a story now', async () => {
    const header = 'Summary,Issue key,Issue Type,Status,Parent key\n';
    const file = `${header}One,A-1,Story,To Do,\nPart,A-2,Sub-task,Done,A-1\n`;
    const skipped = [
      {
        line: 3,
        code: 'subtask_is_task',
        detail: 'jira:A-2 is a task of the board since an earlier import',
      },
    ];
    const converted = file.replace('Sub-task,Done,A-1', 'Story,Done,');
    await load('Tasks', file);
    for (const [text, mapping] of [
      [file, { subtasks: 'stories' }],
      [converted, undefined],
      [`${header}\nPart,A-2,Sub-task,Done,A-9\n`, undefined],
    ] as const) {
      const answer = await load('Tasks', text, { mapping });
      expect(answer).toMatchObject({ created: NOTHING, updated: NOTHING, skipped });
    }
    expect(await of('/api/boards/Tasks/stories')).toHaveLength(1);
    expect(await load('Tasks', file)).toMatchObject({ unchanged: { stories: 1, tasks: 1 } });
  });

  it('requires the order of ambiguous dates, and uses that of the mapping', async () => {
    const file = 'Summary,Issue key,Status,Resolved\nOne,A-1,Done,03/04/2026\n';
    const answer = await upload(service.client, 'Asked', file, { type: 'text/csv' });
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({
      code: 'ambiguous_dates',
      detail: expect.stringContaining('"03/04/2026" is 2026-04-03 or 2026-03-04'),
      errors: [{ line: 2, code: 'ambiguous_date' }],
    });
    expect((await service.client.get('/api/boards/Asked')).status).toBe(404);
    await load('Asked', file, { mapping: { date_order: 'mdy', time_zone: 'Europe/Berlin' } });
    expect(await of('/api/boards/Asked/backlog')).toMatchObject([
      { done_at: '2026-03-04T22:59:59.999Z' },
    ]);
  });
});

describe('an import of a Linear CSV export', () => {
  it('completes cycles that have ended', async () => {
    const file =
      'ID,Team,Title,Status,Estimate,Cycle Number,Cycle Name,Cycle Start,Cycle End,Completed\n' +
      'W-1,Web,One,Done,5,1,,Mon Jan 05 2026 00:00:00 GMT+0000 (GMT),Mon Jan 19 2026 00:00:00 GMT+0000 (GMT),Thu Jan 15 2026 10:00:00 GMT+0000 (GMT)\n' +
      'W-2,Web,Two,Todo,3,2,,Mon Jan 19 2026 00:00:00 GMT+0000 (GMT),Mon Feb 02 2026 00:00:00 GMT+0000 (GMT),\n';
    expect(
      await importTwice(service, 'Cycles', file, { at: '2026-02-02T10:00:00.000Z' }),
    ).toMatchObject({
      format: 'linear-csv',
    });
    expect(await sums('Cycles')).toMatchObject({
      sprints: [
        ['Cycle 1', '2026-01-05', '2026-01-18', 'completed', 1, 5],
        ['Cycle 2', '2026-01-19', '2026-02-01', 'ended', 1, 3],
      ],
    });
    expect(await of('/api/boards/Cycles/velocity')).toMatchObject({ average_points: 5 });
  });
});

const real = (name: string): Buffer => readFileSync(published(`exports/${name}`));

withPublished('exports/jira-en.csv')('real exports', () => {
  it('of Jira as CSV are imported with the sums of the file', async () => {
    const answer = await importTwice(service, 'RealCsv', real('jira-en.csv'));
    expect(answer).toMatchObject({
      format: 'jira-csv',
      created: { sprints: 3, stories: 36, tasks: 0 },
      unmapped: { statuses: [] },
    });
    const { sprints, ...others } = await sums('RealCsv');
    expect(sprints.map(([name, , , , stories]) => [name, stories])).toEqual([
      ['TB1 Sprint 1', 13],
      ['TB1 Sprint 2', 12],
      ['TB1 Sprint 3', 11],
    ]);
    expect(sprints.reduce((sum, row) => sum + (row[5] as number), 0)).toBe(207);
    expect(others).toEqual({ backlog: 0, stories: { todo: 36 }, tasks: {} });
  });

  it('of Jira as JSON are imported with the sums of the file', async () => {
    const answer = await importTwice(service, 'RealJson', real('jira-search.json'));
    expect(answer).toMatchObject({
      format: 'jira-json',
      created: { sprints: 3, stories: 20, tasks: 12 },
    });
    expect(await sums('RealJson')).toEqual({
      sprints: [
        ['EE Sprint 7', '2020-06-12', '2020-06-26', 'completed', 15, 2],
        ['EE Sprint 9', '2020-07-13', '2020-07-27', 'completed', 1, 0],
        ['K5 Sprint 1', '2022-07-15', '2022-07-29', 'ended', 2, 0],
      ],
      backlog: 2,
      stories: { done: 15, todo: 5 },
      tasks: { done: 10, todo: 2 },
    });
    const [sprint] = await of('/api/boards/RealJson/sprints');
    expect(await of(`/api/sprints/${sprint.id}/report`)).toMatchObject({
      commitment_rule: 'imported',
      committed: { count: 15 },
      completed: { count: 12 },
      unfinished: { count: 3 },
    });
  });

  it('of Linear are imported with the sums of the file', async () => {
    const answer = await importTwice(service, 'RealLinear', real('linear.csv'));
    expect(answer).toMatchObject({
      format: 'linear-csv',
      created: { sprints: 2, stories: 9, tasks: 0 },
      skipped: [{ line: 9, code: 'archived' }],
    });
    expect(await sums('RealLinear')).toEqual({
      sprints: [
        ['Cycle 1', '2023-02-06', '2023-02-19', 'ended', 3, 13],
        ['Cycle 2', '2023-03-06', '2023-03-19', 'ended', 1, 0],
      ],
      backlog: 5,
      stories: { todo: 5, in_progress: 1, done: 3 },
      tasks: {},
    });
  });
});
