import { request } from 'node:http';
import { startApp, useApp } from '../support/app';
import type { Answer, Client } from '../support/client';
import { eventsOf, made2xx } from '../support/make';
import { expectProblem } from '../support/problems';
import { upload } from '../support/upload';

const service = useApp();
let client: Client;
beforeAll(() => {
  client = service.client;
});

interface Options {
  query?: string;
  type?: string;
  headers?: Record<string, string>;
  by?: Client;
}

/** Sends a file to the import of a board. */
const load = (
  board: string,
  file: string | Buffer,
  { query = 'format=csv', type = 'text/csv', headers = {}, by = client }: Options = {},
): Promise<Answer> => upload(by, board, file, { query: `?${query}`, type, headers });

const of = async (path: string): Promise<any> => (await client.get(path)).body;
const storiesOf = (board: string): Promise<any> => of(`/api/boards/${board}/stories`);

const HEADER = 'external_id,title,description,status,priority,points,assignee,labels,seq,sprint\n';
/** The fields of a story in CSV, without its sprint. */
const FIELDS = HEADER.split(',').slice(0, -1);

describe('an import of CSV', () => {
  it('creates stories with every field, in the order of the file, and their sprints', async () => {
    service.clock.set('2026-11-19T10:00:00.000Z');
    await client.post('/api/boards/All/backlog', { title: 'there before', seq: 40 });
    const answer = await load(
      'All',
      HEADER +
        'A-1," Quotes ""and"", commas ","two\r\nlines",done,-3,2.5,Zoë,"api, späte Post ,x",7,Sprint 10\r\n' +
        '\r\n' +
        'A-2,second,,,,,,,,\r\n' +
        ',\'=third,,in_progress,,,,"a\\,b,c\\\\d",,Sprint 2\r\n',
    );
    expect(answer.status).toBe(200);
    expect(answer.headers.get('x-board-revision')).toBe('7');
    expect(answer.body).toEqual({
      format: 'csv',
      mapping: {
        columns: Object.fromEntries(
          HEADER.trim()
            .split(',')
            .map((name) => [name, name]),
        ),
        sprints: {
          'Sprint 2': { start_date: '2026-11-23', end_date: '2026-12-06' },
          'Sprint 10': { start_date: '2026-12-07', end_date: '2026-12-20' },
        },
      },
      created: { sprints: 2, stories: 3, tasks: 0 },
      updated: { sprints: 0, stories: 0, tasks: 0 },
      unchanged: { sprints: 0, stories: 0, tasks: 0 },
      skipped: [],
      warnings: [
        { code: 'no_external_id', count: 1, examples: ['line 6: =third'] },
        {
          code: 'dates_assumed',
          count: 2,
          examples: ['Sprint 2: 2026-11-23 to 2026-12-06', 'Sprint 10: 2026-12-07 to 2026-12-20'],
        },
      ],
      unmapped: { statuses: [] },
    });
    const sprints = await of('/api/boards/All/sprints');
    expect(sprints.map((sprint: any) => [sprint.name, sprint.start_date, sprint.end_date])).toEqual(
      [
        ['Sprint 2', '2026-11-23', '2026-12-06'],
        ['Sprint 10', '2026-12-07', '2026-12-20'],
      ],
    );
    const [third, first, , second] = await storiesOf('All');
    expect(first).toMatchObject({
      sprint_id: sprints[1].id,
      title: ' Quotes "and", commas ',
      description: 'two\r\nlines',
      seq: 7,
      priority: -3,
      points: 2.5,
      status: 'done',
      assignee: 'Zoë',
      labels: ['api', 'späte Post', 'x'],
      external_id: 'A-1',
      version: 1,
      done_at: '2026-11-19T10:00:00.000Z',
    });
    expect(second).toMatchObject({
      sprint_id: null,
      title: 'second',
      description: null,
      seq: 41,
      priority: null,
      points: null,
      status: 'todo',
      assignee: null,
      labels: [],
    });
    expect(third).toMatchObject({
      sprint_id: sprints[0].id,
      title: '=third',
      seq: 1,
      labels: ['a,b', 'c\\d'],
    });
    service.clock.set();
  });

  it('appends one event for each row, without a gap, with the actor of the request', async () => {
    await load('Logged', HEADER + 'L-1,first,,,,,,,,One\nL-2,second,,,,,,,,One\n');
    const events = await of('/api/boards/Logged/events');
    expect(events.map((event: any) => [event.revision, event.type, event.actor])).toEqual([
      [1, 'board.created', 'anonymous'],
      [2, 'sprint.created', 'anonymous'],
      [3, 'story.created', 'anonymous'],
      [4, 'story.created', 'anonymous'],
    ]);
    expect(events.slice(2).map((event: any) => event.after)).toEqual(await storiesOf('Logged'));
    expect((await client.get('/api/boards/Logged')).body.revision).toBe(4);
  });

  it('places new sprints without dates after the sprints of the board', async () => {
    service.clock.set('2026-11-19T10:00:00.000Z');
    const board = '/api/boards/Followed';
    const created = async (name: string, start_date: string, end_date: string | null) =>
      client.post(`${board}/sprints`, { name, start_date, end_date });
    await created('Sprint 1', '2026-11-02', '2026-11-15');
    await created('Sprint 2', '2026-11-16', '2026-11-29');
    const rows = [1, 2, 3, 4].map((i) => `F-${i},story ${i},,,,,,,,Sprint ${i}\n`);
    const answer = await load('Followed', HEADER + rows.join(''));
    expect(answer.body.mapping.sprints).toEqual({
      'Sprint 3': { start_date: '2026-11-30', end_date: '2026-12-13' },
      'Sprint 4': { start_date: '2026-12-14', end_date: '2026-12-27' },
    });
    await created('Far', '2027-02-01', null);
    await load('Followed', HEADER + 'F-5,story 5,,,,,,,,Sprint 5\n');
    const sprints = await of(`${board}/sprints`);
    expect(sprints.map((sprint: any) => [sprint.name, sprint.start_date, sprint.end_date])).toEqual(
      [
        ['Sprint 1', '2026-11-02', '2026-11-15'],
        ['Sprint 2', '2026-11-16', '2026-11-29'],
        ['Sprint 3', '2026-11-30', '2026-12-13'],
        ['Sprint 4', '2026-12-14', '2026-12-27'],
        ['Far', '2027-02-01', null],
        ['Sprint 5', '2027-02-15', '2027-02-28'],
      ],
    );
    service.clock.set();
  });

  it('changes nothing when it is repeated', async () => {
    const file = HEADER + 'T-1,first,text,done,1,2,ada,"x,y",5,One\nT-2,second,,,,,,,,\n';
    await load('Twice', file);
    const before = [await storiesOf('Twice'), await of('/api/boards/Twice/events')];
    const again = await load('Twice', file);
    expect(again.body).toMatchObject({
      created: { sprints: 0, stories: 0, tasks: 0 },
      updated: { sprints: 0, stories: 0, tasks: 0 },
      unchanged: { sprints: 1, stories: 2, tasks: 0 },
      warnings: [],
    });
    expect(again.headers.get('x-board-revision')).toBe('4');
    expect([await storiesOf('Twice'), await of('/api/boards/Twice/events')]).toEqual(before);
  });

  it('rejects the whole file for an error in its last row, and reports every error', async () => {
    const answer = await load(
      'Faulty',
      'title,points,status,labels,seq\n' +
        '"Two\nlines",1.234,frozen,"a,a",\n' +
        ',2,todo,,5\n' +
        '\n' +
        'right,3,done,,\n' +
        'long,3,,,,6\n' +
        'far,1001,,,2147483648\n',
    );
    expectProblem(answer, 400, 'invalid_file');
    expect(answer.body.errors.map(({ line, code }: any) => [line, code])).toEqual([
      [2, 'invalid_value'],
      [2, 'too_precise'],
      [2, 'duplicate'],
      [4, 'required'],
      [7, 'too_many'],
      [8, 'out_of_range'],
      [8, 'out_of_range'],
    ]);
    expect((await client.get('/api/boards/Faulty')).status).toBe(404);
  });

  it('takes the usual meanings of statuses and priorities, and returns them in the mapping', async () => {
    const answer = await load(
      'Usual',
      'title,status,priority\na, Done ,High\nb,in progress,None\nc,todo,3\n',
    );
    expect([answer.status, answer.body.mapping]).toEqual([
      200,
      {
        columns: { title: 'title', status: 'status', priority: 'priority' },
        status: { Done: 'done', 'in progress': 'in_progress' },
        priority: { High: 2 },
      },
    ]);
    const stories = await storiesOf('Usual');
    expect(stories.map(({ status, priority }: any) => [status, priority])).toEqual([
      ['done', 2],
      ['in_progress', null],
      ['todo', 3],
    ]);
  });

  it('names the statuses and priorities that the mapping can define', async () => {
    const long = 'x'.repeat(256);
    const answer = await load(
      'Unknown',
      `title,status,priority\na, Frozen ,Hot\nb,${long},\nc,done,5\n`,
    );
    expectProblem(answer, 400, 'invalid_file');
    expect(answer.body.errors).toEqual([
      expect.objectContaining({ line: 2, column: 'priority', value: 'Hot' }),
      expect.objectContaining({ line: 2, column: 'status', value: 'Frozen' }),
      { line: 3, code: 'invalid_value', detail: expect.any(String) },
    ]);
  });
});

