import { parse } from 'csv-parse/sync';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { published, withPublished } from '../support/published';
import { startApp, useApp } from '../support/app';
import type { Outcome } from '../support/command';
import { command, withFile } from '../support/command';
import { boardPath, freshName, made2xx } from '../support/make';
import { upload } from '../support/upload';

const service = useApp();

const load = (content: string | Buffer, board: string, ...flags: string[]): Promise<Outcome> =>
  withFile(content, (path) =>
    command(service.database, 'import', path, '--board', board, ...flags),
  );

const backlog = async (board: string): Promise<any> =>
  (await service.client.get(`/api/boards/${board}/backlog`)).body;

describe('an import', () => {
  it('creates stories with every field, in the order of the file, after existing ones', async () => {
    await service.client.post('/api/boards/All/backlog', { title: 'there before', seq: 40 });
    const outcome = await load(
      'external_id,title,description,seq,priority,points,status,assignee,labels\r\n' +
        'A-1," Quotes ""and"", commas ","two\r\nlines",7,-3,2.5,done,Zoë,"api, späte Post ,x"\r\n' +
        '\r\n' +
        'A-2,second,,,,,,,\r\n' +
        ',third,,,,,in_progress,,\r\n',
      'All',
    );
    expect(outcome).toEqual({
      code: 0,
      out: 'All: 3 stories created.\n',
      err: 'Warning (no external id): 1, for example line 6: third\n',
    });
    const [first, , second, third] = await backlog('All');
    expect(first).toMatchObject({
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
    });
    expect(first.done_at).toBe(first.created_at);
    expect(second).toMatchObject({
      title: 'second',
      description: null,
      seq: 41,
      priority: null,
      points: null,
      status: 'todo',
      assignee: null,
      labels: [],
    });
    expect(third).toMatchObject({ title: 'third', seq: 42, status: 'in_progress' });
  });

  it('has one event for each story, without a gap', async () => {
    await load('title\nfirst\nsecond\n', 'Logged');
    const events = (await service.client.get('/api/boards/Logged/events')).body;
    expect(events.map((event: any) => [event.revision, event.type])).toEqual([
      [1, 'board.created'],
      [2, 'story.created'],
      [3, 'story.created'],
    ]);
    const stories = await backlog('Logged');
    expect(events.slice(1).map((event: any) => event.after)).toEqual(stories);
    expect((await service.client.get(`/api/stories/${stories[0].id}/history`)).body).toEqual([
      events[1],
    ]);
  });

  it('appends its events after those of other changes in the same millisecond', async () => {
    service.clock.set('2026-11-20T10:00:00.000Z');
    const now = jest.spyOn(Date.prototype, 'toISOString');
    await service.client.post('/api/boards/Instant/backlog', { title: 'posted' });
    // The command has its own clock; all changes of this test have the same millisecond.
    now.mockImplementation(() => '2026-11-20T10:00:00.000Z');
    await load('title\nimported\n', 'Instant');
    now.mockRestore();
    service.clock.set();
    const events = (await service.client.get('/api/boards/Instant/events')).body;
    expect(events.map((event: any) => [event.at, event.after.title ?? event.type])).toEqual([
      ['2026-11-20T10:00:00.000Z', 'board.created'],
      ['2026-11-20T10:00:00.000Z', 'posted'],
      ['2026-11-20T10:00:00.000Z', 'imported'],
    ]);
  });

  it('reports every error of every row with its line, and changes nothing', async () => {
    const outcome = await load(
      'title,points,status,labels,seq\n' +
        '"Two\nlines",1.234,frozen,"a,a",\n' +
        ',2,todo,,5\n' +
        '\n' +
        'right,3,done,,\n' +
        'long,3,,,,6\n' +
        'far,1001,,,2147483648\n',
      'Faulty',
    );
    expect(outcome.code).toBe(1);
    expect(outcome.err.trim().split('\n')).toEqual([
      expect.stringMatching(/^line 2: .*; .*; .*/),
      'line 4: title is required',
      'line 7: has more cells than the header',
      expect.stringMatching(/^line 8: .*; .*/),
      'Nothing was imported.',
    ]);
    for (const error of [
      'points must have at most two decimals',
      'status must be one of todo, in_progress, done',
      'labels/1 is a duplicate',
    ]) {
      expect(outcome.err.split('\n')[0]).toContain(error);
    }
    expect((await service.client.get('/api/boards/Faulty')).status).toBe(404);
  });

  it('reads statuses and priorities by their usual names, unless the mapping defines them', async () => {
    const file =
      'title,status,priority\na,Done,High\nb,In Progress,Lowest\nc,To do,2\nd,Fertig,None\ne,Review,\n';
    const mapping = JSON.stringify({ status: { review: 'done' } });
    const outcome = await withFile(mapping, (path) => load(file, 'Words', '--mapping', path));
    expect(outcome.code).toBe(0);
    const stories = await backlog('Words');
    expect(stories.map(({ status, priority }: any) => [status, priority])).toEqual([
      ['done', 2],
      ['in_progress', 5],
      ['todo', 2],
      ['done', null],
      ['done', null],
    ]);
  });

  it('rejects an external_id that is twice in the file', async () => {
    await load('title,external_id\nfirst,X-1\n', 'Twice');
    const outcome = await load('title,external_id\na,X-2\nb,X-1\nc,X-2\nd,X-3\n', 'Twice');
    expect(outcome).toEqual({
      code: 1,
      out: '',
      err: 'line 4: external_id X-2 occurs twice\nNothing was imported.\n',
    });
    expect((await backlog('Twice')).map((story: any) => story.title)).toEqual(['first']);
    expect((await service.client.get('/api/boards/Twice')).body.revision).toBe(2);
  });

  it('changes existing stories with --update', async () => {
    await load(
      'external_id,title,points,labels,description\nU-1,one,1,x,old\nU-2,two,2,,\n',
      'Updated',
    );
    const [one] = await backlog('Updated');
    const sprint = await service.client.post('/api/boards/Updated/sprints', {
      start_date: '2026-11-23',
    });
    await service.client.put(`/api/stories/${one.id}`, { sprint_id: sprint.body.id });
    const outcome = await load(
      'external_id,points,labels,description,title,seq\n' +
        'U-1,8,,,,\nU-2,2,,,two,\nU-3,3,new,,three,\n',
      'Updated',
      '--update',
    );
    expect(outcome.out).toBe('Updated: 1 story created, 1 updated, 1 unchanged.\n');
    const { body: changed } = await service.client.get(`/api/stories/${one.id}`);
    expect(changed).toMatchObject({
      title: 'one',
      points: 8,
      labels: [],
      description: null,
      seq: 1,
      sprint_id: sprint.body.id,
      version: 3,
    });
    expect(
      (await backlog('Updated')).map((s: any) => [s.external_id, s.title, s.seq, s.version]),
    ).toEqual([
      ['U-2', 'two', 2, 1],
      ['U-3', 'three', 3, 1],
    ]);
    const titleless = await load('external_id,points\nU-1,1\nU-9,1\n', 'Updated', '--update');
    expect(titleless.err).toBe(
      'line 3: title is required for a new story\nNothing was imported.\n',
    );
    expect((await service.client.get(`/api/stories/${one.id}`)).body).toEqual(changed);
  });

  it.each<[string, string | Buffer, string[], RegExp]>([
    ['nothing at all', '', [], /The file is empty/],
    ['a repeated column', 'title,points,title\na,1,b\n', [], /More than one column is title/],
    [
      'a mapped column that the file also has',
      'title,summary\na,b\n',
      ['--map', 'title=summary'],
      /More/,
    ],
    ['no column for the title', 'points\n1\n', [], /no column title/],
    [
      'a repeated column, and none for the title',
      'points,points\n1,2\n',
      [],
      /More than one column is points\. The file has no column title;/,
    ],
    [
      'a map without a column',
      'title\na\n',
      ['--map', 'points'],
      /does not have the form field=column/,
    ],
    [
      'a map of a field that no story has',
      'title\na\n',
      ['--map', 'id=title'],
      /unknown fields: id;/,
    ],
    ['a map of a missing column', 'title\na\n', ['--map', 'points=sp'], /no column sp/],
    [
      'a map of constructor',
      'title\na\n',
      ['--map', 'constructor=title'],
      /unknown fields: constructor;/,
    ],
    [
      'a map used twice',
      'x\na\n',
      ['--map', 'title=x', '--map', 'points=x'],
      /more than one field for the column x/,
    ],
    [
      'two maps of a field',
      'x,y\na,b\n',
      ['--map', 'title=x', '--map', 'title=y'],
      /names the field title twice/,
    ],
    [
      'an open quote',
      'title\nfine\n"never\nclosed',
      [],
      /line 3: a quote is opened and never closed/,
    ],
    ['a quote inside', 'title\n5" disk\n', [], /line 2: a quote occurs in a cell/],
    ['text after a quote', 'title\n"a"b\n', [], /line 2: something other than a comma/],
    [
      'a huge row',
      `title\n"${'x'.repeat(8_400_000)}"\n`,
      [],
      /line 2: the row is larger than 4 MiB/,
    ],
    [
      'Latin-1',
      Buffer.from('title\nfine\ngr\xfcn\n', 'latin1'),
      [],
      /line 3: has bytes that are not UTF-8/,
    ],
    ['UTF-16', Buffer.from('title\na\n', 'utf16le'), [], /in UTF-16/],
    [
      'half of UTF-16',
      Buffer.from('\ufefftitle\na\n', 'utf16le').subarray(0, -1),
      [],
      /line 2: has bytes that are not UTF-16/,
    ],
    [
      'half a character',
      Buffer.from([...Buffer.from('title\n'), 0xc3]),
      [],
      /line 2: has bytes that are not UTF-8/,
    ],
  ])('rejects %s', async (_, content, flags, message) => {
    const outcome = await load(content, 'Refused', ...flags);
    expect(outcome).toEqual({ code: 1, out: '', err: expect.stringMatching(message) });
    expect((await service.client.get('/api/boards/Refused')).status).toBe(404);
  });

  it('rejects a missing file, a directory and an invalid board name', async () => {
    for (const path of ['no/such.csv', tmpdir()]) {
      const unreadable = await command(service.database, 'import', path, '--board', 'B');
      const err = expect.stringMatching(/^The file cannot be read: /);
      expect(unreadable).toEqual({ code: 1, out: '', err });
    }
    const nameless = await load('title\na\n', '..');
    expect(nameless).toEqual({ code: 1, out: '', err: expect.stringMatching(/board_name/) });
  });

  it('accepts stories of maximum length', async () => {
    const description = '😀'.repeat(32_767);
    const rows = Array.from({ length: 5 }, (_, i) => `story ${i},${description}\n`);
    const outcome = await load(`title,description\n${rows.join('')}`, 'Long');
    expect(outcome).toEqual({
      code: 0,
      out: 'Long: 5 stories created.\n',
      err: expect.stringMatching(
        /^Warning \(no external id\): 5, for example line 2: story 0; .*\n$/,
      ),
    });
    const stories = await backlog('Long');
    expect(stories).toHaveLength(5);
    expect(stories.every((story: any) => story.description === description)).toBe(true);
    const events = (await service.client.get('/api/boards/Long/events?after=5')).body;
    expect(events[0].after.description).toBe(description);
  });

  it('accepts a byte order mark, any line breaks, and 5,000 rows in one change', async () => {
    const titles = Array.from({ length: 5000 }, (_, i) => `story ${i + 1}`);
    const outcome = await load(`\ufeff title \r${titles.join('\n')}`, 'Many');
    expect(outcome).toEqual({
      code: 0,
      out: 'Many: 5000 stories created.\n',
      err: expect.stringMatching(/^Warning \(no external id\): 5000, .*\n$/),
    });
    const stories = await backlog('Many');
    expect(stories.map((story: any) => story.title)).toEqual(titles);
    expect(stories.map((story: any) => story.seq)).toEqual(titles.map((_, i) => i + 1));
    expect((await service.client.get('/api/boards/Many')).body.revision).toBe(5001);
  });
});

