import { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { readTable } from '../../../src/transfer/files/csv';
import { InvalidFile } from '../../../src/transfer/files/invalid-file';
import { Warnings } from '../../../src/transfer/files/source';
import { planCsv } from '../../../src/transfer/formats/csv';
import { jiraCsv } from '../../../src/transfer/formats/jira-csv';
import { linearCsv } from '../../../src/transfer/formats/linear-csv';
import { fileOf } from './files';

async function table(file: string | Buffer, pieces = Infinity) {
  const bytes = Buffer.from(file);
  const parts: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += pieces) parts.push(bytes.subarray(at, at + pieces));
  const warnings = new Warnings();
  const rows: { line: number; cells: string[] }[] = [];
  const header = await readTable(
    Readable.from(parts),
    warnings,
    (names) => names,
    (row) => rows.push(row),
  );
  return { header, rows, warnings: warnings.list() };
}

describe('tables', () => {
  it.each([
    ['commas', 'a,b\n1,2\n'],
    ['semicolons', 'a;b\n1;2\n'],
    ['tabs', 'a\tb\n1\t2\n'],
    ['a separator that quotes hide', '"a";"b"\n1;2\n'],
    ['a first line for Excel', 'sep=;\na;b\n1;2\n'],
    ['a first line of spaces', '  \r\na;b\r\n1;2\r\n'],
    ['CRLF', 'a,b\r\n1,2\r\n'],
    ['CR', 'a,b\r1,2\r'],
    ['no last line break', 'a,b\n1,2'],
    ['a byte order mark', '\uFEFFa,b\n1,2\n'],
  ])('are read with %s, in one piece or byte by byte', async (_, file) => {
    for (const pieces of [Infinity, 1]) {
      const { header, rows } = await table(file, pieces);
      expect(header).toEqual(['a', 'b']);
      expect(rows.map(({ cells }) => cells)).toEqual([['1', '2']]);
    }
  });

  it('detect the separator outside of quotes', async () => {
    const { header } = await table('"a,b,c,d";"e ""f"", g";h\n1;2;3\n');
    expect(header).toEqual(['a,b,c,d', 'e "f", g', 'h']);
  });

  it('may have repeated columns, and number rows by their first line', async () => {
    const { header, rows } = await table('Labels,Labels,Text\n\nx,y,"1\r\n2\n\n3"\r\nz,,last\r\n');
    expect(header).toEqual(['Labels', 'Labels', 'Text']);
    expect(rows).toEqual([
      { line: 3, cells: ['x', 'y', '1\r\n2\n\n3'] },
      { line: 7, cells: ['z', '', 'last'] },
    ]);
  });

  it('number rows by their first line, even after line breaks in surplus cells', async () => {
    const { rows } = await table('a,b\r\n1,2,"3\r\n4","5\n6\r7"\r\nx,y\n');
    expect(rows.map(({ line }) => line)).toEqual([2, 6]);
  });

  it('skip rows whose cells are all empty, as spreadsheets leave them', async () => {
    const { rows, warnings } = await table(',,\na,b,c\n,,\n1,,\n , ,\n;\n"",,\n');
    expect(rows).toEqual([
      { line: 4, cells: ['1', '', ''] },
      { line: 6, cells: [';'] },
    ]);
    expect(warnings.map(({ code }) => code)).toEqual(['short_row']);
  });

  it('may have short rows, which are reported, as are surplus cells', async () => {
    const { rows, warnings } = await table('a,b,c\n1\n1,2,3,,\n1,2,3,,lost,too\n');
    expect(rows.map(({ cells }) => cells)).toEqual([['1'], ['1', '2', '3'], ['1', '2', '3']]);
    expect(warnings).toEqual([
      { code: 'short_row', count: 1, examples: ['line 2 has 1 of 3 cells'] },
      { code: 'long_row', count: 1, examples: ['line 4 has cells beyond the header: lost, too'] },
    ]);
  });

  it.each([
    ['nothing', '', /is empty/],
    ['only a byte order mark', '\uFEFF', /is empty/],
    ['a NUL byte', 'a,b\n1,2\n3,\0\n', /line 3 has a NUL byte/],
    [
      'Latin-1',
      Buffer.concat([Buffer.from('a,b\nä,2\n3,'), Buffer.from('ö\n', 'latin1')]),
      /not in UTF-8: line 3/,
    ],
    [
      'a character that is cut off',
      Buffer.from('a,b\n1,ä').subarray(0, -1),
      /not in UTF-8: line 2/,
    ],
    ['an open quote', 'a,b\n1,2\n1,"2\n3\n', /line 3: a quote is opened and never closed/],
    ['text after a quote', 'a,b\n1,2\n1,"2"x\n', /line 3: something other than a comma/],
  ])('are rejected if the file has %s', async (_, file, message) => {
    for (const pieces of [Infinity, 1]) {
      const read = table(file, pieces);
      await expect(read).rejects.toThrow(message);
      await expect(read).rejects.toThrow(InvalidFile);
    }
  });

  it('are rejected if only the last of their long rows is short and has no line break', async () => {
    const row = (cells: number): string => Array.from({ length: cells }, (_, i) => `c${i}`).join();
    const rejected = table(`${row(8)}\n${row(8)}\n${row(3)}`);
    await expect(rejected).rejects.toThrow(/cut off on line 3/);
    await expect(rejected).rejects.toMatchObject({
      options: { errors: [{ line: 3, code: 'cut' }] },
    });
    for (const file of [
      `${row(8)}\n${row(8)}\n${row(3)}\n`,
      `${row(8)}\n${row(8)}\n${row(8)}`,
      `${row(8)}\n${row(4)}\n${row(3)}`,
      `${row(8)}\n${row(3)}`,
      `${row(7)}\n${row(7)}\n${row(3)}`,
    ]) {
      expect((await table(file)).rows.length).toBe(file.trim().split('\n').length - 1);
    }
  });

  it('may have 213 columns and a megabyte in a row', async () => {
    const names = Array.from({ length: 213 }, (_, i) => `Column ${i}`);
    const long = 'x, "y"\n'.repeat(150_000).trimEnd();
    const cells = names.map((_, i) => (i === 100 ? long : ''));
    const quoted = cells.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(',');
    const { header, rows } = await table(`${names.join(',')}\n${quoted}\nlast\n`, 70_000);
    expect(header).toEqual(names);
    expect(rows[0]?.cells).toEqual(cells);
    expect(rows[1]?.line).toBe(3 + long.split('\n').length - 1);
  });

  it('let other requests run while they are read, even if the whole file arrives at once', async () => {
    const file = Buffer.from('a,b,c\n' + 'some text,"more\ntext",1\n'.repeat(50_000));
    let done = false;
    const read = table(file).finally(() => (done = true));
    let turns = 0;
    for (; !done; turns += 1) await setImmediate();
    expect((await read).rows.length).toBe(50_000);
    expect(turns).toBeGreaterThan(5);
  });

  it.each([
    ['a long cell', 'a,b\n1,"', 'x'],
    ['millions of empty cells', 'a,b\n1,', ','],
    ['a long name in the header', '"', 'x'],
  ])('are rejected once a row has more than 4 MiB, such as %s', async (_, start, text) => {
    const part = Buffer.from(text.repeat(64 * 1024));
    let parts = 0;
    const file = (function* () {
      yield Buffer.from(start);
      for (; parts < 400; parts += 1) yield part;
    })();
    const reading = readTable(
      Readable.from(file),
      new Warnings(),
      (names) => names,
      () => undefined,
    );
    await expect(reading).rejects.toThrow(/row that begins on line \d is larger than 4 MiB/);
    expect(parts).toBeLessThan(100);
  });

  it('let other requests run while a header of too many columns is read, and name their number', async () => {
    const header = Array.from({ length: 100_000 }, (_, i) => `c${i}`).join();
    let error: Error | undefined;
    void table(`\n${header}\n`).catch((reason: Error) => (error = reason));
    let turns = 0;
    for (; !error; turns += 1) await setImmediate();
    expect(error.message).toMatch(/on line 2 has 100000 cells, more than 10000/);
    expect(turns).toBeGreaterThan(5);
  });
});