/** Encodes a form with these parts, in this order. */
function formOf(parts: { name: string; value: string | Buffer; file?: string; type?: string }[]): {
  file: Buffer;
  type: string;
} {
  const boundary = 'the-boundary-7e1';
  const chunks = parts.flatMap(({ name, value, file, type }) => [
    `--${boundary}\r\nContent-Disposition: form-data; name="${name}"` +
      (file === undefined ? '' : `; filename="${file}"`) +
      (type === undefined ? '' : `\r\nContent-Type: ${type}`) +
      '\r\n\r\n',
    value,
    '\r\n',
  ]);
  const file = Buffer.concat([...chunks, `--${boundary}--\r\n`].map((chunk) => Buffer.from(chunk)));
  return { file, type: `multipart/form-data; boundary=${boundary}` };
}

const loadForm = (
  board: string,
  parts: Parameters<typeof formOf>[0],
  query = 'format=csv',
): Promise<Answer> => {
  const { file, type } = formOf(parts);
  return load(board, file, { type, query });
};

describe('a second import', () => {
  const first =
    HEADER + 'U-1,one,old,todo,1,1,ada,x,,One\nU-2,two,,done,,2,,,,One\nU-3,three,,,,,,,,\n';

  it('updates fields that differ, and keeps fields that are not in the file', async () => {
    await load('Updated', first);
    const [one] = (await of('/api/boards/Updated/stories?external_id=U-1')) as any[];
    const answer = await load(
      'Updated',
      'external_id,points,labels,status\nU-1,8,,done\nU-2,2,,done\n',
    );
    expect(answer.body).toMatchObject({
      created: { stories: 0 },
      updated: { stories: 1 },
      unchanged: { stories: 1 },
    });
    const { body: changed } = await client.get(`/api/stories/${one.id}`);
    expect(changed).toMatchObject({
      ...one,
      points: 8,
      labels: [],
      status: 'done',
      done_at: expect.any(String),
      updated_at: expect.any(String),
      version: 2,
    });
  });

  it('moves stories between sprints and the backlog, to the end of the list', async () => {
    await load('Moved', first);
    const answer = await load('Moved', 'external_id,sprint\nU-1,\nU-3,Two\nU-2,Two\n');
    expect(answer.body).toMatchObject({
      created: { sprints: 1 },
      updated: { stories: 3 },
    });
    const sprints = await of('/api/boards/Moved/sprints');
    const two = sprints.find(({ name }: any) => name === 'Two');
    const stories = await of(`/api/sprints/${two.id}/stories`);
    expect(stories.map(({ external_id, seq }: any) => [external_id, seq])).toEqual([
      ['U-3', 1],
      ['U-2', 2],
    ]);
    expect((await of('/api/boards/Moved/backlog')).map((s: any) => s.external_id)).toEqual(['U-1']);
    const [moved] = await of(`/api/stories/${stories[0].id}/history?limit=10`).then((events: any) =>
      events.slice(-1),
    );
    expect([moved.type, moved.before.sprint_id, moved.after.sprint_id]).toEqual([
      'story.moved',
      null,
      two.id,
    ]);
  });

  it('places a new story after those to which the file gives a greater seq', async () => {
    await load('Raised', 'external_id,title\nx-1,A\nx-2,B\n');
    const file = 'external_id,title,seq\nx-1,A,100\nx-2,B,200\nx-3,C,\n';
    expect((await load('Raised', file)).status).toBe(200);
    const stories = await storiesOf('Raised');
    expect(stories.map(({ title, seq }: any) => `${title} ${seq}`)).toEqual([
      'A 100',
      'B 200',
      'C 201',
    ]);
  });

  it('finds a sprint by the id or the name that an export of the board has', async () => {
    const make = (name: string | null): Promise<any> =>
      made2xx(
        client.post('/api/boards/Ids/sprints', {
          start_date: '2026-11-02',
          end_date: '2026-11-06',
          name,
        }),
      );
    const [named, unnamed] = [await make('Named'), await make(null)];
    const answer = await load(
      'Ids',
      `title,sprint\na,Named\nb,#${unnamed.id}\nc,#${named.id}\nd,#${named.id + 100_000}\n`,
    );
    // An export has the name of a named sprint, so its id is that of a sprint of another board.
    expect(answer.body.created).toEqual({ sprints: 2, stories: 4, tasks: 0 });
    const sprints = await of('/api/boards/Ids/sprints');
    expect(sprints.slice(0, 2)).toEqual([named, unnamed]);
    const names = ['Named', null, `#${named.id}`, `#${named.id + 100_000}`];
    expect(sprints.map(({ name }: any) => name)).toEqual(names);
    for (const [i, title] of ['a', 'b', 'c', 'd'].entries()) {
      const stories = await of(`/api/sprints/${sprints[i].id}/stories`);
      expect(stories.map((story: any) => story.title)).toEqual([title]);
    }
  });

  it('of unnamed sprints of another board changes nothing, whatever ids this board has', async () => {
    const { id } = await made2xx(
      client.post('/api/boards/Before/sprints', { start_date: '2026-11-02' }),
    );
    // The sprints of the file get the next ids, so the id of each is the name of the one before.
    const rows = [2, 3, 4].map((n) => `N-${n},story ${n},#${id + n}\n`);
    const file = `external_id,title,sprint\n${rows.join('')}`;
    await load('Elsewhere', file);
    const stories = await storiesOf('Elsewhere');
    expect(new Set(stories.map(({ sprint_id }: any) => sprint_id)).size).toBe(3);
    expect((await load('Elsewhere', file)).body).toMatchObject({
      created: { sprints: 0, stories: 0 },
      updated: { sprints: 0, stories: 0 },
      unchanged: { sprints: 3, stories: 3 },
    });
    expect(await storiesOf('Elsewhere')).toEqual(stories);
    const exported = await client.get('/api/boards/Elsewhere/stories?format=csv');
    expect((await load('Elsewhere', exported.text)).body).toMatchObject({
      updated: { sprints: 0, stories: 0 },
      unchanged: { stories: 3 },
    });
  });

  it('of an export keeps sprints apart whose names differ in white space at the ends', async () => {
    for (const name of ['x', 'x ', '\u00a0x', 'once ']) {
      const sprint = await made2xx(
        client.post('/api/boards/Spaces/sprints', { start_date: '2026-11-02', name }),
      );
      const story = { title: name, external_id: `S-${sprint.id}` };
      await made2xx(client.post(`/api/sprints/${sprint.id}/stories`, story));
    }
    const { text } = await client.get('/api/boards/Spaces/stories?format=csv');
    expect((await load('Spaces', text)).body).toMatchObject({
      created: { sprints: 0, stories: 0 },
      updated: { sprints: 0, stories: 0 },
      unchanged: { sprints: 4, stories: 4 },
    });
    await load('Spaces again', text);
    const copies = await storiesOf('Spaces again');
    expect(new Set(copies.map(({ sprint_id }: any) => sprint_id)).size).toBe(4);
  });

  it('does not move stories of completed sprints, but updates their other fields', async () => {
    service.clock.set('2026-11-20T10:00:00.000Z');
    const make = (name: string, start_date: string): Promise<any> =>
      made2xx(client.post('/api/boards/Done/sprints', { name, start_date }));
    const [past] = [await make('Past', '2026-11-02'), await make('Open', '2026-11-16')];
    await load('Done', HEADER + 'D-1,in it,,done,,1,,,,Past\nD-2,elsewhere,,,,1,,,,Open\n');
    await made2xx(client.post(`/api/sprints/${past.id}/complete`, {}));
    const report = await of(`/api/sprints/${past.id}/report`);
    const answer = await load(
      'Done',
      HEADER + 'D-1,renamed,,done,,1,,,,Open\nD-2,renamed,,,,1,,,,Past\nD-3,new,,,,1,,,,Past\n',
    );
    expect(answer.body).toMatchObject({
      created: { stories: 1 },
      updated: { stories: 2 },
      warnings: [
        {
          code: 'sprint_completed',
          count: 3,
          examples: ['line 2: "renamed", Past', 'line 3: "renamed", Past', 'line 4: "new", Past'],
        },
      ],
    });
    const stories = await storiesOf('Done');
    const names = new Map(
      (await of('/api/boards/Done/sprints')).map(({ id, name }: any) => [id, name]),
    );
    expect(
      stories.map((s: any) => [s.external_id, s.title, names.get(s.sprint_id) ?? null]).sort(),
    ).toEqual([
      ['D-1', 'renamed', 'Past'],
      ['D-2', 'renamed', 'Open'],
      ['D-3', 'new', null],
    ]);
    const { sprint: _, ...frozen } = await of(`/api/sprints/${past.id}/report`);
    expect(frozen).toEqual({ ...report, sprint: undefined });
    service.clock.set();
  });

  it('rejects the whole file for an error in its last row that depends on the board', async () => {
    await load('Whole', first);
    const before = await of('/api/boards/Whole/events');
    const answer = await load('Whole', 'external_id,points\nU-1,8\nU-2,8\nU-9,1\n');
    expectProblem(answer, 400, 'invalid_file');
    expect(answer.body.errors).toEqual([
      { line: 4, code: 'required', detail: 'title is required for a new story' },
    ]);
    expect(await of('/api/boards/Whole/events')).toEqual(before);
  });

  it('rejects a file with more stories than a sprint may have', async () => {
    const rows = Array.from({ length: 2001 }, (_, i) => `F-${i},Story ${i},Full\n`);
    const answer = await load('Full', `external_id,title,sprint\n${rows.join('')}`);
    expectProblem(answer, 409, 'sprint_full');
    expect((await client.get('/api/boards/Full')).status).toBe(404);
    const fits = await load('Full', `external_id,title,sprint\n${rows.slice(1).join('')}`);
    expect(fits.body.created.stories).toBe(2000);
    const again = await load('Full', `external_id,title,sprint\n${rows.slice(1).join('')}`);
    expect(again.body.unchanged.stories).toBe(2000);
    // A story leaves the sprint for each one that is added.
    const header = 'external_id,title,sprint\n';
    const moved = await load('Full', `${header}F-1,Story 1,Next\nG-1,New,Full\n`);
    expect(moved.body).toMatchObject({ created: { stories: 1 }, updated: { stories: 1 } });
    expectProblem(await load('Full', `${header}G-2,New,Full\n`), 409, 'sprint_full');
  });
});

