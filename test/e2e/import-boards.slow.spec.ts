import { readFileSync } from 'node:fs';
import { useApp } from '../support/app';
import type { Answer } from '../support/client';
import { ghIssue } from '../support/github';
import { boardPath, freshName, made2xx } from '../support/make';
import { expectProblem } from '../support/problems';
import { published, withPublished } from '../support/published';
import { importTwice as importAgain, upload } from '../support/upload';

const service = useApp();

type Fields = Record<string, any>;

const load = (board: string, file: string | Buffer): Promise<Answer> =>
  upload(service.client, board, file);

const get = async (path: string): Promise<any> => made2xx(service.client.get(path));
const storiesOf = (board: string): Promise<Fields[]> => get(`${boardPath(board)}/stories`);
const sprintsOf = (board: string): Promise<Fields[]> => get(`${boardPath(board)}/sprints`);
const tasksOf = async (board: string): Promise<Fields[]> => {
  const stories = await storiesOf(board);
  return (
    await Promise.all(stories.map(({ id }) => get(`/api/stories/${id}/tasks`) as Promise<Fields[]>))
  ).flat();
};

/** Counts each value. */
const counted = (values: readonly unknown[]): Record<string, number> =>
  values.reduce<Record<string, number>>((counts, value) => {
    counts[String(value)] = (counts[String(value)] ?? 0) + 1;
    return counts;
  }, {});

const NONE = { sprints: 0, stories: 0, tasks: 0 };

/** Imports a file into a new board, and again, which changes nothing. */
async function importTwice(
  file: string | Buffer,
  { query = '?format=auto', mapping }: { query?: string; mapping?: object } = {},
): Promise<{ board: string; answer: Fields }> {
  const board = freshName('Imported');
  const answer: Fields = await importAgain(service, board, file, { query, mapping });
  service.clock.set();
  return { board, answer };
}

const TRELLO = {
  id: '5f00',
  name: 'Team',
  prefs: { permissionLevel: 'private' },
  labelNames: { red: 'Bug' },
  actions: [
    {
      type: 'updateCard',
      date: '2026-11-02T09:00:00.000Z',
      data: { card: { id: 'c3' }, listBefore: { id: 'l1' }, listAfter: { id: 'l3' } },
    },
  ],
  cards: [
    {
      id: 'c1',
      idList: 'l2',
      name: 'Pay by card',
      desc: 'With **3-D Secure**',
      pos: 2,
      due: '2026-12-01T00:00:00.000Z',
      idMembers: ['m1'],
      labels: [
        { id: 'a', name: 'Bug', color: 'red' },
        { id: 'b', name: '', color: 'green' },
      ],
      customFieldItems: [{ idCustomField: 'f1', value: { number: '5' } }],
    },
    { id: 'c2', idList: 'l2', name: 'Pay by invoice', pos: 1 },
    { id: 'c3', idList: 'l3', name: 'Sign in', pos: 1 },
    { id: 'c4', idList: 'l1', name: 'Sign out', pos: 1 },
    { id: 'c5', idList: 'l1', name: 'Forgotten', pos: 2, closed: true },
  ],
  lists: [
    { id: 'l3', name: 'Done', pos: 3 },
    { id: 'l1', name: 'Sprint 7', pos: 1 },
    { id: 'l2', name: 'Doing', pos: 2 },
  ],
  members: [{ id: 'm1', fullName: 'Ada Example' }],
  checklists: [
    {
      id: 'k1',
      idCard: 'c1',
      pos: 1,
      checkItems: [
        { id: 'i2', name: 'second', state: 'incomplete', pos: 2 },
        { id: 'i1', name: 'first', state: 'complete', pos: 1, idMember: 'm1' },
      ],
    },
  ],
  customFields: [{ id: 'f1', name: 'Story Points', type: 'number' }],
};

