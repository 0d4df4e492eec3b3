import { createReadStream } from 'node:fs';
import { github } from '../../../src/transfer/formats/github';
import type { SourceFile } from '../../../src/transfer/files/source';
import { ghIssue } from '../../support/github';
import { published, withPublished } from '../../support/published';
import { fileOf, jsonFile } from './files';

/** Returns an issue in the form of the REST API. */
const rest = (number: number, more: object = {}): object => ({
  url: `https://api.github.com/repos/acme/shop/issues/${number}`,
  repository_url: 'https://api.github.com/repos/acme/shop',
  html_url: `https://github.com/acme/shop/issues/${number}`,
  id: 900 + number,
  number,
  title: `Issue ${number}`,
  user: { login: 'ada' },
  labels: [],
  state: 'open',
  assignee: null,
  assignees: [],
  milestone: null,
  comments: 2,
  closed_at: null,
  body: null,
  state_reason: null,
  ...more,
});

const read = (value: unknown): Promise<SourceFile> => github(jsonFile(value, 4096), {});

const ids = ({ stories }: SourceFile): (string | null)[] =>
  stories.map(({ external_id: id }) => id);

describe('GitHub issues', () => {
  it('do not change fields that were not requested from gh', async () => {
    const source = await read([
      { number: 1, title: 'open' },
      { number: 2, title: 'done', closedAt: '2026-03-02T10:00:00Z' },
      { number: 3, title: 'closed', closed: true },
    ]);
    expect(source.lacks).toEqual({
      description: true,
      priority: true,
      points: true,
      assignee: true,
      labels: true,
      sprints: true,
      tasks: true,
    });
    expect(source.stories.map(({ status }) => status?.category)).toEqual([
      undefined,
      'done',
      'done',
    ]);
    const { lacks } = await read([{ number: 1, title: 'in a milestone', milestone: null }]);
    expect(lacks?.labels).toBe(false);
  });

  it.each([
    ['a list', [rest(3), rest(1), rest(2)], 'acme/shop#'],
    ['pages', [[rest(3), rest(1)], [], [rest(2)]], 'acme/shop#'],
    ['a search', { total_count: 3, items: [rest(3), rest(1), rest(2)] }, 'acme/shop#'],
    ['pages of a search', [{ items: [rest(3), rest(1)] }, { items: [rest(2)] }], 'acme/shop#'],
    ['gh', [ghIssue(3), ghIssue(1), ghIssue(2)], ''],
  ])('are stories, the oldest first, from %s', async (_, value, repository) => {
    const source = await read(value);
    expect(ids(source)).toEqual([1, 2, 3].map((number) => `github:${repository}${number}`));
    expect(source.stories.map(({ line }) => line)).toEqual([2, 3, 1]);
    expect(source.stories.map(({ title }) => title)).toEqual(['Issue 1', 'Issue 2', 'Issue 3']);
    expect(source.sprints).toEqual([]);
    expect(source.skipped).toEqual([]);
    expect(source.lacks).toEqual({
      description: false,
      priority: true,
      points: true,
      assignee: false,
      labels: false,
      sprints: true,
      tasks: true,
    });
  });

  it('are read from consecutive pages, and from one issue per line', async () => {
    const page = JSON.stringify([ghIssue(1), ghIssue(2)]);
    for (const text of [
      `${page}${page.replaceAll(':1', ':3').replaceAll(':2', ':4')}`,
      [1, 2, 3, 4].map((number) => JSON.stringify(ghIssue(number))).join('\n'),
      `${JSON.stringify({ items: [ghIssue(1), ghIssue(2)] })} ${JSON.stringify({ items: [ghIssue(3), ghIssue(4)] })}\n`,
    ]) {
      const source = await github(fileOf(text, 50), {});
      expect(ids(source)).toEqual(['github:1', 'github:2', 'github:3', 'github:4']);
      const cut = github(fileOf(text.slice(0, text.lastIndexOf('}')), 50), {});
      await expect(cut).rejects.toThrow('in the middle');
    }
  });

  it('have the same fields in REST and in gh', async () => {
    const fields = {
      title: 'Pay by card',
      body: 'Line 1\r\nLine 2',
      labels: [{ id: 1, name: 'bug', color: 'f00' }, { name: 'points: 5' }],
      assignees: [{ login: 'grace' }, { login: 'ada' }],
      milestone: { number: 2, title: 'v1.0', due_on: null },
    };
    const closed = '2026-02-03T04:05:06Z';
    const ofRest = { state: 'closed', state_reason: 'completed', closed_at: closed };
    const ofGh = { state: 'CLOSED', stateReason: 'COMPLETED', closedAt: closed };
    for (const value of [
      [rest(7, { ...fields, ...ofRest, assignee: { login: 'grace' } })],
      [ghIssue(7, { ...fields, ...ofGh, url: 'https://github.com/acme/shop/issues/7' })],
    ]) {
      const source = await read(value);
      expect(source.stories).toEqual([
        {
          line: 1,
          external_id: 'github:acme/shop#7',
          title: 'Pay by card',
          description: 'Line 1\r\nLine 2',
          status: { name: 'closed', category: 'done' },
          priority: null,
          points: 5,
          assignee: 'grace',
          labels: ['bug', 'points: 5'],
          epic: 'v1.0',
          sprints: [],
          done: closed,
          archived: false,
          parent: null,
          tasks: [],
        },
      ]);
      expect(source.lacks?.points).toBe(false);
      expect(source.warnings.list()).toEqual([
        { code: 'other_assignees', count: 1, examples: ['entry 1: ada'] },
      ]);
    }
  });

  it('have a separate status if they were closed as not planned', async () => {
    const { stories } = await read([
      rest(1),
      rest(2, { state: 'closed', state_reason: 'not_planned' }),
      ghIssue(3, { state: 'CLOSED', stateReason: 'NOT_PLANNED' }),
      rest(4, { state: 'closed' }),
      rest(5, { state: 'open', state_reason: 'reopened' }),
    ]);
    expect(stories.map(({ status }) => [status?.name, status?.category])).toEqual([
      ['open', 'todo'],
      ['not_planned', 'done'],
      ['not_planned', 'done'],
      ['closed', 'done'],
      ['open', 'todo'],
    ]);
  });

  it('are not pull requests, which are skipped', async () => {
    const source = await read([
      rest(1, { pull_request: { url: 'x', merged_at: null } }),
      rest(2),
      ghIssue(3, { url: 'https://github.com/acme/shop/pull/3' }),
      ghIssue(4, { isPullRequest: true }),
      ghIssue(5, { isPullRequest: false, url: 'https://github.com/acme/shop/issues/5' }),
      ghIssue(4, { isPullRequest: true }),
    ]);
    expect(ids(source)).toEqual(['github:acme/shop#2', 'github:acme/shop#5']);
    expect(source.skipped).toEqual([
      { line: 1, code: 'pull_request', detail: '#1 is a pull request' },
      { line: 3, code: 'pull_request', detail: '#3 is a pull request' },
      { line: 4, code: 'pull_request', detail: '#4 is a pull request' },
      { line: 6, code: 'duplicate', detail: '#4 is in the file already' },
    ]);
  });

  it.each([
    ['points: 3', 3],
    ['Story Points: 0.5', 0.5],
    ['size/3', 3],
    ['SP-8', 8],
    ['estimate=13', 13],
    ['5 points', 5],
    ['2pts', 2],
    ['size/XL', null],
    ['points', null],
    ['priority: 1', null],
    ['v3', null],
    ['3', null],
    ['bullet points: 3', null],
    ['points: -1', null],
  ])('have the points of a label %j: %j', async (name, points) => {
    const { stories } = await read([rest(1, { labels: [{ name }] })]);
    expect(stories[0]).toMatchObject({ points, labels: [name] });
  });

  it('have at most a thousand labels, of which the others are not read', async () => {
    const labels = Array.from({ length: 1500 }, (_, i) => `l${i}`);
    const { stories } = await read([rest(1, { labels: [...labels, 'points: 3'] })]);
    expect(stories).toMatchObject([{ points: null }]);
    expect(stories[0]?.labels.length).toBe(1000);
  });

  it('have no points if two labels contradict each other', async () => {
    const { stories } = await read([
      rest(1, { labels: [{ name: 'points: 3' }, { name: 'size/5' }] }),
      rest(2, { labels: ['points: 3', '3 pts'] }),
    ]);
    expect(stories.map(({ points }) => points)).toEqual([null, 3]);
  });

  it('have ids with the name of the repository, if the file contains it', async () => {
    const other = {
      repository_url: 'https://api.github.com/repos/acme/api',
      html_url: 'https://github.com/acme/api/issues/2',
    };
    expect(ids(await read([rest(2), rest(1), rest(2, other)]))).toEqual([
      'github:acme/api#2',
      'github:acme/shop#1',
      'github:acme/shop#2',
    ]);
    const found = (number: number, nameWithOwner: string): object =>
      ghIssue(number, { repository: { name: 'x', nameWithOwner } });
    expect(ids(await read([found(1, 'acme/shop'), found(1, 'acme/api')]))).toEqual([
      'github:acme/api#1',
      'github:acme/shop#1',
    ]);
    const long = `${'o'.repeat(39)}/${'n'.repeat(99)}`;
    expect(ids(await read([found(1, 'acme/shop'), found(12, long)]))).toEqual([
      'github:acme/shop#1',
      `github:${'n'.repeat(90)}#12`,
    ]);
    const url = (name: string): object => ({ url: `https://github.com/${name}/issues/1` });
    expect(ids(await read([ghIssue(1, url('a/b')), ghIssue(1, url('a/c'))]))).toEqual([
      'github:a/b#1',
      'github:a/c#1',
    ]);
  });

  it.each([
    ['an entry without a number', [rest(1), { title: 'x' }], 2],
    ['an entry without a title', [{ number: 1 }], 1],
    ['a number that is a string', [rest(1, { number: '1' })], 1],
    ['a fraction', [rest(1, { number: 1.5 })], 1],
    ['text', [[rest(1), 'x']], 2],
    ['null', [null], 1],
    ['an object', {}, 1],
  ])('are rejected with %s', async (_, value, line) => {
    await expect(read(value)).rejects.toMatchObject({
      code: 'invalid_file',
      detail: `Entry ${line}: it does not have the number and the title of a GitHub issue.`,
      options: { errors: [{ line, code: 'required' }] },
    });
  });

  it('are rejected if there is none', async () => {
    for (const text of ['[]', '[[], []]', '{"items": []}', ' ']) {
      await expect(github(fileOf(text), {})).rejects.toThrow('The file has no issues.');
    }
  });

  it('may have values of the wrong type', async () => {
    const { stories } = await read([
      {
        number: 1,
        title: null,
        labels: 'x',
        assignees: {},
        milestone: 3,
        state: 4,
        body: [],
        url: 5,
      },
    ]);
    expect(stories[0]).toMatchObject({ title: '', labels: [], assignee: null, epic: null });
  });
});

withPublished('exports/github-issues.json')('real GitHub issues', () => {
  it('are read', async () => {
    const file = createReadStream(published('exports/github-issues.json'));
    const { stories, skipped } = await github(file, {});
    expect(stories).toHaveLength(26);
    const codes = skipped.map(({ code }) => code).sort();
    expect(codes).toEqual(['duplicate', ...Array<string>(15).fill('pull_request')]);
    expect(stories.filter(({ labels }) => labels.length === 1)).toHaveLength(11);
    expect(new Set(stories.map(({ epic, status }) => `${epic} ${status?.category}`))).toEqual(
      new Set(['v0.11.0 done']),
    );
    expect(stories.every(({ done }) => done !== null)).toBe(true);
  });
});
