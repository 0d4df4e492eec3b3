import { gzipSync } from 'node:zlib';
import { useApp } from '../support/app';
import type { Answer } from '../support/client';
import { promised } from '../support/faults';
import { shownBoard } from '../support/fingerprint';
import { boardPath, made2xx } from '../support/make';
import { expectProblem } from '../support/problems';
import { upload } from '../support/upload';

const BOARD = 'Untouched';
const service = useApp();
let before: string;

beforeAll(async () => {
  await made2xx(service.client.post(`${boardPath(BOARD)}/backlog`, { title: 'there before' }));
  before = JSON.stringify(await shownBoard(service.client, BOARD));
});

/** Expects that no board was created and that the existing one is unchanged. */
async function expectNothingWritten(): Promise<void> {
  const boards = await made2xx<any[]>(service.client.get('/api/boards'));
  expect(boards.map(({ name }) => name as string)).toEqual([BOARD]);
  expect(JSON.stringify(await shownBoard(service.client, BOARD))).toBe(before);
}
afterEach(expectNothingWritten);

interface Options {
  board?: string;
  format?: string;
  type?: string;
  headers?: Record<string, string>;
}

const load = (file: string | Buffer, options: Options = {}): Promise<Answer> => {
  const { board = 'New', format = 'auto', type = 'application/octet-stream', headers } = options;
  return upload(service.client, board, file, { query: `?format=${format}`, type, headers });
};

/** Expects an error with this line, for an existing board and for a new one. */
async function expectInvalid(
  file: string | Buffer,
  {
    code = 'invalid_file',
    line,
    says,
    ...options
  }: Options & { code?: string; line?: number; says?: RegExp },
): Promise<void> {
  for (const board of [BOARD, 'New']) {
    const answer = await load(file, { ...options, board });
    expectProblem(answer, 400, code);
    if (says) expect(answer.body.detail).toMatch(says);
    if (line !== undefined) expect(answer.body.errors).toMatchObject([{ line }]);
  }
}

const card = (id: number, more: object = {}): object => ({
  id: `c${id}`,
  idList: 'l1',
  name: `Card ${id} ä 🗒`,
  desc: 'two\nlines',
  pos: id,
  ...more,
});
const LISTS = [{ id: 'l1', name: 'To Do', pos: 1 }];
const TRELLO = JSON.stringify({ id: 'b', lists: LISTS, cards: [card(1), card(2)] }, null, 1);
const TAIGA = JSON.stringify({
  name: 'P',
  user_stories: [{ ref: 1, subject: 'S', milestone: 'M', status: 'New', role_points: [] }],
  milestones: [{ name: 'M', estimated_start: '2026-11-02', estimated_finish: '2026-11-13' }],
});
const GITHUB = JSON.stringify(
  [1, 2].map((number) => ({ number, title: `Issue ${number}`, state: 'open', body: 'é' })),
  null,
  2,
);
const CSV = 'external_id,title,points\nA-1,"first, one",1\nA-2,"second",2\n';