describe('a Trello board', () => {
  it('is imported: cards as stories, lists as statuses, checklists as tasks', async () => {
    const { board, answer } = await importTwice(JSON.stringify(TRELLO));
    expect(answer).toMatchObject({
      format: 'trello',
      created: { sprints: 0, stories: 4, tasks: 2 },
      skipped: [{ line: 5, code: 'archived' }],
      unmapped: { statuses: [{ value: 'Sprint 7', count: 1 }] },
    });
    expect(answer.warnings).toEqual([{ code: 'ignored_fields', count: 1, examples: ['due (1)'] }]);
    const stories = await storiesOf(board);
    expect(stories.map(({ title, status, seq }) => [seq, title, status])).toEqual([
      [1, 'Sign out', 'todo'],
      [2, 'Pay by invoice', 'in_progress'],
      [3, 'Pay by card', 'in_progress'],
      [4, 'Sign in', 'done'],
    ]);
    expect(stories[2]).toMatchObject({
      external_id: 'trello:c1',
      description: 'With **3-D Secure**',
      points: 5,
      assignee: 'Ada Example',
      labels: ['Bug'],
      sprint_id: null,
    });
    expect(stories[3]?.done_at).toBe('2026-11-02T09:00:00.000Z');
    expect(await tasksOf(board)).toMatchObject([
      { title: 'first', status: 'done', assignee: 'Ada Example', external_id: 'trello:i1' },
      { title: 'second', status: 'todo', assignee: null, external_id: 'trello:i2' },
    ]);
  });

  it('is imported by a mapping of its lists', async () => {
    const { board, answer } = await importTwice(JSON.stringify(TRELLO), {
      mapping: { status: { 'Sprint 7': 'done' }, archived: 'import', subtasks: 'skip' },
    });
    expect(answer).toMatchObject({
      created: { sprints: 0, stories: 5, tasks: 0 },
      skipped: [],
      unmapped: { statuses: [] },
    });
    const statuses = counted((await storiesOf(board)).map(({ status }) => status));
    expect(statuses).toEqual({ done: 3, in_progress: 2 });
  });

  it('is answered in well-formed texts, even if they are cut in the middle of an emoji', async () => {
    const [even, odd] = ['🗒'.repeat(200), `x${'🗒'.repeat(200)}`];
    const cards = [even, odd].flatMap((name) => [
      { idList: 'l1', name, isTemplate: true },
      { idList: 'l1', name, closed: true },
    ]);
    const lists = [{ id: 'l1', name: even }];
    const answer = await made2xx<Fields>(load(freshName(), JSON.stringify({ lists, cards })));
    expect(answer.skipped).toHaveLength(2);
    expect(JSON.stringify(answer)).not.toMatch(/\\ud/);
  });

  it('updates stories, and keeps fields that it does not have', async () => {
    const { board } = await importTwice(JSON.stringify(TRELLO));
    const [first] = await storiesOf(board);
    const sprint = await made2xx<Fields>(
      service.client.post(`${boardPath(board)}/sprints`, { start_date: '2026-11-16' }),
    );
    await made2xx(
      service.client.put(`/api/stories/${first?.id}`, { sprint_id: sprint.id, priority: 2 }),
    );
    const changed = structuredClone(TRELLO);
    changed.cards[3]!.name = 'Sign out everywhere';
    changed.cards[2]!.idList = 'l2';
    changed.checklists[0]!.checkItems[0]!.state = 'complete';
    const answer = await made2xx<Fields>(load(board, JSON.stringify(changed)));
    expect(answer).toMatchObject({
      created: NONE,
      updated: { sprints: 0, stories: 2, tasks: 1 },
      unchanged: { sprints: 0, stories: 2, tasks: 1 },
    });
    expect(await get(`/api/stories/${first?.id}`)).toMatchObject({
      title: 'Sign out everywhere',
      sprint_id: sprint.id,
      priority: 2,
    });
    const [reopened] = await get(`${boardPath(board)}/stories?external_id=trello:c3`);
    expect(reopened).toMatchObject({ status: 'in_progress', done_at: null });
  });
});

