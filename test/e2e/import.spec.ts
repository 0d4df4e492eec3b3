import type { TestApp } from '../support/app';
import { startApp } from '../support/app';
import type { Answer, Client } from '../support/client';
import { expectProblem } from '../support/problems';

let service: TestApp;
let client: Client;
beforeAll(async () => {
  service = await startApp();
  client = service.client;
});
afterAll(() => service.close());

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
): Promise<Answer> =>
  by.call('POST', `/api/boards/${board}/import?${query}`, undefined, {
    raw: file,
    headers: { 'content-type': type, ...headers },
  });

const of = async (path: string): Promise<any> => (await client.get(path)).body;
const storiesOf = (board: string): Promise<any> => of(`/api/boards/${board}/stories`);

const HEADER = 'external_id,title,description,status,priority,points,assignee,labels,seq,sprint\n';

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

  it('has one event for each row, without a gap, by the actor of the request', async () => {
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

  it('changes nothing the second time', async () => {
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

  it('refuses the whole file for an error in its last row, and names every error', async () => {
    const answer = await load(
      'Faulty',
      'title,points,status,labels,seq\n' +
        '"Two\nlines",1.234,open,"a,a",\n' +
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
});