describe("Sprintline's own CSV", () => {
  it('is imported with the same values as the exported list', async () => {
    const titles = ['=1+1', "'=x", "''-y", "'quoted'", '-3', '@all', '\ttab', 'a,"b"\nc', 'ü😀'];
    const sprint = await made2xx(
      client.post('/api/boards/Export/sprints', { start_date: '2026-11-02', name: 'A, B' }),
    );
    for (const [i, title] of titles.entries()) {
      await made2xx(
        client.post(i % 2 ? '/api/boards/Export/backlog' : `/api/sprints/${sprint.id}/stories`, {
          title,
          description: `${title} `,
          labels: [`a,${i}`, '\\', ' x ', title],
          assignee: title,
          priority: -i,
          points: i / 4,
          external_id: `E-${i}`,
          status: (['todo', 'in_progress', 'done'] as const)[i % 3],
        }),
      );
    }
    const { text } = await client.get('/api/boards/Export/stories?format=csv');
    const same = await load('Export', text);
    expect(same.body).toMatchObject({ unchanged: { sprints: 1, stories: 9 }, warnings: [] });
    await load('Other', text);
    const content = async (board: string): Promise<unknown[]> =>
      (await storiesOf(board)).map((story: any) => FIELDS.map((name) => story[name]));
    expect(await content('Other')).toEqual(await content('Export'));
    expect((await client.get('/api/boards/Other/stories?format=csv')).text).toBe(text);
  });

  it.each([
    [';', 'text/csv'],
    ['\t', 'text/tab-separated-values'],
  ])('may be separated by "%s", with a byte order mark', async (separator, type) => {
    const board = `Separated ${type}`;
    const row = (...cells: string[]): string => cells.join(separator);
    const file = [
      row('title', 'points', 'assignee'),
      row('a', '2', '"x; y\tz"'),
      row('b'),
      row('c', '1', '', '', ''),
    ];
    const answer = await load(board, `\ufeff${file.join('\r\n')}`, { type });
    expect(answer.body).toMatchObject({
      created: { stories: 3 },
      warnings: [
        { code: 'short_row', count: 1, examples: ['line 3 has 1 of 3 cells'] },
        { code: 'no_external_id', count: 3 },
      ],
    });
    const [a] = await storiesOf(encodeURIComponent(board));
    expect(a).toMatchObject({ title: 'a', points: 2, assignee: 'x; y\tz' });
  });

  it('keeps the apostrophes of a file whose columns are mapped, because it is not an export', async () => {
    const parts = (mapping: object) => [
      { name: 'mapping', value: JSON.stringify(mapping) },
      { name: 'file', value: "title,Key\n'--type=' is rejected,A-1\n" },
    ];
    await loadForm('Apostrophes', parts({ columns: { external_id: 'Key' } }));
    expect((await storiesOf('Apostrophes'))[0].title).toBe("'--type=' is rejected");
    await loadForm('Formulas', parts({ columns: { title: 'title' } }));
    expect((await storiesOf('Formulas'))[0].title).toBe("--type=' is rejected");
  });

  it('is detected by its columns', async () => {
    const answer = await load('Detected', 'title,sprint\na,\n', { query: '' });
    expect(answer.body.format).toBe('csv');
  });
});

