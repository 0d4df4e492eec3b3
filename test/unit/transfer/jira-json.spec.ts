import { createReadStream } from 'node:fs';
import { Warnings } from '../../../src/transfer/files/source';
import { textOfDocument } from '../../../src/transfer/formats/adf';
import { CustomFields } from '../../../src/transfer/formats/jira-fields';
import { jiraJson } from '../../../src/transfer/formats/jira-json';
import type { Mapping } from '../../../src/transfer/import/import.dto';
import { published, withPublished } from '../../support/published';
import { fileOf, jsonFile } from './files';
import { counts, planOf } from './plan-of';

const SPRINT_7 = {
  id: 7,
  name: 'Sprint 7',
  state: 'closed',
  goal: 'Ship',
  startDate: '2026-01-05T09:00:00.000Z',
  endDate: '2026-01-16T17:00:00.000Z',
  completeDate: '2026-01-19T08:30:00.000Z',
};
const SPRINT_8 = { id: 8, name: 'Sprint 8', state: 'future' };

const issue = (key: string, fields: object = {}): object => ({
  id: key.replace(/\D/g, '9'),
  key,
  fields: {
    summary: `Issue ${key}`,
    issuetype: { name: 'Story', subtask: false, hierarchyLevel: 0 },
    status: { name: 'Open', statusCategory: { key: 'new' } },
    ...fields,
  },
});

const EPIC = { issuetype: { name: 'Epos', subtask: false, hierarchyLevel: 1 } };
const SUBTASK = { issuetype: { name: '子任务', subtask: true, hierarchyLevel: -1 } };

const plan = (value: unknown, mapping: Mapping = {}) =>
  planOf(jiraJson, jsonFile(value, 997), mapping);
const planOfIssues = (issues: object[], more: object = {}, mapping: Mapping = {}) =>
  plan({ issues, ...more }, mapping);