const TAIGA = {
  name: 'Shop',
  slug: 'shop',
  total_milestones: 2,
  points: [
    { name: '?', value: null },
    { name: '2', value: 2 },
    { name: '5', value: 5 },
  ],
  us_statuses: [
    { name: 'New', is_closed: false, is_archived: false },
    { name: 'In progress', is_closed: false, is_archived: false },
    { name: 'Shipped', is_closed: true, is_archived: false },
  ],
  task_statuses: [
    { name: 'New', is_closed: false },
    { name: 'Closed', is_closed: true },
  ],
  epics: [{ ref: 90, subject: 'Checkout', related_user_stories: [{ user_story: 2 }] }],
  user_stories: [
    {
      ref: 1,
      subject: 'Sign in',
      milestone: 'Sprint 1',
      status: 'Shipped',
      is_closed: true,
      finish_date: '2026-10-14T15:00:00+0000',
      role_points: [
        { role: 'Back', points: '5' },
        { role: 'Front', points: '2' },
      ],
      tags: ['web', ['api', null]],
      assigned_to: 'ada@example.org',
      sprint_order: 1,
      backlog_order: 1,
    },
    {
      ref: 2,
      subject: 'Pay',
      milestone: 'Sprint 2',
      status: 'In progress',
      is_closed: false,
      role_points: [{ role: 'Back', points: '?' }],
      sprint_order: 1,
      backlog_order: 1,
    },
    {
      ref: 3,
      subject: 'Later',
      milestone: null,
      status: 'New',
      is_closed: false,
      role_points: [{ role: 'Back', points: '2' }],
      backlog_order: 9,
    },
    {
      ref: 4,
      subject: 'Sooner',
      milestone: null,
      status: 'New',
      is_closed: false,
      role_points: [],
      backlog_order: 5,
    },
  ],
  tasks: [
    {
      ref: 5,
      user_story: 1,
      milestone: 'Sprint 1',
      subject: 'Form',
      status: 'Closed',
      finished_date: '2026-10-13T15:00:00+0000',
      us_order: 1,
    },
    { ref: 6, user_story: 2, milestone: 'Sprint 2', subject: 'Bank', status: 'New', us_order: 1 },
    { ref: 7, user_story: null, milestone: 'Sprint 2', subject: 'Retro', status: 'New' },
  ],
  milestones: [
    {
      name: 'Sprint 2',
      slug: 'sprint-2',
      estimated_start: '2026-11-09',
      estimated_finish: '2026-11-20',
      closed: false,
    },
    {
      name: 'Sprint 1',
      slug: 'sprint-1',
      estimated_start: '2026-10-05',
      estimated_finish: '2026-10-16',
      closed: true,
    },
  ],
  issues: [{ ref: 8, subject: 'It crashes', status: 'New' }],
};