describe('a mapping', () => {
  const file =
    'Key,Summary,State,Urgency,Estimate,Iteration,Reporter\nM-1,a,In Review,High,3,It 1,eve\n';
  const mapping = {
    columns: {
      external_id: 'Key',
      title: 'Summary',
      status: 'State',
      priority: 'Urgency',
      points: 'Estimate',
      sprint: 'Iteration',
    },
    status: { 'in review': 'in_progress' },
    priority: { High: 2 },
    sprints: { 'It 1': { start_date: '2026-01-05', end_date: '2026-01-16' } },
  };

  it('defines the meaning of columns, statuses, priorities and sprints', async () => {
    const answer = await loadForm('Mapped', [
      { name: 'mapping', value: JSON.stringify(mapping), type: 'application/json' },
      { name: 'file', value: file, file: 'stories.csv', type: 'text/csv' },
    ]);
    expect(answer.body).toMatchObject({
      mapping,
      created: { sprints: 1, stories: 1 },
      warnings: [{ code: 'unknown_column', count: 1, examples: ['Reporter'] }],
    });
    expect((await storiesOf('Mapped'))[0]).toMatchObject({
      external_id: 'M-1',
      title: 'a',
      status: 'in_progress',
      priority: 2,
      points: 3,
    });
    expect((await of('/api/boards/Mapped/sprints'))[0]).toMatchObject({
      name: 'It 1',
      start_date: '2026-01-05',
      end_date: '2026-01-16',
    });
  });

  it('has the same result when the mapping of the response is sent', async () => {
    const send = async (board: string, sent: object): Promise<any> => {
      const parts = [
        { name: 'mapping', value: JSON.stringify(sent) },
        { name: 'file', value: file },
      ];
      return (await loadForm(board, parts, 'format=csv&dry_run=true')).body;
    };
    const answer = await send('Returned', mapping);
    expect(await send('Returned', answer.mapping)).toEqual(answer);
  });

  it('is rejected with every error at once', async () => {
    const wrong = {
      columns: { title: 7 },
      status: { Open: 'open', 'To do/~': null, Done: 'done' },
      priority: [1],
      sprints: { A: { start_date: '2026-02-30' }, B: { start_date: '2026-02-02' }, C: {} },
      date_order: 'ydm',
      time_zone: '+02:00',
      subtasks: 'all',
      archived: true,
      extra: 1,
    };
    const answer = await loadForm('Wrong', [
      { name: 'mapping', value: JSON.stringify(wrong) },
      { name: 'file', value: file },
    ]);
    expectProblem(answer, 400, 'invalid_request');
    expect(answer.body.errors.map(({ pointer, code }: any) => [pointer, code]).sort()).toEqual([
      ['/mapping/archived', 'invalid_type'],
      ['/mapping/columns/title', 'invalid_value'],
      ['/mapping/date_order', 'invalid_value'],
      ['/mapping/extra', 'unknown_field'],
      ['/mapping/priority', 'invalid_type'],
      ['/mapping/sprints/A', 'invalid_value'],
      ['/mapping/sprints/C', 'invalid_value'],
      ['/mapping/status/Open', 'invalid_value'],
      ['/mapping/status/To do~1~0', 'invalid_value'],
      ['/mapping/subtasks', 'invalid_value'],
      ['/mapping/time_zone', 'invalid_value'],
    ]);
    const details = answer.body.errors.map(({ detail }: any) => detail).join('\n');
    expect(details).toContain('status/Open must be one of todo, in_progress, done');
    expect(details).toContain('sprints/A must have a start_date');
  });

  it.each<[string, Parameters<typeof formOf>[0], string, string]>([
    ['no file', [{ name: 'mapping', value: '{}' }], '/file', 'required'],
    [
      'a mapping after the file',
      [
        { name: 'file', value: file },
        { name: 'mapping', value: '{}' },
      ],
      '/mapping',
      'invalid_value',
    ],
    [
      'two mappings',
      [
        { name: 'mapping', value: '{}' },
        { name: 'mapping', value: '{}' },
        { name: 'file', value: file },
      ],
      '/mapping',
      'duplicate',
    ],
    [
      'two files',
      [
        { name: 'file', value: 'title\na\n' },
        { name: 'file', value: 'title\nb\n' },
      ],
      '/file',
      'duplicate',
    ],
    [
      'another part',
      [
        { name: 'format', value: 'csv' },
        { name: 'file', value: file },
      ],
      '/format',
      'unknown_field',
    ],
    [
      'a mapping that is not JSON',
      [
        { name: 'mapping', value: '{' },
        { name: 'file', value: file },
      ],
      '/mapping',
      'invalid_type',
    ],
    [
      'a mapping that is a list',
      [
        { name: 'mapping', value: '[]' },
        { name: 'file', value: file },
      ],
      '/mapping',
      'invalid_type',
    ],
  ])('of a form with %s is rejected', async (_, parts, pointer, code) => {
    const answer = await loadForm('Form', parts);
    expectProblem(answer, 400, 'invalid_request');
    const detail = expect.stringMatching(`^${pointer.slice(1)} `);
    expect(answer.body.errors).toEqual([{ pointer, code, detail }]);
    expect((await client.get('/api/boards/Form')).status).toBe(404);
  });

  it('of a form that is cut off is rejected', async () => {
    const { file: whole, type } = formOf([{ name: 'file', value: 'title\na\nb\n', file: 'a.csv' }]);
    for (const length of [0, 10, 60, 100, whole.length - 30]) {
      const answer = await load('Cut', whole.subarray(0, length), { type });
      expect([length, answer.status]).toEqual([length, 400]);
    }
    const answer = await load('Cut', whole, { type: 'multipart/form-data' });
    expectProblem(answer, 400, 'malformed_body');
    expect((await client.get('/api/boards/Cut')).status).toBe(404);
  });
});