describe('a cell with many labels', () => {
  it('is an error in our own CSV, before it is divided', async () => {
    const file = fileOf(`title,labels\na,"x,y"\nb,"${'x,'.repeat(6000)}"\n`, 1000);
    const context = { now: new Date('2026-11-21T09:30:00Z'), timeZone: 'UTC' };
    await expect(planCsv(file, {}, context)).rejects.toMatchObject({
      options: {
        errors: [
          { line: 3, code: 'too_long', detail: 'labels must have at most 10000 characters' },
        ],
      },
    });
  });

  it.each([
    ['Jira', jiraCsv, `Summary,Labels\na,"${'x '.repeat(6000)}"\n`],
    ['Linear', linearCsv, `ID,Team,Title,Labels\nA-1,A,a,"${'x,'.repeat(6000)}"\n`],
    ['Jira, in many columns', jiraCsv, `Summary${',Labels'.repeat(6000)}\na${',x'.repeat(6000)}\n`],
  ])('of %s is read up to its 1,000th label', async (_, read, file) => {
    const { stories } = await read(fileOf(file, 1000), {});
    expect(stories.map(({ labels }) => labels.length)).toEqual([1000]);
  });
});

describe('an error that lists the columns of a file', () => {
  const columns = [`${'a'.repeat(1000)}`, ...Array.from({ length: 200 }, (_, i) => `column ${i}`)];
  const file = `${columns.join(',')}\n${'x,'.repeat(200)}x\n`;
  const context = { now: new Date('2026-11-21T09:30:00Z'), timeZone: 'UTC' };
  const mapping = { columns: { title: 'Name' } };

  it.each([
    ['our own CSV', () => planCsv(fileOf(file, 1000), {}, context)],
    ['Jira', () => jiraCsv(fileOf(file, 1000), {})],
    ['Linear', () => linearCsv(fileOf(file, 1000), {})],
    ['a mapping', () => jiraCsv(fileOf(file, 1000), mapping)],
  ])('of %s has 50 of their names, and the beginning of a long one', async (_, read) => {
    const error: unknown = await read().catch((thrown: unknown) => thrown);
    const { message } = error as InvalidFile;
    expect(message).toContain(`${'a'.repeat(100)}…, column 0, `);
    expect(message).toContain('column 48 and 151 more');
    expect(message.length).toBeLessThan(2000);
  });
});