describe('a file that cannot be read', () => {
  it.each([
    ['a ZIP archive', Buffer.from('PK\x03\x04\x14\0\0\0\x08\0board.json', 'latin1'), /ZIP/],
    ['a workbook', Buffer.from('PK\x03\x04\x14\0[Content_Types].xml'), /Excel/],
    ['gzip', gzipSync(TRELLO), /gzip/],
    ['a PDF', Buffer.from('%PDF-1.4\n1 0 obj'), /PDF/],
    ['a picture', Buffer.from('89504e470d0a1a0a0000000d', 'hex'), /PNG/],
    ['binary', Buffer.from(Array.from({ length: 5000 }, (_, i) => (i * i + 7 * i) % 256)), /./],
    ['zeros', Buffer.alloc(5000), /./],
    ['UTF-16 without a mark', Buffer.from(CSV, 'utf16le'), /UTF-16/],
    ['JSON in UTF-16', Buffer.from(GITHUB, 'utf16le'), /UTF-16/],
    ['a web page in UTF-16', Buffer.from('\ufeff<html>', 'utf16le'), /web page/],
    ['a web page', '<!doctype html><title>Log in</title>', /web page/],
    ['XML', '<?xml version="1.0"?><rss/>', /XML/],
    ['unknown JSON', '{"hello": ["world"]}', /JSON/],
    ['an empty list', '[]', /JSON/],
  ])('is reported as %s, whatever format is named', async (_, file, says) => {
    await expectInvalid(file, { code: 'unknown_format', says });
    if (/^[[{]/.test(String(file))) return;
    for (const format of ['csv', 'trello', 'github']) {
      await expectInvalid(file, { code: 'unknown_format', format });
    }
  });

  it.each(['', '\ufeff', '\n\r\n \t'])('is reported as empty (%j)', async (file) => {
    for (const format of ['auto', 'csv', 'trello', 'taiga', 'github']) {
      await expectInvalid(file, { format, says: /empty/ });
    }
  });

  it('is reported if it has another format than the named one', async () => {
    await expectInvalid(TRELLO, { format: 'csv', code: 'unknown_format', says: /JSON, not CSV/ });
    await expectInvalid(CSV, { format: 'trello', line: 1, says: /not valid JSON/ });
    await expectInvalid(CSV, { format: 'github', line: 1, says: /not valid JSON/ });
    await expectInvalid(TRELLO, { format: 'taiga', says: /Taiga/ });
    await expectInvalid(TRELLO, { format: 'github', line: 1, says: /GitHub issue/i });
    await expectInvalid(TAIGA, { format: 'trello', says: /Trello/ });
    await expectInvalid(GITHUB, { format: 'trello', says: /Trello/ });
    expectProblem(await load(CSV, { format: 'xml' }), 400, 'invalid_request');
    expectProblem(await load(CSV, { type: 'text/plain' }), 415, 'unsupported_media_type');
    const packed = { headers: { 'content-encoding': 'gzip' } };
    expectProblem(await load(gzipSync(CSV), packed), 415, 'unsupported_media_type');
  });

  it('is reported with the line that is not UTF-8', async () => {
    const latin1 = (text: string): Buffer =>
      Buffer.from(text.replaceAll(/[^\0-\xff]/g, '?'), 'latin1');
    await expectInvalid(latin1(CSV.replace('second', 'zweité')), { line: 3, says: /UTF-8/ });
    await expectInvalid(latin1(GITHUB), { format: 'github', line: 6, says: /UTF-8/ });
    await expectInvalid(latin1(TRELLO), { format: 'trello', says: /UTF-8/ });
    const late = Buffer.concat([
      Buffer.from(`${'\n'.repeat(99_999)}["`),
      Buffer.from('caf\xe9"]', 'latin1'),
    ]);
    await expectInvalid(late, { format: 'github', line: 100_000, says: /UTF-8/ });
  });
});

describe('a damaged file', () => {
  it.each([
    ['trello', TRELLO],
    ['taiga', TAIGA],
    ['github', GITHUB],
  ])('of %s is rejected wherever it is cut', async (format, text) => {
    const bytes = Buffer.from(text);
    const last = bytes.lastIndexOf(text.at(-1) as string);
    const ends = Array.from({ length: 40 }, (_, i) => 1 + Math.floor((i / 40) * (last - 1)));
    const answers = await Promise.all(
      [...ends, last].map((end) => load(bytes.subarray(0, end), { format })),
    );
    for (const [i, answer] of answers.entries()) {
      expectProblem(answer, 400, 'invalid_file');
      const line = bytes
        .subarray(0, ends[i] ?? last)
        .toString()
        .split('\n').length;
      expect([i, answer.body.errors]).toMatchObject([i, [{ line }]]);
    }
  });

  it('of CSV is rejected if it is cut within a cell', async () => {
    await expectInvalid(CSV.slice(0, CSV.indexOf('second') + 3), { format: 'csv', line: 3 });
    await expectInvalid(CSV.slice(0, CSV.indexOf('first') + 3), { format: 'csv', line: 2 });
  });

  it.each([
    ['an extra comma', TRELLO.replace('"lists": [', '"lists": [,'), 3],
    ['a missing comma', GITHUB.replace(',\n    "title"', '\n    "title"'), 4],
    ['a raw line break', GITHUB.replace('Issue 1', 'Issue\n1'), 4],
    ['a raw NUL', GITHUB.replace('Issue 2', 'Issue\x002'), 10],
    ['an unknown escape', GITHUB.replace('Issue 2', '\\x41'), 10],
    ['text after its end', `${GITHUB}\nthat is all`, 15],
    ['NaN', GITHUB.replace('"number": 2', '"number": NaN'), 9],
    ['single quotes', "[{'number': 1}]", 1],
  ])('is rejected if it has %s', async (_, text, line) => {
    const format = text.includes('lists') ? 'trello' : 'github';
    await expectInvalid(text, { format, line, says: /not valid JSON/ });
  });

  it('is rejected if it is nested too deeply', async () => {
    const deep = '['.repeat(100_000);
    for (const format of ['auto', 'trello', 'taiga', 'github']) {
      for (const text of [deep, '{"a":'.repeat(100_000), `{"cards":\n[${deep}`]) {
        await expectInvalid(text, { format, says: /deeper than/ });
      }
    }
    await expectInvalid(`"${'a"b'.repeat(1000)}`, { format: 'csv', line: 1 });
  });

  it('is rejected if an issue has an invalid number', async () => {
    for (const number of ['1e999', '1.5', '123456789012345678901234567890', '"1"', 'null']) {
      const file = `[{"number": 1, "title": "x"},\n{"number": ${number}, "title": "y"}]`;
      await expectInvalid(file, { format: 'github', line: 2 });
    }
  });
});

describe('a file that is too large', () => {
  const MIB = 1024 * 1024;

  it('is rejected', async () => {
    const large = Buffer.alloc(40 * MIB, 'title,status\n');
    expectProblem(await load(large), 413, 'content_too_large');
  });

  it.each([
    ['auto', 'title\n', `"${'a'.repeat(MIB)}"\n`],
    ['trello', '{"other": [', `"${'a'.repeat(MIB)}",`],
  ])('is rejected without its length, as %s', async (format, start, chunk) => {
    async function* chunks(): AsyncGenerator<Buffer> {
      yield Buffer.from(start);
      for (let i = 0; i < 40; i += 1) yield Buffer.from(chunk);
    }
    const response = await fetch(`${service.url}${boardPath('New')}/import?format=${format}`, {
      method: 'POST',
      headers: { 'content-type': 'application/octet-stream' },
      body: chunks(),
      duplex: 'half',
    });
    expect(response.status).toBe(413);
    expect(response.headers.get('content-type')).toBe('application/problem+json');
  });

  it('is rejected if it has too many rows', async () => {
    const file = Buffer.from(`title\n${'a\n'.repeat(250_000)}`);
    await expectInvalid(file, { line: 200_002, says: /more than 200000 rows/ });
    const wide = Buffer.from(`title${',x'.repeat(9_999)}\n${'a\n'.repeat(3000)}`);
    await expectInvalid(wide, { line: 2002, says: /more than 2000 rows/ });
  });

  it('is rejected if an entry, a string or a number is too long', async () => {
    await expectInvalid(Buffer.from(`{"cards":\n[[${'1,'.repeat(1_100_000)}1]]}`), {
      format: 'trello',
      line: 2,
      says: /too many values/,
    });
    await expectInvalid(`[${'{},'.repeat(250_000)}{}]`, { format: 'github', line: 1 });
    await expectInvalid(`{"cards": [${'{},'.repeat(250_000)}{}]}`, { format: 'trello', line: 1 });
    await expectInvalid(`["${'a'.repeat(20 * MIB)}"]`, { format: 'taiga', line: 1 });
    await expectInvalid(`[{"number": ${'1'.repeat(2 * MIB)}}]`, { format: 'github', line: 1 });
  });

  it('does not delay other requests', async () => {
    const stories = Array.from({ length: 30_000 }, (_, i) => ({
      ...card(i),
      desc: 'x'.repeat(900),
    }));
    const file = `{"lists": [], "cards": ${JSON.stringify(stories)}, }`;
    expect(file.length).toBeLessThan(32 * MIB);
    expect(file.length).toBeGreaterThan(27 * MIB);
    let isDone = false;
    const importing = load(file, { format: 'trello' }).finally(() => (isDone = true));
    const times: number[] = [];
    while (!isDone) times.push((await service.client.get(boardPath(BOARD))).ms);
    expectProblem(await importing, 400, 'invalid_file');
    expect(times.length).toBeGreaterThan(10);
    expect(times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)]).toBeLessThan(
      promised(100),
    );
  });
});