describe('a dry run', () => {
  const file =
    'external_id,title,status,points,sprint,other\nR-1,a,done,1,One,\nR-2,b,,,Two\nR-3,c,,,,\n,d,,,,x\n';
  const run = (query: string): Promise<Answer> => load('Rehearsed', file, { query });

  it('has the response of the import, byte for byte, and changes nothing', async () => {
    service.clock.set('2026-11-20T10:00:00.000Z');
    const dryRun = await run('format=csv&dry_run=true');
    expect(dryRun.headers.get('x-board-revision')).toBe('0');
    expect((await client.get('/api/boards/Rehearsed')).status).toBe(404);
    const first = await run('format=csv');
    expect(dryRun.text).toBe(first.text);
    const before = await of('/api/boards/Rehearsed/events');
    const again = await run('format=csv&dry_run=true');
    expect(again.headers.get('x-board-revision')).toBe(String(before.length));
    expect(await of('/api/boards/Rehearsed/events')).toEqual(before);
    expect((await run('format=csv')).text).toBe(again.text);
    service.clock.set();
  });
});

describe('the import of a body', () => {
  it('of another content type is rejected, and all other routes reject files', async () => {
    for (const type of ['text/plain', 'application/xml', 'application/x-www-form-urlencoded', '']) {
      const answer = await load('Types', 'title\na\n', { type });
      expect([type, answer.status]).toEqual([type, 415]);
    }
    expectProblem(
      await load('Types', 'title\na\n', { headers: { 'content-encoding': 'gzip' } }),
      415,
      'unsupported_media_type',
    );
    expectProblem(
      await load('Types', 'title\na\n', { type: 'text/csv; charset=latin1' }),
      415,
      'unsupported_media_type',
    );
    expect((await load('Types', 'title\na\n', { type: 'text/csv; charset=UTF-8' })).status).toBe(
      200,
    );
    for (const type of [
      'text/csv',
      'application/octet-stream',
      'multipart/form-data; boundary=x',
    ]) {
      const answer = await client.post('/api/boards/Types/backlog', undefined, {
        raw: 'title\na\n',
        headers: { 'content-type': type },
      });
      expectProblem(answer, 415, 'unsupported_media_type');
    }
  });

  it('of more than 32 MiB is rejected, and the connection can be used again', async () => {
    const file = Buffer.alloc(33 * 1024 * 1024, ' ').fill('[', 0, 1);
    expectProblem(await load('Big', file), 413, 'content_too_large');
    const { file: form, type } = formOf([{ name: 'file', value: file, file: 'a.csv' }]);
    expectProblem(await load('Big', form, { type }), 413, 'content_too_large');
    const chunked = await new Promise((resolve, reject) => {
      const headers = { 'content-type': 'application/json' };
      const url = `${service.url}/api/boards/Big/import?format=sprintline`;
      const outgoing = request(url, { method: 'POST', headers, agent: false });
      outgoing.once('error', reject).once('response', (incoming) => {
        incoming.resume().once('end', () => resolve(incoming.statusCode));
      });
      outgoing.write(file);
      outgoing.end(file);
    });
    expect(chunked).toBe(413);
    expect((await client.get('/api/boards/Big')).status).toBe(404);
  });

  it('of more than 1 MiB is rejected by other routes', async () => {
    const title = 'x'.repeat(1_100_000);
    expectProblem(
      await client.post('/api/boards/Big/backlog', { title }),
      413,
      'content_too_large',
    );
  });

  it.each<[string, string | Buffer, string]>([
    ['nothing', '', 'invalid_file'],
    ['a ZIP', Buffer.from('504b030414000600080000002100', 'hex'), 'unknown_format'],
    [
      'binary',
      Buffer.from(Array.from({ length: 5000 }, (_, i) => (i * 7) % 256)),
      'unknown_format',
    ],
    ['JSON of an unknown tool', '{"a": [1, 2]}', 'unknown_format'],
    ['a cut JSON', '{"cards": [{"id": "x"', 'unknown_format'],
    ['half a character', Buffer.from('7469746c650a61c3', 'hex'), 'invalid_file'],
  ])('that is %s is rejected', async (_, file, code) => {
    const answer = await load('Refused', file, { query: '', type: 'application/octet-stream' });
    expect([answer.status, answer.body.detail && answer.body.code]).toEqual([400, code]);
    expect((await client.get('/api/boards/Refused')).status).toBe(404);
  });

  it('repeats its response for an idempotency key, and rejects the key for other bytes', async () => {
    const headers = { 'idempotency-key': 'import-1' };
    const first = await load('Keyed', 'title\na\n', { headers });
    const again = await load('Keyed', 'title\na\n', { headers });
    expect([again.text, again.headers.get('idempotent-replayed')]).toEqual([first.text, 'true']);
    expectProblem(await load('Keyed', 'title\nb\n', { headers }), 422, 'idempotency_key_reused');
    const both = await Promise.all(
      [1, 2].map(() => load('Keyed', 'title\nc\n', { headers: { 'idempotency-key': 'two' } })),
    );
    expect(both[0]?.text).toBe(both[1]?.text);
    expect((await storiesOf('Keyed')).map(({ title }: any) => title)).toEqual(['a', 'c']);
    // The boundary of a form differs each time; only the parts are compared.
    const parts = [
      { name: 'mapping', value: '{}' },
      { name: 'file', value: 'title\nd\n' },
    ];
    const { file, type } = formOf(parts);
    const other = {
      file: Buffer.from(file.toString().replaceAll('7e1', '8f2')),
      type: type.replace('7e1', '8f2'),
    };
    for (const form of [{ file, type }, other]) {
      const answer = await load('Keyed', form.file, {
        type: form.type,
        headers: { 'idempotency-key': 'form' },
      });
      expect(answer.status).toBe(200);
    }
    const mapped = formOf([
      { name: 'mapping', value: '{"archived": "import"}' },
      ...parts.slice(1),
    ]);
    const reused = await load('Keyed', mapped.file, {
      type: mapped.type,
      headers: { 'idempotency-key': 'form' },
    });
    expectProblem(reused, 422, 'idempotency_key_reused');
    expect(await storiesOf('Keyed')).toHaveLength(3);
  });
});