describe('a Jira search', () => {
  it('has stories with their fields', async () => {
    const { stories, sprints, codes } = await planOfIssues([
      issue('A-1', {
        summary: '\u200bSign in\0',
        description: 'h1. *Wiki* text\r\n',
        status: { name: '已完成', statusCategory: { key: 'done' } },
        priority: { name: 'Highest' },
        assignee: { displayName: 'Ann', accountId: '1' },
        labels: ['web', 'api'],
        resolutiondate: '2026-01-15T10:00:00.000+0100',
        sprint: SPRINT_8,
        closedSprints: [SPRINT_7],
        customfield_10020: [SPRINT_7, SPRINT_8],
      }),
    ]);
    expect(stories).toEqual([
      {
        line: 1,
        external_id: 'jira:A-1',
        title: 'Sign in',
        description: 'h1. *Wiki* text\r\n',
        status: 'done',
        priority: 1,
        assignee: 'Ann',
        labels: ['web', 'api'],
        sprints: ['id:7', 'id:8'],
        done_at: new Date('2026-01-15T09:00:00Z'),
        tasks: [],
      },
    ]);
    expect(sprints).toEqual([
      {
        key: 'id:7',
        external_id: 'jira:sprint:7',
        name: 'Sprint 7',
        goal: 'Ship',
        start_date: '2026-01-05',
        end_date: '2026-01-16',
        completed_at: new Date('2026-01-19T08:30:00Z'),
      },
      expect.objectContaining({ key: 'id:8', start_date: '2026-11-23', assumed: true }),
    ]);
    expect(codes).toEqual({ characters_removed: 1 });
  });

  it.each([
    ['one page', { expand: 'names', issues: [issue('A-1'), issue('A-2')] }],
    ['several pages', [{ issues: [issue('A-1')] }, { issues: [] }, { issues: [issue('A-2')] }]],
    ['the issues alone', [issue('A-1'), issue('A-2')]],
  ])('is read as %s', async (_, value) => {
    const { stories } = await plan(value);
    expect(stories.map(({ line, external_id }) => [line, external_id])).toEqual([
      [1, 'jira:A-1'],
      [2, 'jira:A-2'],
    ]);
  });

  it('does not take a name that every object has for a category', async () => {
    const issues = ['constructor', '__proto__'].map((key, i) =>
      issue(`A-${i}`, { status: { name: 'Done', statusCategory: { key } } }),
    );
    const { stories } = await planOfIssues(issues);
    expect(stories.map(({ status }) => status)).toEqual(['done', 'done']);
  });

  it('is read from responses that were appended to one file', async () => {
    const pages = [{ issues: [issue('A-1')] }, { issues: [issue('A-2')] }];
    const file = fileOf(pages.map((page) => JSON.stringify(page)).join('\n'), 50);
    const { stories } = await planOf(jiraJson, file);
    expect(stories.map(({ external_id }) => external_id)).toEqual(['jira:A-1', 'jira:A-2']);
  });

  it('is read from pages in an array that is appended to a page, and the reverse', async () => {
    const one = { issues: [issue('A-1')] };
    const two = [{ issues: [issue('A-2')] }, issue('A-3')];
    for (const parts of [
      [one, two],
      [two, one],
    ]) {
      const file = fileOf(parts.map((part) => JSON.stringify(part)).join('\n'), 50);
      const { stories } = await planOf(jiraJson, file);
      expect(stories.map(({ external_id }) => external_id).sort()).toEqual([
        'jira:A-1',
        'jira:A-2',
        'jira:A-3',
      ]);
    }
  });

  it('is rejected if a page is an error of Jira', async () => {
    const failed = { errorMessages: ['Rate limit exceeded'], errors: {} };
    const page = { issues: [issue('A-1')] };
    for (const text of [
      `${JSON.stringify(page)}\n${JSON.stringify(failed)}`,
      JSON.stringify([page, failed]),
    ]) {
      await expect(planOf(jiraJson, fileOf(text, 50))).rejects.toMatchObject({
        message: expect.stringMatching(/Entry 2: .* an error of Jira: Rate limit exceeded/),
        options: { errors: [{ line: 2, code: 'malformed' }] },
      });
    }
  });

  it.each([
    ['the total', [{ total: 3 }, { total: 3 }], { page_missing: 1 }],
    ['the end', [{ isLast: false }, { isLast: false }], { page_missing: 1 }],
    ['no missing page by its total', [{ total: 2 }, { total: 2 }], {}],
    ['no missing page by its end', [{ isLast: false }, { isLast: true }], {}],
  ])('warns of a missing page by %s', async (_, [first, second], codes) => {
    const pages = [
      { ...first, issues: [issue('A-1')] },
      { issues: [issue('A-2')], ...second },
    ];
    expect((await plan(pages)).codes).toEqual(codes);
    const file = fileOf(pages.map((page) => JSON.stringify(page)).join('\n'), 50);
    expect((await planOf(jiraJson, file)).codes).toEqual(codes);
  });

  it('turns epics into labels and sub-tasks into tasks', async () => {
    const { stories, skipped, codes } = await planOfIssues([
      issue('A-1', { ...EPIC, summary: 'Accounts' }),
      issue('A-2', {
        parent: { key: 'A-1', fields: { summary: 'Accounts' } },
        subtasks: [{ key: 'A-3' }, { key: 'A-77' }],
      }),
      issue('A-3', { ...SUBTASK, parent: { key: 'A-2' } }),
      issue('A-4', { epic: { key: 'A-9', name: 'Short', summary: 'Long' } }),
      issue('A-5', { parent: { key: 'A-8', fields: { summary: 'Elsewhere' } } }),
      issue('A-6', { parent: { key: 'A-2' } }),
    ]);
    expect(
      stories.map(({ external_id, labels, tasks }) => [
        external_id,
        labels,
        tasks?.map((task) => task.external_id),
      ]),
    ).toEqual([
      ['jira:A-2', ['Accounts'], ['jira:A-3']],
      ['jira:A-4', ['Short'], []],
      ['jira:A-5', ['Elsewhere'], []],
      ['jira:A-6', [], []],
    ]);
    expect(skipped.map(({ line, code }) => [line, code])).toEqual([[1, 'epic']]);
    expect(codes).toEqual({ parent_ignored: 1, subtask_missing: 1 });
  });

  it('recognises the types of Jira Server by their names', async () => {
    const type = (name: string) => ({ issuetype: { name, subtask: false } });
    const { stories } = await planOfIssues([
      issue('A-1', { ...type('Epic'), customfield_10011: 'Short' }),
      issue('A-2', { ...type('Story'), customfield_10008: 'A-1' }),
    ]);
    expect(stories.map(({ title, labels }) => [title, labels])).toEqual([['Issue A-2', ['Short']]]);
  });

  it('reads custom fields by their names and types if the search has these', async () => {
    const fields = {
      customfield_1: 3,
      customfield_2: 13,
      customfield_3: 'A-9',
      customfield_4: '0|i0002:',
      customfield_5: 99,
    };
    const first = issue('A-1', fields);
    const second = issue('A-2', { ...fields, customfield_1: null, customfield_4: '0|i0001:' });
    const names = {
      customfield_1: 'Story Points',
      customfield_3: 'Epic Link',
      customfield_5: 'ROI',
    };
    const schema = {
      customfield_2: { custom: 'com.pyxis.greenhopper.jira:jsw-story-points' },
      customfield_4: { custom: 'com.pyxis.greenhopper.jira:gh-lexo-rank' },
    };
    for (const value of [
      { names, schema, issues: [first, second] },
      { issues: [first, second], schema, names },
      [{ issues: [first], names, schema }, { issues: [second] }],
    ]) {
      const { stories, mapping } = await plan(value);
      expect(
        stories.map(({ external_id, points, labels }) => [external_id, points, labels]),
      ).toEqual([
        ['jira:A-2', 13, ['A-9']],
        ['jira:A-1', 3, ['A-9']],
      ]);
      expect(mapping?.columns).toBeUndefined();
    }
  });

  it('reads points from the only field with numbers', async () => {
    const { stories, mapping, codes } = await planOfIssues([
      issue('A-1', { customfield_1: 3, customfield_2: 'text', customfield_3: { value: 1 } }),
      issue('A-2', { customfield_1: '-1', customfield_4: 1_760_000_000_000 }),
    ]);
    expect(stories.map(({ points }) => points)).toEqual([3, null]);
    expect(mapping?.columns).toEqual({ points: 'customfield_1' });
    expect(codes).toEqual({ points_invalid: 1 });
  });

  it('warns if it has to choose the field of the points, unless the mapping names it', async () => {
    const issues = [
      issue('A-1', { customfield_1: 3, customfield_2: 5 }),
      issue('A-2', { customfield_2: 8 }),
    ];
    const chosen = await planOfIssues(issues);
    expect(chosen.stories.map(({ points }) => points)).toEqual([5, 8]);
    expect(chosen.codes).toEqual({ points_field_assumed: 1 });
    const mapped = await planOfIssues(issues, {}, { columns: { points: 'customfield_1' } });
    expect(mapped.stories.map(({ points }) => points)).toEqual([3, null]);
    const named = await planOfIssues(
      issues,
      { names: { customfield_1: 'Effort' } },
      { columns: { points: 'effort' } },
    );
    expect(named.stories.map(({ points }) => points)).toEqual([3, null]);
    await expect(planOfIssues(issues, {}, { columns: { points: 'Size' } })).rejects.toThrow(
      'No issue has a value in the field Size.',
    );
    await expect(planOfIssues(issues, {}, { columns: { title: 'x' } })).rejects.toThrow(/only/);
  });

  it('reads the first fields of a sprint in the text of an old version of Jira', async () => {
    const split = jest.spyOn(String.prototype, 'split');
    const text = `com.atlassian.greenhopper.service.sprint.Sprint@1a[id=7,name=S${',id=8'.repeat(5000)}]`;
    const { sprints } = await planOfIssues([issue('A-1', { customfield_1: [text] })]);
    expect(sprints).toMatchObject([{ name: 'S' }]);
    const lengths = split.mock.results.map(({ value }) => (value as string[]).length);
    expect(Math.max(...lengths)).toBeLessThanOrEqual(100);
  });

  it('does not change fields that the search did not request', async () => {
    const { stories } = await planOfIssues([issue('A-1')]);
    expect(Object.keys(stories[0] ?? {}).sort()).toEqual([
      'done_at',
      'external_id',
      'line',
      'status',
      'tasks',
      'title',
    ]);
    const asked = await planOfIssues([issue('A-1', { sprint: null, labels: [], priority: null })]);
    expect(asked.stories[0]).toMatchObject({ sprints: [], labels: [], priority: null });
  });

  it('lets other requests run while it searches many fields', async () => {
    // A clock on which each look takes a millisecond.
    let now = 0;
    jest.spyOn(performance, 'now').mockImplementation(() => (now += 1));
    const custom = new CustomFields({});
    for (let i = 0; i < 1000; i += 1) custom.add(1, { [`customfield_${i}`]: 'text' });
    let pauses = 0;
    let isDecided = false;
    const count = (): void => {
      pauses += 1;
      if (!isDecided) setImmediate(count);
    };
    setImmediate(count);
    await custom.decide(new Warnings(), new Set());
    isDecided = true;
    expect(pauses).toBeGreaterThan(1000);
  });

  it.each([
    ['of issues', 'x', (fields: object) => ({ issues: [issue('A-1'), issue('A-2', fields)] })],
    ['with names', 'x', (names: object) => ({ issues: [issue('A-1')], names })],
    ['with types', { custom: 'x' }, (schema: object) => ({ issues: [issue('A-1')], schema })],
  ])('may have 10,000 fields %s, but no more', async (_, value, search) => {
    const fields = (count: number): object =>
      Object.fromEntries(Array.from({ length: count }, (_, i) => [`customfield_${i}`, value]));
    const { stories } = await plan(search(fields(9_990)));
    expect(stories[0]?.title).toBe('Issue A-1');
    await expect(plan(search(fields(10_001)))).rejects.toThrow(
      'The file has more than 10000 different fields of Jira; request fewer.',
    );
  });

  it.each([
    ['no issues', { issues: [] }, /has no issues/],
    [
      'issues whose titles were not requested',
      { issues: [{ key: 'A-1', fields: { customfield_10016: 5 } }] },
      /No issue has a title \(summary\)/,
    ],
    [
      'another entry',
      [issue('A-1'), { name: 'x' }],
      /Entry 2: it does not have the key and the fields/,
    ],
  ])('is rejected with %s', async (_, value, message) => {
    await expect(plan(value)).rejects.toThrow(message);
  });
});

