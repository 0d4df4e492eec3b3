import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { useApp } from '../support/app';
import type { Answer } from '../support/client';
import { nextPage } from '../support/client';
import { boardPath, freshName, made2xx, Workspace } from '../support/make';
import { expectErrors } from '../support/problems';
import { upload } from '../support/upload';

const CSV = { headers: { accept: 'text/csv' } };
const COLUMNS = [
  'external_id',
  'title',
  'description',
  'status',
  'priority',
  'points',
  'assignee',
  'labels',
  'seq',
  'sprint',
];

const service = useApp();
let board: Workspace;
let sprint: any;
beforeAll(async () => {
  service.clock.set('2026-11-24T12:00:00Z');
  board = await Workspace.create(service.client);
  sprint = await board.sprint('2026-11-23', { name: 'Sprint 1' });
  await board.story(sprint, { title: 'one', points: 0.5, labels: ['a,b', 'c\\d'], priority: -1 });
  await board.story(sprint, { title: '=cmd()', status: 'done', external_id: 'X-1', assignee: 'A' });
  await board.story(null, { title: 'three\n"lines"', description: "'=1" });
});

const records = ({ text }: Answer): Record<string, string>[] => parse(text, { columns: true });
/** The rows of a table, without empty cells. */
const filled = (answer: Answer): Record<string, string>[] =>
  records(answer).map((row) =>
    Object.fromEntries(Object.entries(row).filter(([, cell]) => cell !== '')),
  );
const cells = (answer: Answer, column: string): string[] =>
  records(answer).map((row) => row[column] ?? '');

