import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { detectFormat, type FileHints } from '../../../src/transfer/files/detect';
import { InvalidFile } from '../../../src/transfer/files/invalid-file';
import { fileOf } from './files';

const AUTO: FileHints = { format: 'auto' };

async function formatOf(content: string | Buffer, hints = AUTO, chunk = 100): Promise<string> {
  const { format, file } = await detectFormat(fileOf(content, chunk), hints);
  // The reader of the format gets all bytes, including those of the detection.
  expect((await buffer(file)).equals(Buffer.from(content))).toBe(true);
  return format;
}

async function errorOf(content: string | Buffer, hints = AUTO): Promise<Record<string, unknown>> {
  const error: unknown = await detectFormat(fileOf(content), hints).catch(
    (caught: unknown) => caught,
  );
  expect(error).toBeInstanceOf(InvalidFile);
  return (error as InvalidFile).document('', '');
}

const issue = { assignees: [], body: 'x', number: 7, title: 'A' };

describe('detectFormat', () => {
  it.each([
    ['sprintline', `{"sprintline_export":1,"board":{"name":"a"}}\n{"type":"sprint"}\n`],
    ['trello', JSON.stringify({ id: '1', name: 'B', actions: [{ id: 2 }], cards: [], lists: [] })],
    ['trello', JSON.stringify({ id: '1', cards: [{ id: 'c', idList: 'l' }] })],
    ['trello', JSON.stringify({ id: '1', prefs: { permissionLevel: 'org' }, cards: [] })],
    ['jira-json', JSON.stringify({ startAt: 0, issues: [{ key: 'A-1', fields: {} }] })],
    ['jira-json', JSON.stringify([{ issues: [{ id: '1', key: 'A-1', fields: {} }] }])],
    ['taiga', JSON.stringify({ name: 'P', issues: [{ ref: 1 }], user_stories: [] })],
    ['taiga', JSON.stringify({ slug: 'p', total_milestones: 3, milestones: [] })],
    ['github', JSON.stringify([issue])],
    ['github', JSON.stringify([[issue], [issue]])],
    ['github', JSON.stringify({ total_count: 1, items: [issue] })],
    ['github', `[]${JSON.stringify([issue])}`],
    ['github', `${JSON.stringify(issue)}\n${JSON.stringify(issue)}\n`],
    ['linear-csv', 'ID,Team,Title,Description,Status\nA-1,T,x,,Todo\n'],
    ['jira-csv', 'Summary,Issue key,Issue id,Status\nx,A-1,1,Done\n'],
    ['jira-csv', '\ufeff"Zusammenfassung";"Vorgangsschlüssel";"Status"\nx;A-1;Fertig\n'],
    ['jira-csv', 'Resumen\tClave de incidencia\tEstado\nx\tA-1\tListo\n'],
    ['jira-csv', 'Key,Summary,Status,Story Points\nA-1,x,Done,3\n'],
    ['jira-csv', 'Sumário,Chave da item,Estado\nx,A-1,Feito\n'],
    ['jira-csv', 'Resumo,Chave da pendência,ID da pendência,Status\nx,A-1,1,Feito\n'],
    ['jira-csv', 'Resumen,Clave de actividad,Estado\nx,A-1,Listo\n'],
    ['jira-csv', 'Résumé,Clé de demande,ID de demande,État\nx,A-1,1,Fini\n'],
    ['jira-csv', 'Summary,Custom field (Severity)\nx,High\n'],
    ['jira-csv', 'sep=;\nSummary;Ticket key\nx;A-1\n'],
    ['jira-csv', ',,\nSummary,Issue key,Status\nx,A-1,Done\n'],
    ['csv', 'title,status\nx,todo\n'],
    ['csv', 'key,title,status\nA,x,todo\n'],
    ['csv', '"title\nof it",status\rx,todo\r'],
    ['csv', '   \n\nOne column\nx\n'],
    ['csv', 'title,"broken\n'],
  ])('recognises %s (%#)', async (format, content) => {
    for (const chunk of [1, 33, 100_000]) {
      expect(await formatOf(content, AUTO, chunk)).toBe(format);
      expect(await formatOf(`\ufeff${content.replace('\ufeff', '')}`, AUTO, chunk)).toBe(format);
    }
  });

  it.each([
    ['csv', 'title,status\nx ä 🗒,todo\n'],
    ['jira-csv', 'Summary\tIssue key\nx\tA-1\n'],
    ['github', JSON.stringify([{ ...issue, title: '𝄞 '.repeat(100) }])],
  ])('converts %s from UTF-16 to UTF-8', async (format, content) => {
    const bytes = Buffer.from(`\ufeff${content}`, 'utf16le');
    for (const encoded of [bytes, Buffer.from(bytes).swap16()]) {
      for (const chunk of [1, 7, 100_000]) {
        const found = await detectFormat(fileOf(encoded, chunk), AUTO);
        expect(found.format).toBe(format);
        expect((await buffer(found.file)).toString()).toBe(content);
      }
      const cut = detectFormat(fileOf(encoded.subarray(0, -1), 7), AUTO);
      await expect(cut).rejects.toThrow(/not in UTF-16: line \d/);
    }
  });

  it('names the line that is not UTF-16', async () => {
    const bytes = Buffer.from('\ufefftitle\nx\ny\n', 'utf16le');
    bytes.writeUInt16LE(0xdc00, bytes.length - 4);
    for (const chunk of [1, 7, 100]) {
      const read = async () => buffer((await detectFormat(fileOf(bytes, chunk), AUTO)).file);
      await expect(read()).rejects.toMatchObject({
        options: { errors: [{ line: 3, code: 'invalid_text' }] },
      });
    }
  });

  it('normalizes no long cell of a header, which takes quadratic time', async () => {
    const normalize = jest.spyOn(String.prototype, 'normalize');
    const cell = `a${'\u0315'.repeat(5000)}${'\u0316'.repeat(5000)}`;
    expect(await formatOf(`ID,Team,Title,${cell}\nA-1,T,x,y\n`, AUTO, 65_536)).toBe('linear-csv');
    const lengths = normalize.mock.contexts.map(({ length }) => length);
    expect(Math.max(...lengths)).toBeLessThanOrEqual(255);
  });

  it('finds the fields that identify a format after long values', async () => {
    const logo = { name: 'P', logo: { data: 'QUJD'.repeat(700_000) }, user_stories: [] };
    expect(await formatOf(JSON.stringify(logo), AUTO, 65_536)).toBe('taiga');
    const actions = Array(20_000).fill({ id: 1, data: { text: 'a comment of some length' } });
    expect(await formatOf(JSON.stringify({ actions, cards: [], lists: [] }), AUTO, 65_536)).toBe(
      'trello',
    );
  });

  it('uses the format that the client names', async () => {
    const named: FileHints = { format: 'github' };
    expect(await formatOf('Summary,Issue key\n', { format: 'csv' })).toBe('csv');
    expect(await formatOf('{"cards": [], "lists": []}', named)).toBe('github');
  });

  it('reports JSON if the named format is a table', async () => {
    const error = await errorOf(' {"cards": []}', { format: 'jira-csv' });
    expect(error.detail).toBe('The file is JSON, not CSV as the format jira-csv says.');
  });

  it('reads a header that begins like JSON as a table, if the client calls it CSV', async () => {
    const content = '[ ] title,status\nx,todo\n';
    expect(await formatOf(content, { ...AUTO, mediaType: 'text/csv' })).toBe('csv');
    expect(await formatOf(content, { ...AUTO, name: 'export.CSV' })).toBe('csv');
    expect((await errorOf(content)).errors).toMatchObject([{ line: 1, code: 'malformed' }]);
  });

  it.each([
    ['gzip', gzipSync('title,status\n'), /gzip.*Unpack/],
    ['a ZIP archive', Buffer.from('PK\x03\x04\x14\0\0\0\x08\0export.csv'), /ZIP.*Unpack/],
    ['a workbook', Buffer.from('PK\x03\x04\x14\0[Content_Types].xml'), /Excel.*CSV/],
    ['an old workbook', Buffer.from('d0cf11e0a1b11ae1', 'hex'), /Excel.*CSV/],
    ['a PDF', Buffer.from('%PDF-1.7\n'), /PDF/],
    ['a picture', Buffer.from('89504e470d0a1a0a0000', 'hex'), /PNG/],
    ['UTF-16 without a mark', Buffer.from('title,status\n', 'utf16le'), /UTF-16.*UTF-8/],
    ['binary', Buffer.from(Array.from({ length: 999 }, (_, i) => (i * 7) % 256)), /binary/],
    ['a web page', Buffer.from('\n<!DOCTYPE html><html>'), /web page.*sign in/],
    ['XML', Buffer.from('<?xml version="1.0"?><rss>'), /XML.*CSV/],
    ['other JSON', Buffer.from('{"a": [{"iid": 1}]}'), /JSON.*name the format/],
    ['an empty list', Buffer.from('[]'), /JSON.*name the format/],
  ])('reports that a file is %s', async (_, content, message) => {
    const error = await errorOf(content);
    expect(error.code).toBe('unknown_format');
    expect(error.detail).toMatch(message);
  });

  it('takes a short table with a control character for a table, whose error has a line', async () => {
    expect(await formatOf('title\na\x01b\n')).toBe('csv');
  });

  it('reports what a file is, even if another format is named', async () => {
    expect((await errorOf(gzipSync('a'), { format: 'csv' })).detail).toMatch(/gzip/);
    expect((await errorOf(Buffer.from('<html>'), { format: 'trello' })).detail).toMatch(/web page/);
  });

  it.each(['{}}', '[]]', '[{"number": 1}]] [', '{"a": 1}}{'])(
    'names the line of an extra bracket (%s)',
    async (content) => {
      expect((await errorOf(content)).errors).toMatchObject([{ line: 1, code: 'malformed' }]);
    },
  );

  it.each(['', '\ufeff', ' \r\n\t\n'])('rejects an empty file (%j)', async (content) => {
    expect((await errorOf(content)).detail).toBe('The file is empty.');
  });

  it('leaves the error for a NUL in a cell to the reader', async () => {
    expect(await formatOf(`title,status\n${'a story,todo\n'.repeat(9)}a\0b,todo\n`)).toBe('csv');
  });

  it('throws an error of the stream, and closes the stream with the reader', async () => {
    let closed = false;
    const failing = Readable.from(
      (async function* () {
        try {
          yield Buffer.from('title,status\n'.repeat(10_000));
          await Promise.reject(new Error('aborted'));
        } finally {
          closed = true;
        }
      })(),
    );
    const { file } = await detectFormat(failing, AUTO);
    await expect(buffer(file)).rejects.toThrow('aborted');
    expect(closed).toBe(true);
  });
});