describe('a document', () => {
  const text = (value: string) => ({ type: 'text', text: value });
  const paragraph = (...content: object[]) => ({ type: 'paragraph', content });
  const item = (...content: object[]) => ({ type: 'listItem', content });

  it('is converted to text', () => {
    const document = {
      type: 'doc',
      version: 1,
      content: [
        { type: 'heading', attrs: { level: 2 }, content: [text('Title')] },
        paragraph(
          text('One '),
          { type: 'mention', attrs: { text: '@Ann' } },
          { type: 'hardBreak' },
        ),
        paragraph(text('two '), { type: 'inlineCard', attrs: { url: 'https://a.example' } }),
        {
          type: 'bulletList',
          content: [
            item(paragraph(text('a')), {
              type: 'orderedList',
              content: [item(paragraph(text('b')))],
            }),
            item(paragraph(text('c'))),
          ],
        },
        {
          type: 'taskList',
          content: [
            { type: 'taskItem', attrs: { state: 'DONE' }, content: [text('done')] },
            { type: 'taskItem', attrs: { state: 'TODO' }, content: [text('open')] },
          ],
        },
        { type: 'codeBlock', content: [text('x = 1\n  y = 2')] },
        {
          type: 'table',
          content: [
            {
              type: 'tableRow',
              content: [
                { type: 'tableHeader', content: [paragraph(text('h'))] },
                { type: 'tableCell', content: [paragraph(text('1')), paragraph(text('2'))] },
              ],
            },
          ],
        },
        { type: 'panel', content: [paragraph(text('Note'))] },
        { type: 'mediaSingle', content: [{ type: 'media', attrs: { id: '1' } }] },
        { type: 'rule' },
        { type: 'unknown' },
        null,
      ],
    };
    expect(textOfDocument(document)).toBe(
      'Title\n\nOne @Ann\n\n\ntwo https://a.example\n\n- a\n  1. b\n- c\n\n[x] done\n[ ] open\n\n'.replace(
        '\n\n\n',
        '\n\n',
      ) + 'x = 1\n  y = 2\n\nh | 1 2\n\nNote\n\n----',
    );
  });

  it('has the addresses of links, dates, and the numbers of lists', () => {
    const link = (value: string, href: string) => ({
      ...text(value),
      marks: [{ type: 'strong' }, { type: 'link', attrs: { href } }],
    });
    const content = [
      paragraph(
        text('See '),
        link('the design', 'https://a.example/x'),
        text(' and '),
        link('https://b.example', 'https://b.example'),
        text(' until '),
        { type: 'date', attrs: { timestamp: '1796083200000' } },
        { type: 'date', attrs: { timestamp: 'soon' } },
      ),
      { type: 'orderedList', attrs: { order: 4 }, content: [item(paragraph(text('four')))] },
    ];
    expect(textOfDocument({ type: 'doc', content })).toBe(
      'See the design (https://a.example/x) and https://b.example until 2026-12-01\n\n4. four',
    );
  });

  it('is searched at most for 200,000 characters in each level of its lists', () => {
    const replace = jest.spyOn(String.prototype, 'replace');
    let content: object = paragraph(text('a '.repeat(300_000)));
    for (let i = 0; i < 10; i += 1) content = { type: 'bulletList', content: [item(content)] };
    const table = { type: 'table', content: [{ content: [{ content: [content] }] }] };
    expect(textOfDocument({ content: [content, table] }).length).toBeGreaterThan(190_000);
    const lengths = replace.mock.contexts.map(({ length }) => length);
    expect(Math.max(...lengths)).toBeLessThanOrEqual(200_000);
  });

  it.each([null, undefined, 7, {}, { content: [] }, []])('of %p has no text', (value) => {
    expect(textOfDocument(value)).toBe('');
  });
});

