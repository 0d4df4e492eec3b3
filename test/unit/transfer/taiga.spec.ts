import { taiga } from '../../../src/transfer/formats/taiga';
import type { Mapping } from '../../../src/transfer/import/import.dto';
import type { SourceFile } from '../../../src/transfer/files/source';
import { Warnings } from '../../../src/transfer/files/source';
import { jsonFile } from './files';

const story = (ref: number, more: object = {}): object => ({
  attachments: [{ attached_file: { data: 'QUJD'.repeat(100), name: 'a.png' } }],
  history: [{ comment: 'x' }],
  custom_attributes_values: null,
  role_points: [],
  assigned_to: null,
  assigned_users: [],
  status: 'New',
  milestone: null,
  finish_date: null,
  ref,
  is_closed: false,
  backlog_order: ref,
  sprint_order: ref,
  subject: `Story ${ref}`,
  description: '',
  is_blocked: false,
  blocked_note: '',
  tags: [],
  due_date: null,
  ...more,
});

const task = (ref: number, user_story: number | null, more: object = {}): object => ({
  ref,
  user_story,
  milestone: 'Sprint 1',
  status: 'New',
  subject: `Task ${ref}`,
  description: '',
  assigned_to: null,
  finished_date: null,
  us_order: ref,
  tags: [],
  is_blocked: false,
  ...more,
});

const project = (more: object): object => ({
  name: 'Shop',
  slug: 'shop',
  points: [
    { name: '?', order: 1, value: null },
    { name: '0', order: 2, value: 0 },
    { name: '1/2', order: 3, value: 0.5 },
    { name: '3', order: 4, value: 3 },
  ],
  us_statuses: [
    { name: 'New', is_closed: false, is_archived: false },
    { name: 'Shipped', is_closed: true, is_archived: false },
    { name: 'Put away', is_closed: true, is_archived: true },
  ],
  task_statuses: [
    { name: 'New', is_closed: false },
    { name: 'Ready', is_closed: true },
  ],
  epics: [],
  user_stories: [],
  tasks: [],
  milestones: [],
  issues: [],
  ...more,
});

const read = (value: object, mapping: Mapping = {}): Promise<SourceFile> =>
  taiga(jsonFile(value, 4096), mapping);