describe('concurrent imports', () => {
  const rows = (count: number): string =>
    Array.from({ length: count }, (_, i) => `P-${i},Story ${i},Sprint ${i % 3}\n`).join('');
  const file = `external_id,title,sprint\n${rows(600)}`;

  const expectGapless = async (board: string): Promise<any[]> => {
    const events = await eventsOf(client, board);
    expect(events.map(({ revision }) => revision)).toEqual(events.map((_, i) => i + 1));
    return events;
  };

  it('of one file into a new board create everything once', async () => {
    const answers = await Promise.all([1, 2, 3].map(() => load('Raced', file)));
    const created = answers.map(({ body }) => [body.created.sprints, body.created.stories]);
    expect(created.sort()).toEqual([
      [0, 0],
      [0, 0],
      [3, 600],
    ]);
    expect(await storiesOf('Raced')).toHaveLength(600);
    expect(await of('/api/boards/Raced/sprints')).toHaveLength(3);
    expect(await expectGapless('Raced')).toHaveLength(604);
  });

  it('while 16 clients change the board lose and duplicate nothing', async () => {
    await load('Busy', file);
    const sprint = (await of('/api/boards/Busy/sprints'))[0];
    const changed = file.replaceAll(',Story', ',Changed');
    let writing = true;
    const writers = Array.from({ length: 16 }, async (_, i) => {
      const made: number[] = [];
      while (writing) {
        const path = i % 2 ? '/api/boards/Busy/backlog' : `/api/sprints/${sprint.id}/stories`;
        const { body } = await client.post(path, {
          title: `by ${i}`,
          external_id: `W-${i}-${made.length}`,
        });
        made.push(body.id);
      }
      return made;
    });
    const imports = await Promise.all([1, 2].map(() => load('Busy', changed)));
    writing = false;
    const made = (await Promise.all(writers)).flat();
    expect(imports.map(({ body }) => body.updated.stories).sort()).toEqual([0, 600]);
    const stories = await storiesOf('Busy');
    expect(stories).toHaveLength(600 + made.length);
    expect(stories.filter(({ title }: any) => title.startsWith('Changed'))).toHaveLength(600);
    const events = await expectGapless('Busy');
    expect(events).toHaveLength(604 + 600 + made.length);
  });
});