withPublished('exports/jira-search.json')('a real Jira search', () => {
  it('has the stories, sub-tasks, sprints and statuses that were counted in it', async () => {
    const file = createReadStream(published('exports/jira-search.json'));
    const { stories, sprints, skipped, codes, unmapped } = await planOf(jiraJson, file);
    const tasks = stories.flatMap((story) => story.tasks ?? []);
    expect([stories.length, tasks.length]).toEqual([20, 12]);
    expect(skipped.map(({ code }) => code)).toEqual(['epic']);
    expect(counts(stories.map(({ status }) => status))).toEqual({ done: 15, todo: 5 });
    expect(counts(tasks.map(({ status }) => status))).toEqual({ done: 10, todo: 2 });
    expect(
      sprints.map(({ key, name, start_date, end_date, completed_at }) => [
        name,
        start_date,
        end_date,
        completed_at !== null,
        stories.filter((story) => story.sprints?.at(-1) === key).length,
      ]),
    ).toEqual([
      ['EE Sprint 7', '2020-06-12', '2020-06-26', true, 15],
      ['EE Sprint 9', '2020-07-13', '2020-07-27', true, 1],
      ['K5 Sprint 1', '2022-07-15', '2022-07-29', false, 2],
    ]);
    const inSprint7 = stories.filter((story) => story.sprints?.includes('id:7'));
    expect(inSprint7.flatMap((story) => story.tasks).length).toBe(12);
    expect(
      stories.flatMap(({ external_id, points }) =>
        points === null ? [] : [[external_id, points]],
      ),
    ).toEqual([['jira:EE-2', 2]]);
    expect(stories.some(({ title }) => /[\u200b\0]/.test(title ?? ''))).toBe(false);
    expect(codes).toEqual({
      subtask_missing: 28,
      parent_ignored: 1,
      open_in_completed_sprint: 1,
      characters_removed: expect.any(Number),
      points_invalid: 1,
    });
    expect(unmapped.size).toBe(0);
  });
});