describe('a Taiga project', () => {
  it('has a sprint for each milestone', async () => {
    const { sprints } = await read(
      project({
        milestones: [
          {
            name: 'Sprint 1',
            slug: 'sprint-1',
            estimated_start: '2026-01-05',
            estimated_finish: '2026-01-16',
            closed: true,
            modified_date: '2026-01-20T10:00:00+0000',
          },
          { name: 'Sprint 2', estimated_start: '2026-01-19', estimated_finish: '2026-01-30' },
        ],
      }),
    );
    expect(sprints).toEqual([
      {
        key: 'Sprint 1',
        external_id: 'taiga:sprint:sprint-1',
        name: 'Sprint 1',
        goal: null,
        start: '2026-01-05',
        end: '2026-01-16',
        closed: true,
        completed: null,
      },
      expect.objectContaining({ external_id: 'taiga:sprint:Sprint 2', closed: false }),
    ]);
  });

  it('has a story for each user story', async () => {
    const source = await read(
      project({
        user_stories: [
          story(5, {
            milestone: 'Sprint 1',
            status: 'Shipped',
            is_closed: true,
            finish_date: '2026-01-15T09:30:00+0000',
            description: 'As a buyer',
            assigned_to: 'ada@example.org',
            assigned_users: ['ada@example.org', 'grace@example.org'],
            tags: ['bug', ['ui', '#ff0000'], [null]],
            role_points: [
              { role: 'UX', points: '1/2' },
              { role: 'Back', points: '3' },
              { role: 'Design', points: '?' },
              { role: 'Front', points: null },
            ],
          }),
        ],
      }),
    );
    expect(source.stories).toEqual([
      {
        line: 1,
        external_id: 'taiga:5',
        title: 'Story 5',
        description: 'As a buyer',
        status: { name: 'Shipped', category: 'done' },
        priority: null,
        points: 3.5,
        assignee: 'ada@example.org',
        labels: ['bug', 'ui'],
        epic: null,
        sprints: ['Sprint 1'],
        done: '2026-01-15T09:30:00+0000',
        archived: false,
        parent: null,
        tasks: [],
      },
    ]);
    expect(source.warnings.list()).toEqual([
      { code: 'other_assignees', count: 1, examples: ['entry 1: grace@example.org'] },
    ]);
    expect(source.lacks).toEqual({ priority: true, points: false, tasks: false });
  });

  it('has null points if no role has estimated, and 0 if one has estimated 0', async () => {
    const points = (...names: string[]): object => ({
      role_points: names.map((name) => ({ role: name, points: name })),
    });
    const { stories } = await read(
      project({ user_stories: [story(1, points('?', '?')), story(2, points('?', '0')), story(3)] }),
    );
    expect(stories.map((found) => found.points)).toEqual([null, 0, null]);
    const source = await read(project({ user_stories: [story(1, points('?'))] }));
    expect(source.lacks?.points).toBe(true);
  });

  it('orders stories by their sprint or the backlog', async () => {
    const { stories } = await read(
      project({
        user_stories: [
          story(1, { backlog_order: 9 }),
          story(2, { backlog_order: 3 }),
          story(3, { backlog_order: 3 }),
          story(4, { milestone: 'S', sprint_order: 2, backlog_order: 1 }),
          story(5, { milestone: 'S', sprint_order: 1, backlog_order: 2 }),
        ],
      }),
    );
    const inList = (sprint: boolean): (string | null)[] =>
      stories.filter(({ sprints }) => sprints.length > 0 === sprint).map((s) => s.external_id);
    expect(inList(true)).toEqual(['taiga:5', 'taiga:4']);
    expect(inList(false)).toEqual(['taiga:2', 'taiga:3', 'taiga:1']);
  });

  it('counts a story as done if its status or its tasks are closed', async () => {
    const { stories } = await read(
      project({
        user_stories: [
          story(1, { status: 'New', is_closed: false }),
          story(2, { status: 'New', is_closed: true }),
          story(3, { status: 'Shipped', is_closed: false }),
          story(4, { status: null }),
        ],
      }),
    );
    expect(stories.map(({ status }) => status)).toEqual([
      { name: 'New' },
      { name: 'New', category: 'done' },
      { name: 'Shipped', category: 'done' },
      null,
    ]);
  });

  it('marks stories with an archived status as archived, except those in sprints', async () => {
    const { stories } = await read(
      project({
        user_stories: [
          story(1, { status: 'Put away' }),
          story(2, { status: 'Put away', milestone: 'S' }),
        ],
      }),
    );
    expect(stories.map(({ archived }) => archived)).toEqual([true, false]);
  });

  it('has the epics of its stories as labels', async () => {
    const { stories, skipped } = await read(
      project({
        epics: [
          { ref: 90, subject: 'Checkout', related_user_stories: [{ user_story: 1, order: 1 }] },
          {
            ref: 91,
            subject: 'Mobile',
            related_user_stories: [
              { user_story: 1, source_project_slug: null },
              { user_story: 2, source_project_slug: 'other' },
            ],
          },
        ],
        user_stories: [story(1, { tags: ['x'] }), story(2)],
      }),
    );
    expect(stories.map(({ epic, labels }) => [epic, labels])).toEqual([
      ['Checkout', ['Mobile', 'x']],
      [null, []],
    ]);
    expect(skipped).toEqual([
      { line: 1, code: 'epic', detail: '"Checkout" is an epic: a label of its stories' },
      { line: 2, code: 'epic', detail: '"Mobile" is an epic: a label of its stories' },
    ]);
  });

  it('has tasks below their stories', async () => {
    const file = project({
      user_stories: [story(1)],
      tasks: [
        task(12, 1, { us_order: 2 }),
        task(11, 1, {
          us_order: 7,
          status: 'Ready',
          finished_date: '2026-01-09T08:00:00+0000',
          assigned_to: 'ada@example.org',
        }),
        task(13, null),
      ],
    });
    const source = await read(file);
    const tasks = source.stories.filter(({ parent }) => parent !== null);
    expect(
      tasks.map(({ line, external_id, parent, status, done, assignee }) => [
        line,
        external_id,
        parent,
        status?.category,
        done,
        assignee,
      ]),
    ).toEqual([
      [1, 'taiga:12', 'taiga:1', undefined, null, null],
      [2, 'taiga:11', 'taiga:1', 'done', '2026-01-09T08:00:00+0000', 'ada@example.org'],
    ]);
    expect(source.skipped).toMatchObject([{ line: 3, code: 'task_without_story' }]);

    const asStories = await read(file, { subtasks: 'stories' });
    expect(asStories.stories.map(({ external_id }) => external_id)).toContain('taiga:13');
    expect(asStories.skipped).toEqual([]);
  });

  it('skips issues, and reports other data that it does not read', async () => {
    const source = await read(
      project({
        user_stories: [
          story(1, {
            is_blocked: true,
            blocked_note: 'waits for the bank',
            due_date: '2026-02-01',
            client_requirement: true,
            custom_attributes_values: { Team: 'A', Empty: '' },
          }),
        ],
        issues: [{ ref: 40, subject: 'It crashes', milestone: null }],
      }),
    );
    expect(source.skipped).toEqual([
      { line: 1, code: 'taiga_issue', detail: '#40 is an issue: It crashes' },
    ]);
    expect(source.warnings.list()).toEqual([
      {
        code: 'blocked',
        count: 1,
        examples: ['entry 1: "Story 1" is blocked, waits for the bank'],
      },
      {
        code: 'ignored_fields',
        count: 3,
        examples: ['due_date (1)', 'custom attribute "Team" (1)', 'client_requirement (1)'],
      },
    ]);
  });

  it('counts all custom attributes, but keeps few of their names', async () => {
    const add = jest.spyOn(Warnings.prototype, 'add');
    const values = Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [`Name ${i}`, 'x']));
    const source = await read(
      project({ user_stories: [story(1, { custom_attributes_values: values })] }),
    );
    expect(source.warnings.list()).toMatchObject([{ code: 'ignored_fields', count: 5000 }]);
    expect(add.mock.calls.length).toBe(1001);
    expect(add).toHaveBeenLastCalledWith('ignored_fields', 'other fields (4000)', 4000);
  });

  it('is rejected if it is something else or empty', async () => {
    for (const value of [{}, [], project({}), { user_stories: {} }]) {
      await expect(read(value)).rejects.toThrow('neither user stories nor sprints of Taiga');
    }
  });

  it('may have values of the wrong type', async () => {
    const { stories } = await read({
      points: [null, { name: 3, value: '3' }],
      us_statuses: [1],
      milestones: [{ name: 4 }, null],
      epics: [{ subject: 'E', related_user_stories: 5 }, { related_user_stories: [3, null] }],
      user_stories: [{ ref: 'x', tags: 5, role_points: [null], subject: 1, milestone: {} }, null],
      tasks: [null, { user_story: 'x' }],
      issues: [null],
    });
    expect(stories).toHaveLength(2);
    expect(stories[0]).toMatchObject({ external_id: null, title: '', sprints: [], points: null });
  });
});