describe('an import of another format', () => {
  const CARDS = JSON.stringify({
    id: 'b1',
    name: 'Board',
    lists: [
      { id: 'l1', name: 'Doing', pos: 1, closed: false },
      { id: 'l2', name: 'Ice', pos: 2, closed: false },
    ],
    cards: [
      {
        id: 'c1',
        name: 'First',
        idList: 'l1',
        pos: 1,
        closed: false,
        desc: '',
        labels: [],
        idMembers: [],
      },
      {
        id: 'c2',
        name: 'Second',
        idList: 'l2',
        pos: 1,
        closed: false,
        desc: '',
        labels: [],
        idMembers: [],
      },
      {
        id: 'c3',
        name: 'Gone',
        idList: 'l2',
        pos: 2,
        closed: true,
        desc: '',
        labels: [],
        idMembers: [],
      },
    ],
    checklists: [],
    members: [],
    labels: [],
    customFields: [],
  });

  it('detects the format, and reports skipped rows and unknown values', async () => {
    const outcome = await load(CARDS, 'Cards');
    expect(outcome.out).toBe('Cards: 2 stories created.\n');
    expect(outcome.err.trim().split('\n')).toEqual([
      expect.stringMatching(/^Skipped \(archived\): 1, for example entry 3: .*Gone/),
      'Imported as to do (unknown statuses): 1, for example Ice (1)',
    ]);
    const events = (await service.client.get('/api/boards/Cards/events')).body;
    expect(new Set(events.map(({ actor }: any) => actor))).toEqual(new Set(['cli']));
    expect((await load(CARDS, 'Cards')).out).toBe(
      'Cards: 0 stories created, 0 updated, 2 unchanged.\n',
    );
  });

  it('prints no control characters of a file, which a terminal would execute', async () => {
    const evil = '\u001b]0;title\u0007\u009b2Jname';
    const { out, err } = await load(CARDS.replace('"Ice"', JSON.stringify(evil)), 'Escaped');
    expect(err).toContain('name (1)');
    expect(out + err).not.toMatch(/(?!\n)\p{Cc}/u);
  });

  it('detects the format with --update and --map, too', async () => {
    expect((await load(CARDS, 'Options', '--update')).out).toBe('Options: 2 stories created.\n');
    const jira = 'Summary,Issue key,Issue Type,Size\nOne,A-1,Story,5\n';
    const flags = ['--map', 'points=Size'];
    expect((await load(jira, 'Options', ...flags)).out).toBe('Options: 1 story created.\n');
    const [story] = (await service.client.get('/api/boards/Options/stories?external_id=jira:A-1'))
      .body;
    expect(story).toMatchObject({ title: 'One', points: 5 });
    expect((await load(CARDS, 'Options', ...flags)).err).toMatch(/no custom field "Size"/);
  });

  it('uses the columns of --mapping and of --map together', async () => {
    const mapping = JSON.stringify({ columns: { points: 'Size', title: 'Summary' } });
    const file = 'Summary,Name,Size\nold,new,5\n';
    const outcome = await withFile(mapping, (path) =>
      load(file, 'Both', '--mapping', path, '--map', 'title=Name', '--format', 'csv'),
    );
    expect(outcome).toMatchObject({ code: 0 });
    expect(await backlog('Both')).toMatchObject([{ title: 'new', points: 5 }]);
  });

  it('rejects columns for an export, which has our own fields', async () => {
    await made2xx(service.client.post('/api/boards', { name: 'Exported' }));
    const { text } = await service.client.get('/api/boards/Exported/export');
    const outcome = await load(text, 'No columns', '--map', 'title=Name');
    expect(outcome).toMatchObject({ code: 1, out: '' });
    expect(outcome.err).toContain('The mapping has columns for title; in this format, no field');
  });

  it('reads a mapping from a file', async () => {
    const mapping = JSON.stringify({ status: { Ice: 'in_progress' }, archived: 'import' });
    const outcome = await withFile(mapping, (path) => load(CARDS, 'Mapped', '--mapping', path));
    expect(outcome).toEqual({ code: 0, out: 'Mapped: 3 stories created.\n', err: '' });
    const wrong = await withFile('{"status": {"Ice": "cold"}}', (path) =>
      load(CARDS, 'Mapped', '--mapping', path),
    );
    expect(wrong).toEqual({
      code: 1,
      out: '',
      err: 'status/Ice must be one of todo, in_progress, done\n',
    });
  });

  it.each<[string, string[], RegExp]>([
    ['an unknown format', ['--format', 'excel'], /--format must be one of sprintline, csv/],
    ['a missing mapping', ['--mapping', 'no/such.json'], /The mapping cannot be read/],
    ['a format that it does not have', ['--format', 'jira-csv'], /line 1: a quote/],
    ['--null for another format', ['--null', 'x', '--format', 'jira-csv'], /--null .* CSV/],
    ['--null for a service', ['--null', 'x', '--url', 'http://localhost:1'], /--null cannot/],
    ['a service that does not answer', ['--url', 'http://localhost:1'], /does not answer/],
    ['a URL without a scheme', ['--url', 'plan.example.org'], /^plan.example.org does not answer/],
  ])('rejects %s', async (_, flags, message) => {
    const outcome = await load(CARDS, 'Refused', ...flags);
    expect(outcome).toEqual({ code: 1, out: '', err: expect.stringMatching(message) });
    expect((await service.client.get('/api/boards/Refused')).status).toBe(404);
  });

  it.each([
    ['the page of a proxy', 200, 'text/html', '', 'is not Sprintline: it answered with text/html.'],
    ['an error with a strange code', 400, 'text/json', '{"code":"constructor"}', 'answers 400.'],
  ])('rejects the response of another service: %s', async (_, status, type, body, message) => {
    const other = createServer((incoming, response) => {
      incoming.resume();
      response.writeHead(status, { 'content-type': type }).end(body);
    });
    await once(other.listen(0, '127.0.0.1'), 'listening');
    try {
      const url = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
      const outcome = await load(CARDS, 'Elsewhere', '--url', url);
      expect(outcome).toEqual({ code: 1, out: '', err: `${url} ${message}\n` });
    } finally {
      other.close();
    }
  });

  /** Runs `work` as on a terminal on which `input` is typed. */
  async function onTerminal(input: Readable, work: () => Promise<Outcome>): Promise<Outcome> {
    const { stdin, stdout } = process;
    const output = Object.assign(new PassThrough(), { isTTY: true, columns: 80 });
    let shown = '';
    output.on('data', (chunk: Buffer) => (shown += chunk.toString()));
    const value = Object.assign(input, { isTTY: true });
    Object.defineProperty(process, 'stdin', { value, configurable: true });
    Object.defineProperty(process, 'stdout', { value: output, configurable: true });
    try {
      const outcome = await work();
      return { ...outcome, out: outcome.out + shown };
    } finally {
      Object.defineProperty(process, 'stdin', { value: stdin, configurable: true });
      Object.defineProperty(process, 'stdout', { value: stdout, configurable: true });
    }
  }

  it.each([
    ['Asked', () => []],
    ['Asked far away', () => ['--url', service.url]],
  ])('shows the plan on a terminal and asks for confirmation: %s', async (board, flags) => {
    const path = boardPath(board);
    const answer = (text: string, ...more: string[]): Promise<Outcome> => {
      const input = new PassThrough();
      input.write(text);
      return onTerminal(input, () => load(CARDS, board, ...flags(), ...more));
    };
    const no = await answer('n\n');
    expect(no.code).toBe(0);
    expect(no.out).toMatch(/^\(trello\) +new +changed +unchanged$/m);
    expect(no.out).toMatch(/^stories +2 +0 +0$/m);
    expect(no.out).toContain(`Import into ${board}? [y/N]`);
    expect(no.out).toContain('Nothing was imported.');
    expect(no.err).toMatch(/^Skipped \(archived\): 1/);
    expect((await service.client.get(path)).status).toBe(404);
    expect((await answer('yes\n')).out).toContain(`${board}: 2 stories created.`);
    expect((await service.client.get(`${path}/backlog`)).body).toHaveLength(2);
    const unasked = await answer('n\n', '--yes');
    expect(unasked.out).not.toContain('[y/N]');
    expect(unasked.out).toContain('2 unchanged.');
  });

  it.each([
    ['the terminal is closed', (input: PassThrough) => input.end()],
    ['Ctrl+D is typed', (input: PassThrough) => input.write('\x04')],
    ['Ctrl+C is typed', (input: PassThrough) => input.write('\x03')],
  ])('changes nothing if %s instead of an answer', async (_, act) => {
    const input = new PassThrough();
    act(input);
    const outcome = await onTerminal(input, () => load(CARDS, 'Unanswered'));
    expect(outcome).toMatchObject({ code: 0, err: expect.not.stringContaining('Abort') });
    expect(outcome.out).toContain('Nothing was imported.');
    expect((await service.client.get('/api/boards/Unanswered')).status).toBe(404);
  });

  it('does not ask if the file comes from standard input, and deletes its copy of it', async () => {
    const { TMPDIR } = process.env;
    const copies = mkdtempSync(join(tmpdir(), 'copies-'));
    process.env.TMPDIR = copies;
    try {
      const typed = new PassThrough().end('title\ntyped\n');
      const outcome = await onTerminal(typed, () =>
        command(service.database, 'import', '-', '--board', 'Typed'),
      );
      expect(outcome.code).toBe(0);
      expect(outcome.out).toContain('Typed: 1 story created.');
      expect(await backlog('Typed')).toHaveLength(1);
      expect(readdirSync(copies)).toEqual([]);
      process.env.TMPDIR = join(copies, 'absent');
      const failed = await command(service.database, 'import', '-', '--board', 'Typed');
      expect(failed.code).toBe(1);
      expect(failed.err).toMatch(/^The input cannot be copied to .*absent: ENOENT.*\.\n$/);
    } finally {
      if (TMPDIR === undefined) delete process.env.TMPDIR;
      else process.env.TMPDIR = TMPDIR;
      rmSync(copies, { recursive: true });
    }
  });

  it.each([
    ['UTF-16', (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le')],
    ['UTF-16, big-endian', (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le').swap16()],
    ['UTF-8 with a byte order mark', (text: string) => Buffer.from(`\ufeff${text}`)],
  ])('reads an export in %s, over HTTP too', async (_, encode) => {
    const from = freshName('Encoded');
    await load(CARDS.replace('First', 'Zoë'), from);
    const titlesOf = async (board: string): Promise<string[]> =>
      (await backlog(encodeURIComponent(board))).map(({ title }: any) => title as string);
    for (const log of [true, false]) {
      const { text } = await service.client.get(`${boardPath(from)}/export?log=${log}`);
      const file = encode(text);
      const [here, remote] = [freshName('Here'), freshName('Remote')];
      expect(await load(file, here)).toMatchObject({ code: 0, err: '' });
      expect(await made2xx(upload(service.client, remote, file))).toMatchObject({
        format: 'sprintline',
        created: { stories: 2 },
      });
      for (const board of [here, remote]) expect(await titlesOf(board)).toEqual(['Zoë', 'Second']);
    }
  });

  it('reads an export with its log from standard input, even though it is read twice', async () => {
    await load(CARDS, 'Piped');
    const file = (await service.client.get('/api/boards/Piped/export?log=true')).text;
    const { stdin } = process;
    Object.defineProperty(process, 'stdin', { value: Readable.from([file]), configurable: true });
    try {
      const outcome = await command(service.database, 'import', '-', '--board', 'Unpiped');
      expect(outcome).toMatchObject({ code: 0, err: '' });
    } finally {
      Object.defineProperty(process, 'stdin', { value: stdin, configurable: true });
    }
    expect(await backlog('Unpiped')).toHaveLength(2);
  });

  it('reads an export with its log from a named pipe', async () => {
    await load(CARDS, 'To pipe');
    const file = (await service.client.get('/api/boards/To%20pipe/export?log=true')).text;
    const outcome = await withFile('', async (path) => {
      const pipe = `${path}.pipe`;
      execFileSync('mkfifo', [pipe]);
      const [read] = await Promise.all([
        command(service.database, 'import', pipe, '--board', 'From pipe'),
        writeFile(pipe, file),
      ]);
      return read;
    });
    expect(outcome).toMatchObject({ code: 0, err: '' });
    expect(await backlog('From%20pipe')).toHaveLength(2);
  });

  it('sends the file to a service, with a token', async () => {
    const remote = await startApp();
    try {
      const admin = await made2xx(
        remote.client.post('/api/tokens', { name: 'Root', scope: 'admin' }),
      );
      const flags = ['--url', remote.url, '--token'];
      const outcome = await load(CARDS, 'Far away', ...flags, admin.token);
      expect(outcome.out).toBe('Far away: 2 stories created.\n');
      const by = remote.client.with({ authorization: `Bearer ${admin.token}` });
      const events = (await by.get('/api/boards/Far%20away/events')).body;
      expect(new Set(events.map(({ actor }: any) => actor))).toEqual(new Set(['Root']));
      expect((await service.client.get('/api/boards/Far%20away')).status).toBe(404);
      const rejected = await load(CARDS, 'Far away', ...flags, 'spl_wrong');
      expect(rejected).toEqual({ code: 1, out: '', err: expect.stringMatching(/valid token/) });
      const faulty = await load('title,points\na,x\n', 'Far away', ...flags, admin.token);
      expect(faulty.err).toBe('line 2: points must be a number\nNothing was imported.\n');
    } finally {
      await remote.close();
    }
  });
});

const SPRINGXD = 'stories-springxd.csv';

withPublished(SPRINGXD)('the stories of a real team', () => {
  it('are imported, moved to sprints with the API, and equal the file afterwards', async () => {
    const { client } = service;
    const outcome = await command(
      service.database,
      ...['import', published(SPRINGXD), '--board', 'Spring XD', '--null', 'NULL'],
      ...['--map', 'external_id=issuekey', '--map', 'points=storypoint'],
      ...['--map', 'description=description'],
    );
    expect(outcome).toEqual({ code: 0, out: 'Spring XD: 3526 stories created.\n', err: '' });

    const board = '/api/boards/Spring%20XD';
    const { body: loaded } = await client.get(`${board}/backlog`);
    const ids: number[] = loaded.map(({ id }: { id: number }) => id);
    const planned: any[] = [];
    for (let first = 0, day = 1; first < ids.length; first += 300, day += 1) {
      const start = `2026-12-${String(day).padStart(2, '0')}`;
      const sprint = await client.post(`${board}/sprints`, { start_date: start });
      const moved = await client.post(`${board}/stories/move`, {
        story_ids: ids.slice(first, first + 300),
        sprint_id: sprint.body.id,
      });
      expect(moved.status).toBe(200);
      planned.push(...(await client.get(`/api/sprints/${sprint.body.id}/stories`)).body);
    }
    expect((await client.get(`${board}/backlog`)).body).toEqual([]);

    const rows: Record<string, string>[] = parse(readFileSync(published(SPRINGXD)), {
      columns: true,
    });
    const none = (text: string | undefined): string | null => (text === 'NULL' ? null : text!);
    expect(
      planned.map(({ external_id, title, description, points }) => ({
        external_id,
        title,
        description,
        points,
      })),
    ).toEqual(
      rows.map((row) => ({
        external_id: row.issuekey,
        title: row.title,
        description: none(row.description),
        points: row.storypoint === 'NULL' ? null : Number(row.storypoint),
      })),
    );
    expect(rows).toHaveLength(3526);
  });
});