it('our own CSV has every error of a row: of its cells, its missing title and its repeated external_id', async () => {
  const file = fileOf('title,external_id,status\n,,bad\n,a,bad\n,a,todo\n,a,bad\n', 1000);
  const context = { now: new Date('2026-11-21T09:30:00Z'), timeZone: 'UTC' };
  const error: unknown = await planCsv(file, {}, context).catch((thrown: unknown) => thrown);
  const { errors = [] } = (error as InvalidFile).options;
  expect(errors.map(({ line, code }) => `${line} ${code}`).sort()).toEqual([
    '2 invalid_value',
    '2 required',
    '3 invalid_value',
    '4 duplicate',
    '5 duplicate',
    '5 invalid_value',
  ]);
});

it('our own CSV may name 2,000 sprints, but no more', async () => {
  const context = { now: new Date('2026-11-21T09:30:00Z'), timeZone: 'UTC' };
  const file = (count: number): string =>
    `title,sprint\n${Array.from({ length: count }, (_, i) => `a,Sprint ${i}\n`).join('')}`;
  expect((await planCsv(fileOf(file(2000), 4096), {}, context)).sprints.length).toBe(2000);
  await expect(planCsv(fileOf(file(2001), 4096), {}, context)).rejects.toThrow(
    'The file has more than 2000 sprints; split it.',
  );
});

it('a blank cell of our own CSV names no sprint', async () => {
  const context = { now: new Date('2026-11-21T09:30:00Z'), timeZone: 'UTC' };
  const { sprints, stories } = await planCsv(fileOf('title,sprint\na, \n'), {}, context);
  expect([sprints, stories[0]?.sprints]).toEqual([[], []]);
});

it('our own CSV gets the dates of its sprints from the mapping, as other formats do', async () => {
  const days = { start_date: '2026-03-02', end_date: '2026-03-13' };
  const context = { now: new Date('2026-11-21T09:30:00Z'), timeZone: 'UTC' };
  const mapping = { sprints: { ' sprint 1': days } };
  const { sprints } = await planCsv(fileOf('title,sprint\na,Sprint 1\n'), mapping, context);
  expect(sprints).toMatchObject([{ name: 'Sprint 1', ...days }]);
});