describe('a Taiga project', () => {
  it('is imported, with its sprints, points, tasks and epics', async () => {
    const { board, answer } = await importTwice(JSON.stringify(TAIGA));
    expect(answer).toMatchObject({
      format: 'taiga',
      created: { sprints: 2, stories: 4, tasks: 2 },
      skipped: [
        { line: 1, code: 'epic' },
        { line: 1, code: 'taiga_issue' },
        { line: 3, code: 'task_without_story' },
      ],
      warnings: [],
      unmapped: { statuses: [] },
    });
    const [first, second] = await sprintsOf(board);
    expect(first).toMatchObject({
      name: 'Sprint 1',
      start_date: '2026-10-05',
      end_date: '2026-10-16',
      state: 'completed',
      external_id: 'taiga:sprint:sprint-1',
    });
    expect(second).toMatchObject({ name: 'Sprint 2', completed_at: null });
    const stories = await storiesOf(board);
    expect(stories.map((story) => [story.external_id, story.sprint_id, story.status])).toEqual([
      ['taiga:1', first?.id, 'done'],
      ['taiga:2', second?.id, 'in_progress'],
      ['taiga:4', null, 'todo'],
      ['taiga:3', null, 'todo'],
    ]);
    expect(stories.map(({ points }) => points)).toEqual([7, null, null, 2]);
    expect(stories[0]).toMatchObject({
      assignee: 'ada@example.org',
      labels: ['web', 'api'],
      done_at: '2026-10-14T15:00:00.000Z',
    });
    expect(stories[1]?.labels).toEqual(['Checkout']);
    expect(await tasksOf(board)).toMatchObject([
      { title: 'Form', status: 'done', done_at: '2026-10-13T15:00:00.000Z' },
      { title: 'Bank', status: 'todo', external_id: 'taiga:6' },
    ]);
  });

  it('is rejected if two of its sprints have the same id, whether or not the board has them', async () => {
    const file = JSON.stringify({
      user_stories: [],
      milestones: ['One', 'Two'].map((name) => ({
        name,
        slug: 'same',
        estimated_start: '2026-11-02',
        estimated_finish: '2026-11-13',
      })),
    });
    const path = boardPath('Same ids');
    expectProblem(await load('Same ids', file), 409, 'external_id_taken');
    await made2xx(
      service.client.post(`${path}/sprints`, { name: 'Two', start_date: '2026-11-02' }),
    );
    expectProblem(await load('Same ids', file), 409, 'external_id_taken');
    expect(await sprintsOf('Same ids')).toMatchObject([{ name: 'Two', external_id: null }]);
  });

  it('has a velocity at once', async () => {
    const { board } = await importTwice(JSON.stringify(TAIGA));
    const { sprints } = await get(`${boardPath(board)}/velocity`);
    expect(sprints).toMatchObject([
      { name: 'Sprint 1', committed_points: 7, completed_points: 7, completed_count: 1 },
    ]);
  });
});

describe('a mapping', () => {
  it.each(['constructor', '__proto__', 'prototype', 'toString', 'hasOwnProperty'])(
    'applies to the name %s, which every object has',
    async (name) => {
      const to = <T>(value: T): Record<string, T> => Object.fromEntries([[name, value]]);
      const mapping = {
        status: to('done'),
        priority: to(7),
        sprints: to({ start_date: '2026-11-02', end_date: '2026-11-13' }),
      };
      const file = `external_id,title,status,priority,sprint\nA-1,One,${name},${name},${name}\n`;
      const { board, answer } = await importTwice(file, { query: '?format=csv', mapping });
      expect(answer.mapping).toMatchObject(mapping);
      expect(await storiesOf(board)).toMatchObject([{ status: 'done', priority: 7 }]);
      expect(await sprintsOf(board)).toMatchObject([{ name, ...mapping.sprints[name] }]);
    },
  );

  it.each(['constructor', '__proto__', 'toString'])(
    'with the unknown member %s of the dates of a sprint is rejected',
    async (name) => {
      const sprints = {
        S: Object.fromEntries([
          ['start_date', '2026-11-02'],
          [name, 1],
        ]),
      };
      const file = 'title,sprint\nOne,S\n';
      const answer = await upload(service.client, 'Refused', file, { mapping: { sprints } });
      expectProblem(answer, 400, 'invalid_request');
    },
  );
});

describe('a mapping of columns is rejected', () => {
  const JIRA = 'Summary,Issue key,Size\nOne,A-1,3\n';
  const LINEAR = 'ID,Team,Title,Size\nA-1,A,One,3\n';
  const CSV = 'title,size\nOne,3\n';
  const ISSUE = JSON.stringify([{ number: 1, title: 'One' }]);
  const SAME = { points: 'Size', priority: 'Size' };

  it.each<[string, string, Record<string, string>, string[]]>([
    ['jira-csv', JIRA, { ...SAME, title: 'Nope', colour: 'x' }, ['Size', 'Nope', 'colour']],
    ['linear-csv', LINEAR, { ...SAME, title: 'Nope', colour: 'x' }, ['Size', 'Nope', 'colour']],
    ['csv', CSV, { points: 'size', seq: 'size', title: 'Nope', colour: 'x' }, ['size', 'Nope']],
    ['trello', JSON.stringify(TRELLO), { points: 'Story Points', title: 'x' }, ['title']],
    ['taiga', JSON.stringify(TAIGA), { points: 'x', title: 'y' }, ['points, title']],
    ['github', ISSUE, { points: 'x', title: 'y' }, ['points, title']],
  ])('with everything that is wrong in it: %s', async (format, file, columns, wrong) => {
    const query = `?format=${format}`;
    const answer = await upload(service.client, 'Refused', file, { query, mapping: { columns } });
    expectProblem(answer, 400, 'invalid_file');
    for (const name of wrong) expect(answer.body.detail).toContain(name);
    expect((await service.client.get('/api/boards/Refused')).status).toBe(404);
  });
});

