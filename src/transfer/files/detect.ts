import { TokenType } from '@streamparser/json';
import { parse } from 'csv-parse/sync';
import { Readable } from 'node:stream';
import { jiraField } from '../formats/jira-names';
import type { ImportFormat } from '../import/import.dto';
import { MAX_NAME } from '../import/known-names';
import { InvalidFile } from './invalid-file';
import { JsonTokens, type JsonToken } from './json';
import { slicesOf } from './slices';
import { fromUtf16, utf16Of } from './utf16';

/** The data from a client that help to detect the format of a file. */
export interface FileHints {
  format: ImportFormat | 'auto';
  mediaType?: string | undefined;
  name?: string | undefined;
}

/** A file whose format is known; it can be read from its first byte. */
export interface DetectedFile {
  format: ImportFormat;
  /** In UTF-8. */
  file: Readable;
  /** The encoding of the original file, if it is UTF-16. */
  encoding: string | undefined;
}

/** Enough for the header of a table, and for the signature of a binary file. */
const HEAD_BYTES = 64 * 1024;
/** How much of a JSON file is searched. Trello and Taiga put long lists or a logo before what we look for. */
const MAX_JSON_BYTES = 8 * 1024 * 1024;

const CSV_FORMATS: readonly ImportFormat[] = ['csv', 'jira-csv', 'linear-csv'];

/**
 * Detects the format of a file by its first bytes. It rejects a file that is neither a table nor JSON, even if
 * the client names a format.
 * @throws InvalidFile `unknown_format` that says what the file is, and what can be done
 */