describe('a form', () => {
  const part = (disposition: string, content: string | Buffer): Buffer =>
    Buffer.concat([
      Buffer.from(`--b\r\ncontent-disposition: form-data; ${disposition}\r\n\r\n`),
      Buffer.from(content),
      Buffer.from('\r\n'),
    ]);
  const FILE = part('name="file"; filename="x.csv"', CSV);
  const mapped = (mapping: string): Buffer => part('name="mapping"', mapping);
  const END = Buffer.from('--b--\r\n');
  const post = (...parts: (Buffer | string)[]): Promise<Answer> =>
    load(Buffer.concat(parts.map((one) => Buffer.from(one))), {
      format: 'csv',
      type: 'multipart/form-data; boundary=b',
    });

  it.each([
    ['no JSON', 'status: done'],
    ['a list', '[]'],
    ['a number', '1'],
    ['null', 'null'],
    ['a string', '"x"'],
    ['an unknown field', '{"colour": {}}'],
    ['a field of the wrong type', '{"status": "done"}'],
    ['an unknown status', '{"status": {"A": "finished"}}'],
    ['a prototype', '{"__proto__": {"status": {}}}'],
    ['a constructor', '{"constructor": {}}'],
    ['a status that is an object', '{"status": {"A": {"__proto__": "done"}}}'],
    ['a priority that is a fraction', '{"priority": {"High": 1.5}}'],
    ['an impossible date', '{"sprints": {"S": {"start_date": "2026-02-30"}}}'],
    ['an unknown date order', '{"date_order": "ydm"}'],
    ['an offset as time zone', '{"time_zone": "+01:00"}'],
    ['brackets', '['.repeat(10_000)],
    ['nested objects', `${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}`],
    ['a cut object', '{"status": {"A": "do'],
    ['bytes that are not text', '\0\x01\x02'],
  ])('with a mapping that is %s is rejected', async (_, mapping) => {
    const answer = await post(mapped(mapping), FILE, END);
    expectProblem(answer, 400, 'invalid_request');
    expect(answer.body.errors[0].pointer).toMatch(/^\/mapping/);
  });

  it.each<[string, (Buffer | string)[], number]>([
    ['no file', [mapped('{}'), END], 400],
    ['nothing', [END], 400],
    ['no end', [FILE], 400],
    ['an end within the file', [FILE.subarray(0, -20)], 400],
    ['an end within a header', [FILE.subarray(0, 30)], 400],
    ['no boundary', ['hello'], 400],
    ['two files', [FILE, FILE, END], 400],
    ['two mappings', [mapped('{}'), mapped('{}'), FILE, END], 400],
    ['a mapping after the file', [FILE, mapped('{}'), END], 400],
    ['an unknown part', [part('name="files"', 'x'), FILE, END], 400],
    ['a part without a name', [part('filename="x"', 'x'), FILE, END], 400],
    ['many parts', [...Array<Buffer>(2000).fill(part('name="x"', '')), FILE, END], 400],
    ['a mapping of 2 MiB', [mapped(`{"a":"${'x'.repeat(2 * 1024 * 1024)}"}`), FILE, END], 413],
    ['an empty file', [part('name="file"; filename="x.csv"', ''), END], 400],
  ])('with %s is rejected', async (_, parts, status) => {
    const answer = await post(...parts);
    expect(answer.status).toBe(status);
    expect(answer.headers.get('content-type')).toBe('application/problem+json');
  });

  it('without a boundary is rejected', async () => {
    const answer = await load(FILE, { type: 'multipart/form-data' });
    expect([400, 415]).toContain(answer.status);
  });
});

describe('many bad files at once', () => {
  it('are all rejected, and the service stays available', async () => {
    const files = [
      TRELLO.slice(0, 50),
      gzipSync(CSV),
      '{"a":1}',
      '[[[[',
      CSV.slice(0, 40),
      '<html>',
    ];
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, i) => load(files[i % files.length] as Buffer)),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([400]));
    expect((await service.client.get('/health/ready')).status).toBe(200);
  });
});