describe('GitHub issues', () => {
  it('are imported: milestones as labels, without pull requests and duplicates', async () => {
    const { board, answer } = await importTwice(
      JSON.stringify([
        ghIssue(12, {
          body: 'Steps:\r\n1. open\u0000',
          labels: [{ name: 'bug' }, { name: 'points: 3' }],
          assignees: [{ login: 'ada' }, { login: 'grace' }],
          milestone: { number: 1, title: 'v1.0' },
          state: 'CLOSED',
          stateReason: 'COMPLETED',
          closedAt: '2026-10-30T08:00:00Z',
        }),
        ghIssue(11),
        ghIssue(11),
        ghIssue(13, { state: 'CLOSED', stateReason: 'NOT_PLANNED' }),
        ghIssue(14, { isPullRequest: true }),
      ]),
    );
    expect(answer).toMatchObject({
      format: 'github',
      created: { sprints: 0, stories: 3, tasks: 0 },
      skipped: [
        { line: 3, code: 'duplicate' },
        { line: 5, code: 'pull_request' },
      ],
      unmapped: { statuses: [] },
    });
    expect(answer.warnings.map(({ code }: Fields) => code)).toEqual([
      'other_assignees',
      'characters_removed',
    ]);
    const stories = await storiesOf(board);
    expect(stories.map((story) => [story.external_id, story.status])).toEqual([
      ['github:11', 'todo'],
      ['github:12', 'done'],
      ['github:13', 'done'],
    ]);
    expect(stories[1]).toMatchObject({
      title: 'Issue 12',
      description: 'Steps:\r\n1. open',
      labels: ['v1.0', 'bug', 'points: 3'],
      points: 3,
      assignee: 'ada',
      done_at: '2026-10-30T08:00:00.000Z',
    });
  });

  it('that were closed in the future keep this time', async () => {
    const closed = ghIssue(1, { state: 'CLOSED', closedAt: '2026-11-20T08:00:00Z' });
    const { board } = await importTwice(JSON.stringify([closed]));
    expect(await storiesOf(board)).toMatchObject([{ done_at: '2026-11-20T08:00:00.000Z' }]);
  });

  it('that were closed as not planned can have their own mapping', async () => {
    const closed = ghIssue(1, { state: 'CLOSED', stateReason: 'NOT_PLANNED' });
    const { board } = await importTwice(JSON.stringify([closed]), {
      mapping: { status: { not_planned: 'todo' } },
    });
    expect(await storiesOf(board)).toMatchObject([{ status: 'todo', done_at: null }]);
  });

  it('are imported from UTF-16, as PowerShell writes the output of gh', async () => {
    const file = JSON.stringify([ghIssue(1, { title: 'Größe 🗒', body: 'x'.repeat(70_000) })]);
    const { board } = await importTwice(Buffer.from(`\ufeff${file}\r\n`, 'utf16le'));
    expect(await storiesOf(board)).toMatchObject([{ title: 'Größe 🗒', status: 'todo' }]);
  });

  it('of two repositories in separate files are different stories', async () => {
    const of = (name: string): string =>
      JSON.stringify([
        ghIssue(1, { title: name, url: `https://github.com/acme/${name}/issues/1` }),
      ]);
    const { board } = await importTwice(of('shop'));
    await made2xx(load(board, of('api')));
    expect((await storiesOf(board)).map((story) => [story.external_id, story.title])).toEqual([
      ['github:acme/shop#1', 'shop'],
      ['github:acme/api#1', 'api'],
    ]);
  });
});

