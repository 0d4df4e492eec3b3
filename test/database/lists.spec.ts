import { DeletedBoards } from '../../src/boards/deleted-boards.service';
import type { FilterName } from '../../src/stories/story-list-source';
import { useApp } from '../support/app';
import type { Answer } from '../support/client';
import { nextPage } from '../support/client';
import { made2xx, Workspace } from '../support/make';
import { expectErrors, expectProblem } from '../support/problems';
import { onStatement } from '../support/statements';

const service = useApp();
let board: Workspace;
let sprint: any;
let stories: any[];

/** Twelve stories with different values of every field, in the backlog and in a sprint. */
const STORIES = [
  { title: 'Banana bread', seq: 5, priority: 2, points: 3, labels: ['food', 'a'], assignee: 'Ada' },
  { title: 'apple pie', seq: 3, priority: null, points: 0.5, labels: ['food'], status: 'done' },
  { title: 'Äpfel 100%', seq: 3, priority: -1, points: null, description: 'grün_gelb GROẞ' },
  { title: 'cherry', seq: -4, priority: 2, points: 13, labels: ['a b', 'x"y\\z'], assignee: 'Bob' },
  { title: 'Straße', seq: 1, priority: 0, points: 3, status: 'in_progress', external_id: 'X-1' },
  { title: 'apple', seq: 9, priority: null, points: null, assignee: 'ada', status: 'done' },
  { title: 'ΟΔΥΣΣΕΥΣ', seq: 9, priority: 5, points: 8, description: 'of Ithaca', labels: ['A'] },
  { title: 'Zebra', seq: 2, priority: 5, points: 1.25, assignee: 'Ada Lovelace' },
  { title: 'zebra', seq: 2, priority: 5, points: 1.25, external_id: 'x-1' },
  { title: '😀 smile', seq: 7, priority: 2147483647, points: 1000, labels: ['😀'] },
  { title: 'quote \' " \\ %', seq: 6, priority: -2147483648, points: 0, labels: ['%', '_'] },
  { title: 'e\u0301clair', seq: 6, priority: 0, points: 0.01, description: 'Apple inside' },
];

/** A value of each filter, and the stories that it matches. Without a value it is the id of the sprint. */
const FILTERS: Record<FilterName, [value: string | undefined, fits: (story: any) => boolean]> = {
  status: ['done', (story) => story.status === 'done'],
  assignee: ['Ada', (story) => story.assignee === 'Ada'],
  label: ['food', (story) => story.labels.includes('food')],
  priority: ['2', (story) => story.priority === 2],
  sprint_id: [undefined, (story) => story.sprint_id === sprint.id],
  q: ['apple', (story) => /apple/i.test(`${story.title} ${story.description}`)],
  external_id: ['X-1', (story) => story.external_id === 'X-1'],
  updated_since: [
    '2026-11-21T12:00:03Z',
    (story) => story.updated_at >= '2026-11-21T12:00:03.000Z',
  ],
};

beforeAll(async () => {
  board = await Workspace.create(service.client);
  sprint = await board.sprint('2026-11-23');
  stories = [];
  for (const [i, story] of STORIES.entries()) {
    service.clock.set(`2026-11-21T12:00:${String(i % 5).padStart(2, '0')}.500Z`);
    stories.push(await board.story(i % 2 ? sprint : null, story));
  }
  service.clock.set();
});

const titles = async (query: string): Promise<string[]> => {
  const answer = await service.client.get(`${board.path}/stories?${query}`);
  if (answer.status !== 200) throw new Error(answer.text);
  return answer.body.map((story: any) => story.title as string);
};

/** Returns the titles of the stories that match, in the default order. */
const expected = (fits: (story: any) => boolean): string[] =>
  [...stories]
    .sort((a, b) => a.seq - b.seq || a.id - b.id)
    .filter(fits)
    .map(({ title }) => title as string);

/** Reads all pages of a list. */
async function paged(path: string, between?: () => Promise<unknown>): Promise<any[][]> {
  const pages: any[][] = [];
  let next: string | undefined = path;
  while (next !== undefined) {
    const page: { body: any[]; headers: Headers } = await service.client.get<any[]>(next);
    pages.push(page.body);
    next = nextPage(page);
    await between?.();
  }
  return pages;
}