describe('with tokens', () => {
  it('needs the scope write and access to the board, and logs the actor', async () => {
    const own = await startApp();
    try {
      const admin = (
        await made2xx(own.client.post('/api/tokens', { name: 'Root', scope: 'admin' }))
      ).token;
      const root = own.client.with({ authorization: `Bearer ${admin}` });
      const token = async (body: object): Promise<Client> => {
        const made = await made2xx(root.post('/api/tokens', body));
        return own.client.with({ authorization: `Bearer ${made.token}` });
      };
      await made2xx(root.post('/api/boards', { name: 'Theirs' }));
      const reader = await token({ name: 'Reader', scope: 'read' });
      const guest = await token({ name: 'Guest', scope: 'write', boards: ['Theirs'] });
      const writer = await token({ name: 'Writer', scope: 'write' });
      const csv = 'title\na\n';
      expectProblem(await load('Ours', csv, { by: own.client }), 401, 'unauthorized');
      expectProblem(await load('Ours', csv, { by: reader }), 403, 'forbidden');
      expectProblem(await load('Ours', csv, { by: guest }), 404, 'board_not_found');
      expect((await load('Theirs', csv, { by: guest })).status).toBe(200);
      expect((await load('Ours', csv, { by: writer })).status).toBe(200);
      const actors = async (board: string): Promise<string[]> =>
        (await root.get(`/api/boards/${board}/events`)).body.map(({ actor }: any) => actor);
      expect(await actors('Theirs')).toEqual(['Root', 'Guest']);
      expect(await actors('Ours')).toEqual(['Writer', 'Writer']);
    } finally {
      await own.close();
    }
  });

  it('creates no board if only POST /api/boards may create boards', async () => {
    const own = await startApp({ environment: { CREATE_BOARDS: 'explicit' } });
    try {
      const by = own.client;
      expectProblem(await load('Missing', 'title\na\n', { by }), 404, 'board_not_found');
      expectProblem(await load('Missing', 'nonsense', { by }), 404, 'board_not_found');
      await made2xx(by.post('/api/boards', { name: 'There' }));
      expect((await load('There', 'title\na\n', { by })).status).toBe(200);
    } finally {
      await own.close();
    }
  });
});