const fileOf = (name: string): Buffer => readFileSync(published(`exports/${name}`));

withPublished('exports/github-issues.json')('real exports', () => {
  it('of Trello are imported completely: custom fields', async () => {
    const { board, answer } = await importTwice(fileOf('trello-custom-fields.json'));
    expect(answer).toMatchObject({
      format: 'trello',
      created: { sprints: 0, stories: 3, tasks: 0 },
      skipped: [],
      unmapped: { statuses: [] },
    });
    const stories = await storiesOf(board);
    expect(counted(stories.map(({ status }) => status))).toEqual({ todo: 2, in_progress: 1 });
    expect(stories.map(({ assignee }) => assignee)).toEqual(['Person 1', 'Person 1', 'Person 1']);
    expect(stories.flatMap(({ labels }) => labels)).toEqual([]);
  });

  it('of Trello are imported completely: checklists', async () => {
    const { board, answer } = await importTwice(fileOf('trello-agile.json'));
    expect(answer).toMatchObject({
      format: 'trello',
      created: { sprints: 0, stories: 23, tasks: 56 },
      skipped: [],
    });
    expect(answer.unmapped.statuses).toEqual(
      expect.arrayContaining([
        { value: '📅 Working On', count: 3 },
        { value: '📆 Sprint - Done [Version: 1.2.0]', count: 3 },
        { value: '🗄 Sprint - Done [Version: 1.1.0]', count: 4 },
      ]),
    );
    expect(answer.unmapped.statuses).toHaveLength(7);
    const labelled = (await storiesOf(board)).filter(({ labels }) => labels.length > 0);
    expect([labelled.length, labelled.flatMap(({ labels }) => labels).length]).toEqual([10, 18]);
    const tasks = await tasksOf(board);
    expect(counted(tasks.map(({ status }) => status))).toEqual({ done: 9, todo: 47 });

    const status = Object.fromEntries(
      answer.unmapped.statuses.map(({ value }: { value: string }) => [
        value,
        value.includes('Done') ? 'done' : 'todo',
      ]),
    );
    const mapped = await importTwice(fileOf('trello-agile.json'), { mapping: { status } });
    expect(mapped.answer.unmapped).toEqual({ statuses: [] });
    const done = await get(`${boardPath(mapped.board)}/stories?status=done`);
    expect(done).toHaveLength(7);
  });

  it('of Trello are imported completely: lists', async () => {
    const { board, answer } = await importTwice(fileOf('trello-sprint.json'));
    expect(answer).toMatchObject({
      format: 'trello',
      created: { sprints: 0, stories: 25, tasks: 0 },
      skipped: [],
      unmapped: {
        statuses: [
          { value: 'Current Sprint', count: 5 },
          { value: 'On Hold', count: 4 },
          { value: 'Next-up', count: 4 },
          { value: 'Questions', count: 3 },
        ],
      },
    });
    const stories = await storiesOf(board);
    expect(counted(stories.map(({ status }) => status))).toEqual({
      done: 6,
      in_progress: 3,
      todo: 16,
    });
    const labelled = stories.filter(({ labels }) => labels.length > 0);
    expect([labelled.length, labelled.flatMap(({ labels }) => labels).length]).toEqual([9, 11]);
  });

  it('of GitHub are imported completely', async () => {
    const { board, answer } = await importTwice(fileOf('github-issues.json'));
    expect(answer).toMatchObject({
      format: 'github',
      created: { sprints: 0, stories: 26, tasks: 0 },
    });
    expect(counted(answer.skipped.map(({ code }: Fields) => code))).toEqual({
      pull_request: 15,
      duplicate: 1,
    });
    const stories = await storiesOf(board);
    expect(counted(stories.map(({ status }) => status))).toEqual({ done: 26 });
    expect(stories.every(({ labels }) => labels[0] === 'v0.11.0')).toBe(true);
    expect(stories.filter(({ labels }) => labels.length === 2)).toHaveLength(11);
    expect(stories.every(({ done_at }) => /^20(18|19)-/.test(done_at))).toBe(true);
  });
});