describe('a list of stories', () => {
  it('is unpaginated, by seq, then id, by default', async () => {
    const answer = await service.client.get(`${board.path}/stories`);
    expect(answer.body.map(({ title }: any) => title)).toEqual(expected(() => true));
    expect(answer.headers.get('link')).toBeNull();
    expect(answer.headers.get('x-total-count')).toBeNull();
  });

  it.each(Object.keys(FILTERS) as FilterName[])('is filtered by %s', async (name) => {
    const [value, fits] = FILTERS[name];
    const query = `${name}=${encodeURIComponent(value ?? sprint.id)}`;
    expect(await titles(query)).toEqual(expected(fits));
  });

  it('is filtered by the least priority, and by whole labels', async () => {
    expect(await titles('priority=-2147483648')).toEqual(['quote \' " \\ %']);
    for (const label of ['food', 'a', 'A', 'a b', 'x"y\\z', '😀', '%', '_']) {
      expect(await titles(`label=${encodeURIComponent(label)}`)).toEqual(
        expected((s) => s.labels.includes(label)),
      );
    }
    expect(await titles('label=fo')).toEqual([]);
    expect(await titles('label=%22')).toEqual([]);
  });

  it('has rows that match any value of a filter, and all filters', async () => {
    expect(await titles('status=done&status=in_progress')).toEqual(
      expected((s) => s.status !== 'todo'),
    );
    expect(await titles('assignee=Ada&assignee=Bob')).toEqual(
      expected((s) => ['Ada', 'Bob'].includes(s.assignee)),
    );
    expect(await titles('label=food&label=%F0%9F%98%80')).toEqual(
      expected((s) => s.labels.some((label: string) => ['food', '😀'].includes(label))),
    );
    expect(await titles('priority=5&label=A')).toEqual(['ΟΔΥΣΣΕΥΣ']);
    expect(await titles('status=done&status=done')).toEqual(expected((s) => s.status === 'done'));
  });

  it('has rows with null for a filter with an empty value', async () => {
    expect(await titles('assignee=')).toEqual(expected((s) => s.assignee === null));
    expect(await titles('priority=')).toEqual(expected((s) => s.priority === null));
    expect(await titles('priority=&priority=0')).toEqual(
      expected((s) => s.priority === null || s.priority === 0),
    );
    expect(await titles('label=')).toEqual(expected((s) => s.labels.length === 0));
    for (const query of ['label=&label=a', 'label=a&label=']) {
      expect([query, await titles(query)]).toEqual([
        query,
        expected((s) => s.labels.length === 0 || s.labels.includes('a')),
      ]);
    }
    expect(await titles('external_id=')).toEqual(expected((s) => s.external_id === null));
    expect(await titles('sprint_id=')).toEqual(expected((s) => s.sprint_id === null));
    expect(await titles('status=')).toEqual([]);
    expect(await titles('q=')).toEqual(expected(() => true));
  });

  it('is searched for all words, in title or description, in any case', async () => {
    const search = (text: string): Promise<string[]> => titles(`q=${encodeURIComponent(text)}`);
    expect(await search('APPLE')).toEqual(
      expected((s) => /apple/i.test(`${s.title} ${s.description}`)),
    );
    expect(await search('pie  Apple')).toEqual(['apple pie']);
    expect(await search('inside éclair')).toEqual(['e\u0301clair']);
    expect(await search('E\u0301CLAIR')).toEqual(['e\u0301clair']);
    expect(await search('STRASSE')).toEqual(['Straße']);
    expect(await search('straße')).toEqual(['Straße']);
    expect(await search('STRAẞE')).toEqual(['Straße']);
    expect(await search('groß')).toEqual(['Äpfel 100%']);
    expect(await search('GROSS')).toEqual(['Äpfel 100%']);
    expect(await search('οδυσσευς')).toEqual(['ΟΔΥΣΣΕΥΣ']);
    expect(await search('äpfel')).toEqual(['Äpfel 100%']);
    expect(await search('ITHACA')).toEqual(['ΟΔΥΣΣΕΥΣ']);
    expect(await search('😀')).toEqual(['😀 smile']);
    expect(await search('nothing')).toEqual([]);
  });

  it('is searched for any of several texts, and for all words of one of them', async () => {
    const about = (s: any): string => `${s.title} ${s.description}`.toLowerCase();
    const matches = (s: any): boolean =>
      (about(s).includes('pie') && about(s).includes('apple')) || about(s).includes('smile');
    expect(expected(matches).length).toBe(2);
    expect(await titles('q=pie+apple&q=SMILE')).toEqual(expected(matches));
    expect(await titles('q=nothing&q=pie')).toEqual(['apple pie']);
    expect(await titles('q=pie&q=')).toEqual(expected(() => true));
    expect(await titles('q=pie&q=smile&q=smile&label=none')).toEqual([]);
  });

  it('is searched in any case for letters whose upper or lower case is decomposed', async () => {
    const { client } = service;
    const other = await Workspace.create(client);
    for (const title of ['\u0130zmir', 'Μα\u0390ου', 'πρα\u03b0νω', 'ῒῗῢῧ']) {
      await other.story(null, { title });
      for (const q of [title, title.toLowerCase(), title.toUpperCase()]) {
        const found = await client.get(`${other.path}/stories?q=${encodeURIComponent(q)}`);
        expect([q, found.body.map((story: any) => story.title)]).toEqual([q, [title]]);
      }
    }
  });

  it('is searched for the words of a changed title or description, not for the former ones', async () => {
    const work = await Workspace.create(service.client);
    const { id } = await work.story(null, { title: 'old title', description: 'old text' });
    const matches = async (word: string): Promise<number> =>
      (await made2xx(service.client.get<any[]>(`${work.path}/stories?q=${word}`))).length;
    await made2xx(service.client.patch(`/api/stories/${id}`, { description: 'new words' }));
    expect([await matches('words'), await matches('text'), await matches('title')]).toEqual([
      1, 0, 1,
    ]);
    await made2xx(service.client.patch(`/api/stories/${id}`, { title: 'name' }));
    expect([await matches('name'), await matches('title'), await matches('words')]).toEqual([
      1, 0, 1,
    ]);
  });

  it('searches %, _, quotes and backslashes literally', async () => {
    const search = (text: string): Promise<string[]> => titles(`q=${encodeURIComponent(text)}`);
    expect(await search('%')).toEqual(expected((s) => s.title.includes('%')));
    expect(await search('0%')).toEqual(['Äpfel 100%']);
    expect(await search('_')).toEqual(['Äpfel 100%']);
    expect(await search('grün_gelb')).toEqual(['Äpfel 100%']);
    expect(await search('gr_n')).toEqual([]);
    expect(await search(`' " \\`)).toEqual(['quote \' " \\ %']);
    expect(await search(`' OR 1=1 --`)).toEqual([]);
  });

  it('is sorted by any fields, with null last, and by id where these are equal', async () => {
    const nullsLast =
      (name: string, sign: number) =>
      (a: any, b: any): number =>
        a[name] === b[name]
          ? 0
          : a[name] === null
            ? 1
            : b[name] === null
              ? -1
              : sign * (a[name] < b[name] ? -1 : 1);
    for (const name of ['seq', 'priority', 'points', 'created_at', 'updated_at']) {
      for (const [word, sign] of [
        [name, 1],
        [`-${name}`, -1],
      ] as const) {
        const sorted = [...stories].sort((a, b) => nullsLast(name, sign)(a, b) || a.id - b.id);
        expect([word, await titles(`sort=${word}`)]).toEqual([
          word,
          sorted.map(({ title }) => title),
        ]);
      }
    }
    const sorted = [...stories].sort(
      (a, b) => nullsLast('priority', 1)(a, b) || nullsLast('points', -1)(a, b) || a.id - b.id,
    );
    expect(await titles('sort=priority,-points')).toEqual(sorted.map(({ title }) => title));
  });

  it('is sorted by title in code-point order', async () => {
    const byCodePoint = [...STORIES.map(({ title }) => title)].sort((a, b) =>
      Buffer.compare(Buffer.from(a), Buffer.from(b)),
    );
    expect(await titles('sort=title')).toEqual(byCodePoint);
    expect(await titles('sort=-title')).toEqual(byCodePoint.reverse());
  });

  it('shows only the requested fields', async () => {
    const { client } = service;
    const answer = await client.get<any[]>(`${board.path}/backlog?fields=title,id,labels`, {
      undocumented: true,
    });
    const whole = (await client.get<any[]>(`${board.path}/backlog`)).body;
    expect(answer.body).toEqual(whole.map(({ id, title, labels }) => ({ title, id, labels })));
    expect(Object.keys(answer.body[0])).toEqual(['title', 'id', 'labels']);
  });

  it('shows the stories that changed since an instant', async () => {
    const since = (instant: string): Promise<string[]> =>
      titles(`updated_since=${encodeURIComponent(instant)}`);
    const from = '2026-11-21T12:00:03.500Z';
    expect(await since(from)).toEqual(expected((s) => s.updated_at >= from));
    expect(await since('2026-11-21T14:00:03.500+02:00')).toEqual(
      expected((s) => s.updated_at >= from),
    );
    expect(await since('2026-11-21')).toEqual(expected(() => true));
    expect(await since('2026-11-22')).toEqual([]);
    const changed = expected((s) => s.updated_at >= from);
    expect(await titles(`updated_since=2026-11-22&updated_since=${from}`)).toEqual(changed);
    expect(await titles(`updated_since=${from}&updated_since=2026-11-22`)).toEqual(changed);
    for (const [instant, code] of [
      ['x', 'invalid_type'],
      ['2026-02-30T00:00:00Z', 'invalid_date'],
      ['0999-01-01T00:00:00Z', 'out_of_range'],
      ['9999-12-31T23:00:00-02:00', 'out_of_range'],
      ['1000-01-01T00:00:00+02:00', 'out_of_range'],
      ['', 'invalid_type'],
    ] as const) {
      const answer = await service.client.get(
        `${board.path}/stories?updated_since=${encodeURIComponent(instant)}`,
      );
      expectErrors(answer, `updated_since ${code}`);
      const second = `${board.path}/stories?updated_since=${from}&updated_since=${encodeURIComponent(instant)}`;
      expectErrors(await service.client.get(second), `updated_since ${code}`);
    }
  });

  it('is counted on request', async () => {
    const { client } = service;
    const counted = await client.get(`${board.path}/stories?count=true&limit=2&status=done`);
    expect(counted.headers.get('x-total-count')).toBe('2');
    expect(
      (await client.get(`${board.path}/backlog?count=true`)).headers.get('x-total-count'),
    ).toBe('6');
    expect(
      (await client.get(`${board.path}/backlog?count=false`)).headers.get('x-total-count'),
    ).toBeNull();
  });

  it('accepts hundreds of values and twenty words', async () => {
    const many = (name: string, count: number): string =>
      Array.from({ length: count }, (_, i) => `${name}=${i.toString(36)}`).join('&');
    expect(await titles(many('assignee', 500))).toEqual([]);
    expect(await titles(many('priority', 500).replaceAll(/=[^&]*[a-z][^&]*/g, '=2'))).not.toEqual(
      [],
    );
    expect(await titles(many('label', 100))).toEqual(expected((s) => s.labels.includes('a')));
    expect(await titles(`q=${'a+'.repeat(500)}&${many('label', 100)}`)).not.toBeNull();
    expectErrors(
      await service.client.get(`${board.path}/stories?${many('label', 101)}`),
      'label too_many',
    );
    const words = (count: number): string => Array.from({ length: count }, (_, i) => i).join('+');
    expect(await titles(`q=${words(20)}`)).toEqual([]);
    expectErrors(await service.client.get(`${board.path}/stories?q=${words(21)}`), 'q too_many');
  });

  it('is rejected with every invalid parameter at once', async () => {
    expectErrors(
      await service.client.get(
        `${board.path}/stories?limit=0&count=yes&status=open&priority=x&sprint_id=0&sort=size&fields=id,nope&page=2&sort_by=a`,
      ),
      'limit out_of_range',
      'count invalid_type',
      'status invalid_value',
      'priority invalid_type',
      'sprint_id out_of_range',
      'sort invalid_value',
      'fields invalid_value',
      'page unknown_field',
      'sort_by unknown_field',
    );
    expectErrors(await service.client.get(`${board.path}/stories?sort=seq,-seq`), 'sort duplicate');
    expectErrors(
      await service.client.get(`${board.path}/stories?fields=id,id`),
      'fields duplicate',
    );
    expectErrors(
      await service.client.get(`${board.path}/stories?limit=1&limit=2`),
      'limit duplicate',
    );
    expectErrors(
      await service.client.get(`${board.path}/stories?limit=1001`),
      'limit out_of_range',
    );
  });
});