describe('a list of stories as CSV', () => {
  it('has the columns that an import reads, and a row for each story', async () => {
    const answer = await service.client.get(`${board.path}/stories`, CSV);
    expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8; header=present');
    expect(answer.text.split('\r\n')[0]).toBe(COLUMNS.join(','));
    expect(filled(answer)).toEqual([
      {
        title: 'one',
        status: 'todo',
        priority: "'-1",
        points: '0.5',
        labels: 'a\\,b,c\\\\d',
        seq: '1',
        sprint: 'Sprint 1',
      },
      { title: 'three\n"lines"', description: "''=1", status: 'todo', seq: '1' },
      {
        external_id: 'X-1',
        title: "'=cmd()",
        status: 'done',
        assignee: 'A',
        seq: '2',
        sprint: 'Sprint 1',
      },
    ]);
  });

  it('is available for every list of stories, by Accept and by ?format=', async () => {
    const { id } = sprint;
    for (const path of [
      `/api/sprints/${id}/stories`,
      `${board.path}/sprints/current/stories`,
      `${board.path}/backlog`,
      `${board.path}/stories`,
    ]) {
      const json = await service.client.get(path);
      const csv = await service.client.get(path, CSV);
      expect([json, csv].map(({ headers }) => headers.get('vary'))).toEqual(['Accept', 'Accept']);
      expect(cells(csv, 'seq')).toEqual(json.body.map(({ seq }: any) => String(seq)));
      const asked = await service.client.get(`${path}?format=csv`);
      expect(asked.text).toBe(csv.text);
      const head = await service.client.call('HEAD', `${path}?format=csv`);
      expect(head.headers.get('etag')).toBe(csv.headers.get('etag'));
      expect((await service.client.get(`${path}?format=json`, CSV)).body).toEqual(json.body);
    }
  });

  it('has an entity tag of its own, and the revision of the board', async () => {
    const path = `${board.path}/stories`;
    const [json, csv] = [await service.client.get(path), await service.client.get(path, CSV)];
    const tag = csv.headers.get('etag') ?? '';
    expect(tag).not.toBe(json.headers.get('etag'));
    expect(csv.headers.get('x-board-revision')).toBe(json.headers.get('x-board-revision'));
    const again = { headers: { accept: 'text/csv', 'if-none-match': tag } };
    expect((await service.client.get(path, again)).status).toBe(304);
    expect((await service.client.get(path, { headers: { 'if-none-match': tag } })).status).toBe(
      200,
    );
    await board.story(null, { title: 'new' });
    expect((await service.client.get(path, again)).status).toBe(200);
  });

  it('is filtered, sorted and paged like the JSON', async () => {
    const other = await Workspace.create(service.client);
    for (let i = 0; i < 7; i += 1) await other.story(null, { title: `s${i}`, priority: i % 2 });
    const path = `${other.path}/backlog?sort=-title&priority=1&limit=2&count=true`;
    const pages: string[][] = [];
    for (let next: string | undefined = `${path}&format=csv`; next;) {
      const page: Answer = await service.client.get(next);
      expect(page.headers.get('x-total-count')).toBe('3');
      pages.push(cells(page, 'title'));
      next = nextPage(page);
    }
    expect(pages).toEqual([['s5', 's3'], ['s1']]);
  });

  it('of an empty board can be imported, which creates nothing else', async () => {
    const empty = await Workspace.create(service.client);
    const { text } = await service.client.get(`${empty.path}/stories?format=csv`);
    const name = freshName('Empty');
    for (const query of ['', '?format=csv']) {
      expect(await made2xx(upload(service.client, name, text, { query }))).toMatchObject({
        format: 'csv',
        created: { sprints: 0, stories: 0, tasks: 0 },
        skipped: [],
        warnings: [],
      });
    }
  });

  it('has only the header if there are no stories', async () => {
    const empty = await Workspace.create(service.client);
    const answer = await service.client.get(`${empty.path}/backlog`, CSV);
    expect(answer.text).toBe(`${COLUMNS.join(',')}\r\n`);
  });

  it('has the id of a sprint if its name is missing, not unique or the id of such a sprint', async () => {
    const other = await Workspace.create(service.client);
    const labels: string[] = [];
    let unnamed = 0;
    for (const name of [null, 'Twice', 'Twice ', '#id', '#0', 'Once', ' ']) {
      const { id } = await other.sprint('2026-11-23', {
        name: name === '#id' ? `#${unnamed}` : name,
      });
      if (name === null) unnamed = id;
      await other.story({ id }, {});
      labels.push(name === 'Once' || name === '#0' ? name : `#${id}`);
    }
    const answer = await service.client.get(`${other.path}/stories`, CSV);
    expect(cells(answer, 'sprint')).toEqual(labels);
  });

  it('rejects `fields` and other formats', async () => {
    const { client } = service;
    for (const options of [undefined, CSV]) {
      const path = `${board.path}/stories?fields=id${options ? '' : '&format=csv'}`;
      expectErrors(await client.get(path, options), 'fields excluded');
    }
    const svg = await client.get(`${board.path}/stories`, { headers: { accept: 'image/svg+xml' } });
    expect([svg.status, svg.body.code]).toEqual([406, 'not_acceptable']);
    expectErrors(await client.get(`${board.path}/stories?format=svg`), 'format invalid_value');
  });

  it('is streamed if it is long', async () => {
    const long = await Workspace.create(service.client);
    for (let i = 0; i < 20; i += 1) {
      await long.story(null, { title: `s${i}`, description: `${i},`.repeat(10_000) });
    }
    const answer = await service.client.get(`${long.path}/backlog`, CSV);
    expect(answer.headers.get('transfer-encoding')).toBe('chunked');
    expect(cells(answer, 'description').map(({ length }) => length)).toEqual(
      Array.from({ length: 20 }, (_, i) => `${i},`.length * 10_000),
    );
  });

  it('is imported again with equal fields', async () => {
    const unit = fc.constantFrom(...'=+-@\t\r\n\'",;\\# aé😀');
    const text = (maxLength: number) =>
      fc.string({ unit, minLength: 1, maxLength }).filter((one) => one.trim() !== '');
    const story = fc.record({
      title: text(20),
      description: fc.option(text(20)),
      status: fc.constantFrom('todo', 'in_progress', 'done'),
      priority: fc.option(fc.integer({ min: -2147483648, max: 2147483647 })),
      points: fc.option(fc.integer({ min: 0, max: 100_000 }).map((number) => number / 100)),
      assignee: fc.option(text(10)),
      labels: fc.uniqueArray(text(10), { maxLength: 4 }),
      seq: fc.integer({ min: -2147483648, max: 2147483647 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(story, { minLength: 1, maxLength: 20 }), async (stories) => {
        const from = await Workspace.create(service.client);
        for (const [i, one] of stories.entries()) {
          await from.story(null, { ...one, external_id: `=${i}` });
        }
        const file = await service.client.get(`${from.path}/backlog?format=csv`);
        const to = freshName('Read');
        await made2xx(
          upload(service.client, to, file.text, { query: '?format=csv', type: 'text/csv' }),
        );
        const shown = async (path: string): Promise<unknown[]> =>
          (await made2xx<any[]>(service.client.get(`${path}/backlog`))).map((read) =>
            Object.keys(stories[0] as object).map((name) => read[name] as unknown),
          );
        expect(await shown(boardPath(to))).toEqual(await shown(from.path));
      }),
      { numRuns: 10 },
    );
  });
});

describe('the event log as CSV', () => {
  it('has a column for each field, and the changes as JSON', async () => {
    const path = `${board.path}/events`;
    const { body } = await service.client.get(`${path}?limit=3`);
    const answer = await service.client.get(`${path}?limit=3`, CSV);
    const table = records(answer);
    expect(
      table.map(({ revision, id, before = '', after = '', ...rest }) => ({
        ...rest,
        revision: Number(revision),
        id: Number(id),
        before: before === '' ? null : JSON.parse(before),
        after: after === '' ? null : JSON.parse(after),
      })),
    ).toEqual(body.map((event: object) => expect.objectContaining(event)));
    expect(Object.keys(table[0] ?? {})).toEqual(Object.keys(body[0]));
    expect(answer.headers.get('link')).toContain('after=3');
    const filtered = await service.client.get(`${path}?type=sprint.created&format=csv`);
    expect(records(filtered)).toHaveLength(1);
  });
});