export async function detectFormat(file: Readable, hints: FileHints): Promise<DetectedFile> {
  const original = new PeekedFile(file);
  const encoding = utf16Of(await original.head(2));
  const peeked = encoding
    ? new PeekedFile(Readable.from(fromUtf16(original.replay(), encoding)))
    : original;
  const head = await peeked.head(HEAD_BYTES);
  rejectForeign(head);
  const isJson = /^\s*[[{]/.test(textOf(head.subarray(0, 1024)));
  const isCsvNamed =
    /csv|tab-separated/.test(hints.mediaType ?? '') || /\.[ct]sv$/i.test(hints.name ?? '');
  if (hints.format === 'auto') {
    const format = isJson ? await formatOfJson(peeked, isCsvNamed) : formatOfTable(head);
    return { format, file: peeked.replay(), encoding };
  }
  if (isJson && !isCsvNamed && CSV_FORMATS.includes(hints.format)) {
    throw unknown(`The file is JSON, not CSV as the format ${hints.format} says.`);
  }
  return { format: hints.format, file: peeked.replay(), encoding };
}

/** Reads the beginning of a stream, and can then replay the stream from its first byte. */
class PeekedFile {
  private readonly chunks: Buffer[] = [];
  private readonly source: AsyncIterableIterator<Buffer>;

  constructor(file: Readable) {
    this.source = file[Symbol.asyncIterator]();
  }

  /** Returns at least this number of bytes from the beginning, fewer if the file is shorter. */
  async head(bytes: number): Promise<Buffer> {
    while (this.chunks.reduce((sum, { length }) => sum + length, 0) < bytes) {
      if (!(await this.next())) break;
    }
    return Buffer.concat(this.chunks);
  }

  /** The chunks from the first one on. */
  async *all(): AsyncGenerator<Buffer> {
    yield* this.chunks;
    for (let chunk = await this.next(); chunk; chunk = await this.next()) yield chunk;
  }

  replay(): Readable {
    const { chunks, source } = this;
    const all = async function* (): AsyncGenerator<Buffer> {
      yield* chunks;
      yield* source;
    };
    return Readable.from(all(), { objectMode: false });
  }

  private async next(): Promise<Buffer | undefined> {
    const next = await this.source.next();
    if (next.done) return undefined;
    this.chunks.push(next.value);
    return next.value;
  }
}

const unknown = (message: string): InvalidFile => new InvalidFile(message, 'unknown_format');

const textOf = (bytes: Buffer): string => bytes.toString('utf8').replace(/^\ufeff/, '');

const UNPACK = 'Unpack it, and import the file that is in it.';
/** The messages for files that begin with these bytes. */
const SIGNATURES: readonly [bytes: string, message: string][] = [
  ['PK\x05\x06', 'The file is an empty ZIP archive.'],
  ['\x1f\x8b', `The file is packed with gzip. ${UNPACK}`],
  ['BZh', `The file is packed with bzip2. ${UNPACK}`],
  ['\xfd7zXZ', `The file is packed with xz. ${UNPACK}`],
  ['\x28\xb5\x2f\xfd', `The file is packed with zstd. ${UNPACK}`],
  ['7z\xbc\xaf', `The file is a 7z archive. ${UNPACK}`],
  ['Rar!', `The file is a RAR archive. ${UNPACK}`],
  ['\xd0\xcf\x11\xe0', 'The file is an Excel workbook. Save it as CSV UTF-8.'],
  ['%PDF', 'The file is a PDF. Export CSV or JSON instead.'],
  ['\x89PNG', 'The file is a picture (PNG).'],
  ['\xff\xd8\xff', 'The file is a picture (JPEG).'],
  ['GIF8', 'The file is a picture (GIF).'],
  ['SQLite format 3\0', 'The file is an SQLite database. An import reads CSV or JSON.'],
];

// eslint-disable-next-line no-control-regex
const CONTROL = /[\0-\x08\x0e-\x1f]/g;

/** @throws InvalidFile if the file is empty or neither a table nor JSON */
function rejectForeign(head: Buffer): void {
  const bytes = head.toString('latin1');
  for (const [signature, message] of SIGNATURES) {
    if (bytes.startsWith(signature)) throw unknown(message);
  }
  if (bytes.startsWith('PK\x03\x04')) {
    throw unknown(
      /\[Content_Types\]\.xml|xl\//.test(bytes)
        ? 'The file is an Excel workbook. Save it as CSV UTF-8.'
        : `The file is a ZIP archive. ${UNPACK}`,
    );
  }
  const start = bytes.slice(0, 4096);
  const count = (pattern: RegExp): number => start.match(pattern)?.length ?? 0;
  if (count(/\0/g) > 0.4 * start.length)
    throw unknown('The file is in UTF-16 or UTF-32. Save it as UTF-8.');
  // A table may have some control characters in its cells, even a short one.
  if (count(CONTROL) > Math.max(5, 0.02 * start.length))
    throw unknown('The file is binary. An import reads CSV or JSON.');
  const text = textOf(head).trimStart();
  if (text === '') throw new InvalidFile('The file is empty.');
  if (/^<(!doctype html|html|head|body|table|meta)/i.test(text)) {
    throw unknown(
      'The file is a web page. If it was downloaded by a script, the tool asked to sign in; if Jira ' +
        'exported it for Excel, export CSV instead.',
    );
  }
  if (text.startsWith('<')) {
    throw unknown('The file is XML. An import reads CSV or JSON; Jira exports CSV, too.');
  }
}

/** Detects the format of a JSON file by the names of its fields, and stops reading once they determine it. */
async function formatOfJson(peeked: PeekedFile, isCsvNamed: boolean): Promise<ImportFormat> {
  const names = new FieldNames();
  const tokens = new JsonTokens((token) => names.add(token));
  let read = 0;
  try {
    for await (const slice of slicesOf(peeked.all())) {
      tokens.write(slice);
      const format = names.format();
      if (format) return format;
      read += slice.length;
      if (read > MAX_JSON_BYTES) break;
    }
  } catch (error) {
    // The header of a table may look like JSON: `[ ] Title,Status`.
    if (error instanceof InvalidFile && isCsvNamed) return 'csv';
    throw error;
  }
  throw unknown(
    'The file is JSON, but does not have the fields of a Trello board (cards, lists), a Jira search ' +
      '(issues with their fields), a Taiga project (user_stories), or GitHub issues (number, title). ' +
      'If it is one of them, name the format.',
  );
}

/** Collects which fields a JSON file has, down to four levels: `.issues[].fields`, `[].number`. */
class FieldNames {
  private readonly names = new Set<string>();
  /** The containers that are open, outermost first. */
  private readonly open: { path: string; isArray: boolean }[] = [];
  private text = '';
  private key = '';

  add({ token, value, depth }: JsonToken): void {
    if (token === TokenType.STRING && typeof value === 'string') this.text = value;
    if (token === TokenType.COLON) {
      this.key = this.text;
      const path = depth <= 4 ? this.open[depth - 1]?.path : undefined;
      if (path !== undefined && this.names.size < 10_000) this.names.add(`${path}.${this.key}`);
    }
    if (token === TokenType.LEFT_BRACE || token === TokenType.LEFT_BRACKET) {
      const parent = this.open[depth - 2];
      const step = parent ? (parent.isArray ? '[]' : `.${this.key}`) : '';
      this.open.length = depth - 1;
      this.open.push({
        path: depth <= 4 ? (parent?.path ?? '') + step : '',
        isArray: token === TokenType.LEFT_BRACKET,
      });
    }
  }

  format(): ImportFormat | undefined {
    const has = (...names: string[]): boolean => names.every((name) => this.names.has(name));
    if (has('.sprintline_export')) return 'sprintline';
    if (has('.issues[].fields') || has('[].issues[].fields') || has('[].key', '[].fields')) {
      return 'jira-json';
    }
    if (has('.user_stories') || has('.us_statuses') || has('.total_milestones')) return 'taiga';
    if (has('.cards', '.lists') || has('.cards[].idList') || has('.lists[].idBoard')) {
      return 'trello';
    }
    if (has('.labelNames') || has('.prefs.permissionLevel')) return 'trello';
    for (const list of ['[]', '[][]', '.items[]', '[].items[]', '']) {
      if (has(`${list}.number`, `${list}.title`)) return 'github';
    }
    return undefined;
  }
}

/** Columns of Jira's exports that no other format has. `jiraField` also recognises the key and the id. */
const JIRA_COLUMN =
  /^(issue ?(key|id|type)|work ?item ?(key|id|type)|project key|vorgangs?typ|tipo de (incidencia|actividad|item|ticket|problema)|type de (ticket|demande)|custom field \(.*|benutzerdefinierte felder \(.*)$/;

/** The format of a table by its header. */
function formatOfTable(head: Buffer): ImportFormat {
  const header = headerOf(head);
  const columns = header.map((name) =>
    // The time of normalization is quadratic in the length of a run of combining marks.
    name.trim().slice(0, MAX_NAME).toLowerCase().normalize('NFC'),
  );
  const has = (name: string): boolean => columns.includes(name);
  if (has('id') && has('team') && has('title')) return 'linear-csv';
  const fields = new Set(header.map(jiraField));
  const isJira =
    fields.has('title') &&
    (fields.has('external_id') || fields.has('id') || columns.some((n) => JIRA_COLUMN.test(n)));
  return isJira ? 'jira-csv' : 'csv';
}

/** Returns the cells of the first row; none if it is invalid, which the reader of the table reports later. */
function headerOf(head: Buffer): string[] {
  try {
    // A first line `sep=;` is meant for Excel.
    const [header = []] = parse(textOf(head).replace(/^sep=.*\s+/, ''), {
      to: 1,
      delimiter: [',', ';', '\t'],
      relax_quotes: true,
      skip_empty_lines: true,
      skip_records_with_empty_values: true,
      record_delimiter: ['\r\n', '\n', '\r'],
    });
    return header;
  } catch {
    return [];
  }
}