describe('pages', () => {
  it('together are the unpaginated list, in every order', async () => {
    for (const sort of [
      'seq',
      '-seq',
      'priority',
      '-priority',
      'points',
      '-points',
      'title',
      '-title',
      'created_at',
      '-updated_at',
      'points,-title',
      '-priority,points,created_at',
    ]) {
      const whole = (await service.client.get(`${board.path}/stories?sort=${sort}`)).body;
      for (const limit of [1, 3, 12]) {
        const pages = await paged(`${board.path}/stories?sort=${sort}&limit=${limit}`);
        expect([sort, limit, pages.flat()]).toEqual([sort, limit, whole]);
        expect(pages.every((page, i) => page.length === limit || i === pages.length - 1)).toBe(
          true,
        );
        expect(pages).toHaveLength(12 / limit);
      }
    }
  });

  it('have the filters and fields of the first page, and may have another size', async () => {
    const { client } = service;
    const path = `${board.path}/stories?assignee=&fields=title&limit=2`;
    const first = await client.get(path, { undocumented: true });
    const link = nextPage(first) ?? '';
    const rest = await client.get(link.replace('limit=2', 'limit=100'), { undocumented: true });
    expect([...first.body, ...rest.body].map(({ title }: any) => title)).toEqual(
      expected((s) => s.assignee === null),
    );
    const whole = await client.get(link.replace('limit=2&', ''), { undocumented: true });
    expect(whole.body).toEqual(rest.body);
  });

  it('exist for every list', async () => {
    const { client } = service;
    const own = await Workspace.create(client);
    const inside = await own.sprint('2026-11-23');
    for (let i = 0; i < 6; i += 1) await own.sprint(`2026-11-${23 + (i % 3)}`);
    for (let i = 0; i < 7; i += 1) await own.story(inside, { seq: i % 2 });
    const story = await own.story(null);
    for (let i = 0; i < 7; i += 1) await own.task(story, { seq: i % 3 });
    for (const path of [
      `${own.path}/sprints`,
      `/api/sprints/${inside.id}/stories`,
      `/api/stories/${story.id}/tasks`,
    ]) {
      const whole = (await client.get(path)).body;
      expect(whole).toHaveLength(7);
      expect((await paged(`${path}?limit=2`)).flat()).toEqual(whole);
    }
  });

  it('neither skip nor repeat a row while rows are inserted and deleted', async () => {
    const { client } = service;
    const own = await Workspace.create(client);
    const initial: any[] = [];
    for (let i = 0; i < 20; i += 1) initial.push(await own.story(null, { seq: i * 10 }));
    let step = 0;
    const pages = await paged(`${own.path}/backlog?limit=4`, async () => {
      // Inserts a story before and one after the current position, and deletes the last story of the page.
      await own.story(null, { title: 'before', seq: -1 });
      await own.story(null, { title: 'after', seq: 195 });
      const last = initial[step * 4 + 3];
      if (last) await client.delete(`/api/stories/${last.id}`);
      step += 1;
    });
    const ids = pages.flat().map(({ id }) => id as number);
    expect(new Set(ids).size).toBe(ids.length);
    for (const { id } of initial) expect(ids).toContain(id);
    expect(pages.flat().some(({ title }) => title === 'before')).toBe(false);
  });

  it('have a cursor that is valid only for its path, filters and sort', async () => {
    const { client } = service;
    const first = await client.get(`${board.path}/stories?limit=2&sort=title&status=todo`);
    const link = nextPage(first) ?? '';
    const cursor = new URLSearchParams(link.split('?')[1]).get('cursor') ?? '';
    for (const same of ['', '&limit=1&count=true', '&fields=id', '&format=csv']) {
      const path = `${board.path}/stories/?status=todo&cursor=${cursor}&sort=title${same}`;
      expect((await client.get(path, { undocumented: true })).status).toBe(200);
    }
    for (const other of [
      `${board.path}/backlog?limit=2&sort=title&status=todo`,
      `${board.path}/stories?limit=2&sort=-title&status=todo`,
      `${board.path}/stories?limit=2&sort=title&status=done`,
      `${board.path}/stories?limit=2&sort=title&status=todo&assignee=`,
      `${board.path}/stories?limit=2`,
    ]) {
      expectErrors(await client.get(`${other}&cursor=${cursor}`), 'cursor invalid_cursor');
    }
  });

  it('have a cursor of the current sprint that is valid only while this sprint is current', async () => {
    const { client } = service;
    const own = await Workspace.create(client);
    for (const start of ['2026-01-05', '2026-01-19']) {
      const id = await own.sprint(start);
      for (let i = 0; i < 3; i += 1) await own.story(id);
    }
    const list = `${own.path}/sprints/current/stories`;
    const links: string[] = [];
    for (const query of ['limit=1', 'limit=1&sort=title']) {
      links.push(nextPage(await client.get(`${list}?${query}`)) ?? '');
    }
    for (const link of links) expect((await client.get(link)).status).toBe(200);
    await made2xx(client.post(`${own.path}/sprints/current/complete`));
    for (const link of links) expectErrors(await client.get(link), 'cursor invalid_cursor');
  });

  it('have a cursor of a board that is not valid for a later board of its name', async () => {
    const { client } = service;
    const fill = async (own: Workspace): Promise<void> => {
      for (let i = 0; i < 3; i += 1) {
        await own.sprint(`2026-01-0${1 + i}`);
        await own.story(null);
      }
    };
    const own = await Workspace.create(client);
    await fill(own);
    const links: string[] = [];
    for (const list of ['sprints', 'backlog', 'stories', 'stories?sort=title']) {
      const url = `${own.path}/${list}${list.includes('?') ? '&' : '?'}limit=1`;
      links.push(nextPage(await client.get(url)) ?? '');
    }
    for (const link of links) expect((await client.get(link)).status).toBe(200);
    await made2xx(client.delete(`${own.path}?force=true`));
    await fill(own);
    for (const link of links) expectErrors(await client.get(link), 'cursor invalid_cursor');
  });

  it('reject a cursor that the service did not create', async () => {
    const { client } = service;
    const encode = (value: unknown): string =>
      Buffer.from(JSON.stringify(value)).toString('base64url');
    const forge = async (path: string, change: (keys: unknown[]) => unknown): Promise<string> => {
      const link = nextPage(await client.get(path)) ?? '';
      const cursor = new URLSearchParams(link.split('?')[1]).get('cursor') ?? '';
      return encode(change(JSON.parse(Buffer.from(cursor, 'base64url').toString()) as unknown[]));
    };
    const path = `${board.path}/stories?limit=1`;
    for (const cursor of [
      'x',
      '%00',
      'AAAA',
      encode(null),
      encode([]),
      encode({}),
      encode('x'),
      '\u{1F600}',
    ]) {
      const answer = await client.get(`${path}&cursor=${encodeURIComponent(cursor)}`);
      expectErrors(answer, 'cursor invalid_cursor');
    }
    expectErrors(await client.get(`${path}&cursor=`), 'cursor blank');
    for (const change of [
      ([to]: unknown[]) => [to],
      ([to, , id]: unknown[]) => [to, null, id],
      ([to, , id]: unknown[]) => [to, { a: 1 }, id],
      ([to, , id]: unknown[]) => [to, [1], id],
      ([to, seq, id]: unknown[]) => [to, seq, id, 1],
    ]) {
      expectErrors(
        await client.get(`${path}&cursor=${await forge(path, change)}`),
        'cursor invalid_cursor',
      );
    }
    // JSON allows numbers that are parsed as Infinity.
    const encoded = (text: string): string => Buffer.from(text).toString('base64url');
    for (const [sort, keys] of [
      ['seq', '1e999,1'],
      ['seq', '1,1e999'],
      ['seq', '0.5,1'],
      ['seq', '"1",1'],
      ['title', '5,1'],
      ['-points', '0,-1e999,1'],
      ['-points', '0,"abc",1'],
    ]) {
      const list = `${board.path}/stories?limit=1&sort=${sort}`;
      const ours = new URL(nextPage(await client.get(list)) ?? '', service.url);
      const cursor = ours.searchParams.get('cursor') ?? '';
      const [to] = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as string[];
      expectErrors(
        await client.get(`${list}&cursor=${encoded(`["${to}",${keys}]`)}`),
        'cursor invalid_cursor',
      );
    }
    const dated = `${board.path}/stories?limit=1&sort=created_at`;
    for (const value of [
      'x',
      '2026-13-45 00:00:00.000',
      '2026-11-21X12:00:00.000',
      '2026-11-21 12:00:00.0000000',
      '2026-11-21 12:00:00',
      '2026-11-21',
      '',
      5,
    ]) {
      const cursor = await forge(dated, ([to, , id]) => [to, value, id]);
      expectErrors(await client.get(`${dated}&cursor=${cursor}`), 'cursor invalid_cursor');
    }
    await board.sprint('2026-12-01');
    for (const value of ['x', '2026-02-30', '2026-02-03T10:00', '2026-02-03 10:00:60Z', 5]) {
      const sprints = `${board.path}/sprints?limit=1`;
      const cursor = await forge(sprints, ([to, , id]) => [to, value, id]);
      expectErrors(await client.get(`${sprints}&cursor=${cursor}`), 'cursor invalid_cursor');
    }
  });

  it('link to the path as it was sent', async () => {
    const { client } = service;
    const own = await Workspace.create(client, 'UTC', 'back\\slash / ünï');
    for (let i = 0; i < 3; i += 1) await own.story(null);
    expect((await paged(`${own.path}/backlog?limit=1`)).flat()).toHaveLength(3);
    const first = await client.get(`${own.path}/backlog?limit=1`);
    expect(first.headers.get('link')).toContain(`<${own.path}/backlog?limit=1&cursor=`);
  });
});

