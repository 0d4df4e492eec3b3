import { InvalidFile } from '../../../src/transfer/files/invalid-file';
import { readJson } from '../../../src/transfer/files/json';
import { fileOf, jsonFile } from './files';

const BOARD = {
  name: 'Ünïcode 🗒',
  prefs: { nested: [{ cards: [1] }] },
  cards: [
    { id: 'a', pos: 1.5e2, desc: 'tab\tand "quotes" \u{1F5D3}', open: true },
    { id: 'b', pos: -0.25, desc: null, labels: [{ name: 'x' }, []] },
  ],
  lists: [{ id: 'l' }],
};

/** Reads the entries of some paths, in their order. */
async function entriesOf(
  content: string | Buffer,
  paths: string[],
  chunk = 7,
): Promise<[string, number, unknown][]> {
  const found: [string, number, unknown][] = [];
  await readJson(
    fileOf(content, chunk),
    Object.fromEntries(
      paths.map((path) => [path, (value, number) => found.push([path, number, value])]),
    ),
  );
  return found;
}

async function errorOf(content: string | Buffer, chunk = 1000): Promise<Record<string, unknown>> {
  const error: unknown = await entriesOf(content, ['$.cards.*', '$.*'], chunk).catch(
    (caught: unknown) => caught,
  );
  expect(error).toBeInstanceOf(InvalidFile);
  return (error as InvalidFile).document('', '');
}

describe('readJson', () => {
  it.each([1, 2, 3, 16, 100_000])(
    'passes the selected entries on, from chunks of %i bytes',
    async (n) => {
      expect(
        await entriesOf(JSON.stringify(BOARD, null, 2), ['$.cards.*', '$.lists.*'], n),
      ).toEqual([
        ['$.cards.*', 1, BOARD.cards[0]],
        ['$.cards.*', 2, BOARD.cards[1]],
        ['$.lists.*', 1, BOARD.lists[0]],
      ]);
    },
  );

  it('reads an array and an object by different paths', async () => {
    const paths = ['$.*', '$.items.*'];
    expect(await entriesOf('[1, [2]]', paths)).toEqual([
      ['$.*', 1, 1],
      ['$.*', 2, [2]],
    ]);
    expect(await entriesOf('{"total": 2, "items": [1, [2]]}', paths)).toEqual([
      ['$.items.*', 1, 1],
      ['$.items.*', 2, [2]],
    ]);
  });

  it('accepts a byte order mark, and white space after the end', async () => {
    expect(await entriesOf('\ufeff [1]\r\n\n ', ['$.*'], 1)).toEqual([['$.*', 1, 1]]);
  });

  it('reads what JSON.parse reads: numbers out of range, lone surrogates, escaped NULs', async () => {
    const text = '[1e999, -1e-999, 123456789012345678901234567890, "\\ud83d", "\\u0000"]';
    const values = (await entriesOf(text, ['$.*'])).map(([, , value]) => value);
    expect(values).toEqual(JSON.parse(text));
  });

  it('reads names of prototypes as fields, and the last of two fields with one name', async () => {
    const text = '[{"__proto__": {"admin": true}, "constructor": 1, "id": 1, "id": 2}]';
    const [[, , value] = []] = await entriesOf(text, ['$.*']);
    expect((value as { admin?: boolean }).admin).toBeUndefined();
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect((value as { id: number }).id).toBe(2);
    expect(({} as { admin?: boolean }).admin).toBeUndefined();
  });

  it.each([
    ['an extra comma', '{"cards": [\n  1,\n  2,,\n]}', 3, 5],
    ['a bracket of the wrong kind', '{"cards": [\n1}\n]', 2, 2],
    ['a missing colon', '{\n\n"cards" [1]}', 3, 9],
    ['a comment', '[\n1, // one\n2]', 2, 4],
    ['a line break in a string', '["a\nb"]', 1, 4],
    ['a NUL', '[\n"a\0b"]', 2, 3],
    ['a word', '[\nnull,\nnone]', 3, 2],
    ['a second value', '[1]\n[2]', 2, 1],
    ['text', 'Title,Status\nA,B', 1, 1],
  ])('names line and byte of %s', async (_, content, line, byte) => {
    for (const chunk of [1, 3, 1000]) {
      const error = await errorOf(content, chunk);
      expect(error.detail).toBe(`On line ${line}, byte ${byte}: this is not valid JSON.`);
      expect(error.code).toBe('invalid_file');
      expect(error.errors).toMatchObject([{ line, code: 'malformed' }]);
    }
  });

  it('rejects a file that is cut anywhere', async () => {
    const text = Buffer.from(JSON.stringify(BOARD, null, 1));
    for (let end = 1; end < text.length; end += 1) {
      const error = await errorOf(text.subarray(0, end), 1 + (end % 50));
      const line = text.subarray(0, end).toString('latin1').split('\n').length;
      expect([end, error.errors]).toMatchObject([end, [{ line, code: 'cut' }]]);
    }
  });

  it('rejects a file that is empty', async () => {
    expect((await errorOf('')).detail).toBe('The file is empty.');
  });

  it('names the line that is not UTF-8', async () => {
    const latin1 = Buffer.from('{"cards": [\n"Caf\xe9"]}', 'latin1');
    for (const chunk of [1, 1000]) {
      expect((await errorOf(latin1, chunk)).errors).toMatchObject([
        { line: 2, code: 'invalid_text' },
      ]);
    }
  });

  it('rejects brackets that nest too deep, wherever they are', async () => {
    const deep = '['.repeat(100_000);
    const closed = deep + ']'.repeat(100_000);
    for (const content of [deep, `{"cards": [${closed}]}`, `{"other":\n ${closed}}`]) {
      expect((await errorOf(content, 65_536)).detail).toMatch(/nest deeper than 64 levels/);
    }
    expect(
      await entriesOf(`{"cards": [${'['.repeat(60)}${']'.repeat(60)}]}`, ['$.cards.*']),
    ).toHaveLength(1);
  });

  it('limits the values of one entry, and the entries of a list', async () => {
    const many = Buffer.from(`{"cards": [[${'1,'.repeat(100_000)}1]]}`);
    expect((await errorOf(many, 65_536)).errors).toMatchObject([{ code: 'too_many' }]);
    const long = Buffer.from(`{"cards":\n [${'1,'.repeat(200_001)}1]}`);
    expect((await errorOf(long, 65_536)).errors).toMatchObject([{ line: 2, code: 'too_many' }]);
  });

  it('limits the length of one string, and does not collect it', async () => {
    const chunk = Buffer.alloc(1024 * 1024, 'a');
    function* endless(): Generator<Buffer> {
      yield Buffer.from('["');
      for (;;) yield chunk;
    }
    const { Readable } = await import('node:stream');
    await expect(readJson(Readable.from(endless()), {})).rejects.toThrow(/more than 16 MiB/);
  });

  it('lets other requests run while it reads', async () => {
    let turns = 0;
    const timer = setInterval(() => (turns += 1), 1);
    const started = performance.now();
    await readJson(jsonFile(Array(100_000).fill({ title: 'A story', points: 3 }), 1_000_000), {
      '$.*': () => undefined,
    });
    clearInterval(timer);
    // It pauses after 10 ms of work; the machine may be busy.
    expect(turns).toBeGreaterThan((performance.now() - started) / 200 - 1);
  });

  it('throws an error of its consumer', async () => {
    const reading = readJson(fileOf('[1, 2, 3]'), {
      '$.*': (value) => {
        if (value === 2) throw new InvalidFile('Two is too much.');
      },
    });
    await expect(reading).rejects.toThrow('Two is too much.');
  });
});