describe('a list whose board, sprint or story is deleted before its rows are read', () => {
  /** Gets a list; `change` runs after the statement that finds its board. */
  async function getDuring(path: string, change: () => Promise<unknown>): Promise<Answer> {
    // Its statements would be counted, too.
    await service.app.get(DeletedBoards).purge();
    let statements = 0;
    const stop = onStatement({
      before: async ({ sql }) => {
        if (statements > 0 || sql.includes('revision_tag')) statements += 1;
        if (statements === 2) await change();
      },
    });
    return service.client.get(path).finally(stop);
  }

  it.each([
    ['board', 'backlog', 'board_not_found'],
    ['board', 'backlog?status=todo', 'board_not_found'],
    ['board', 'backlog?limit=1&count=true', 'board_not_found'],
    ['board', 'backlog?format=csv', 'board_not_found'],
    ['board', 'stories', 'board_not_found'],
    ['board', 'sprints', 'board_not_found'],
    ['board', '/api/sprints/:sprint_id/stories', 'sprint_not_found'],
    ['sprint', '/api/sprints/:sprint_id/stories', 'sprint_not_found'],
    ['sprint', '/api/sprints/:sprint_id/stories?sort=title', 'sprint_not_found'],
    ['board', '/api/stories/:story_id/tasks', 'story_not_found'],
    ['story', '/api/stories/:story_id/tasks', 'story_not_found'],
  ])('is answered with 404, after the deletion of the %s: %s', async (what, list, code) => {
    const { client } = service;
    const board = await Workspace.create(client);
    const sprint = await board.sprint('2020-01-01');
    const story = await board.story(sprint);
    await board.story(null);
    await board.task(story);
    const path = list.replace(':sprint_id', sprint.id).replace(':story_id', story.id);
    const deleted = {
      board: `${board.path}?force=true`,
      sprint: `/api/sprints/${sprint.id}`,
      story: `/api/stories/${story.id}`,
    }[what] as string;
    const url = path.startsWith('/') ? path : `${board.path}/${path}`;
    const answer = await getDuring(url, () => made2xx(client.delete(deleted)));
    expectProblem(answer, 404, code);
    expect(answer.headers.get('x-total-count')).toBeNull();
  });
});
