import type { CsvError as ParserError } from 'csv-parse';
import { CsvError, parse } from 'csv-parse';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { FieldErrorCode } from '../../http/problem';
import { InvalidFile, invalidLine } from './invalid-file';
import { slicesOf } from './slices';
import type { Warnings } from './source';
import { requireText } from './utf8';

/** A row of a CSV file. */
export interface CsvRow {
  /** Number of the line on which the row begins, from 1. */
  line: number;
  /** As many as the header has, or fewer. */
  cells: string[];
}

/** Jira writes all comments of an issue into its row. */
const MAX_ROW_BYTES = 4 * 1024 * 1024;
const MAX_COLUMNS = 10_000;
/** Rows without the header. */
const MAX_ROWS = 200_000;
/** Maximum rows of a file, empty rows included: as many as a spreadsheet can have. */
const MAX_RECORDS = 1024 * 1024;
/** Maximum number of cells of a file. A row counts as many as the header has, even if it is shorter. */
const MAX_CELLS = 20_000_000;
/** A table with fewer columns may be written by hand, and its last row may be short. */
const WIDE_COLUMNS = 8;
/** The maximum length of the text that decides the separator. */
const MAX_HEADER = 64 * 1024;
const SEPARATORS = { ',': 'a comma', ';': 'a semicolon', '\t': 'a tab' };

/** Handles a row with more cells than the header. */
type OnLongRow = (line: number, surplus: string[]) => void;

/**
 * Reads a table whose first row names the columns. It warns of rows that are shorter than the header, and cuts
 * longer ones.
 * @param readHeader converts the names of the columns to what `onRow` needs of them
 * @returns the converted header
 * @throws InvalidFile as `parseCsv` does, if there is no header, or if the last row seems to be cut off
 */
export async function readTable<Header extends object>(
  input: Readable,
  warnings: Warnings,
  readHeader: (names: string[]) => Header,
  onRow: (row: CsvRow, header: Header) => void,
  onLongRow: OnLongRow = (line, surplus) =>
    warnings.add('long_row', `line ${line} has cells beyond the header: ${surplus.join(', ')}`),
): Promise<Header> {
  let columns = 0;
  let rows = 0;
  /** The rows that have fewer cells than the header. */
  let short = 0;
  let last = { line: 0, cells: 0 };
  let header: Header | undefined;
  const { endsLine } = await parseCsv(input, ({ line, cells }) => {
    last = { line, cells: cells.length };
    if (!header) {
      columns = cells.length;
      header = readHeader(cells.map((name) => name.trim()));
      return;
    }
    rows += 1;
    if (rows > MAX_ROWS || rows * columns > MAX_CELLS) throw tooMany(line, rows - 1);
    if (cells.length < columns) {
      short += 1;
      warnings.add('short_row', `line ${line} has ${cells.length} of ${columns} cells`);
    } else if (cells.length > columns) {
      const surplus = cells.splice(columns).filter((cell) => cell.trim() !== '');
      if (surplus.length > 0) onLongRow(line, surplus);
    }
    onRow({ line, cells }, header);
  });
  if (!header) throw new InvalidFile('The file is empty; its first line must name the columns.');
  const isOnlyShort = short === 1 && rows > 1 && last.cells < columns;
  if (isOnlyShort && !endsLine && columns >= WIDE_COLUMNS) {
    const detail = `the file ends in the middle of this row, after ${last.cells} of ${columns} cells`;
    const message = `Export the file again: it is cut off on line ${last.line}.`;
    throw invalidLine(last.line, 'cut', detail, message);
  }
  return header;
}

function tooMany(line: number, max: number): InvalidFile {
  const detail = `more than ${max} rows are too many for one import`;
  const message = `The file must be split on line ${line}: ${detail}.`;
  return invalidLine(line, 'too_many', detail, message);
}

const invalidRow = (line: number, code: FieldErrorCode, reason: string): InvalidFile =>
  invalidLine(line, code, `the row ${reason}`, `The row that begins on line ${line} ${reason}.`);

/**
 * Parses CSV (RFC 4180) with any kind of line break as it arrives. Rows with only empty cells are skipped.
 * @returns whether the last row ends with a line break
 * @throws InvalidFile if the input is not CSV, or not in UTF-8
 */
async function parseCsv(
  input: Readable,
  onRow: (row: CsvRow) => void,
): Promise<{ endsLine: boolean }> {
  const chunks = requireText(slicesOf(input));
  const start: Buffer[] = [];
  let text = '';
  while (!hasHeader(text)) {
    const next = await chunks.next();
    if (next.done) break;
    start.push(next.value);
    // Without the empty rows at the start.
    text = Buffer.concat(start)
      .toString()
      .replace(/^\s*[\r\n]/, '');
  }
  const delimiter = delimiterOf(text);
  let line = 1;
  let records = 0;
  /** CRLF within cells, which the parser counts as two line breaks. */
  let countedTwice = 0;
  /** The bytes that were read, and those of the complete rows. */
  let read = 0;
  let complete = 0;
  const parser = parse({
    bom: true,
    delimiter,
    record_delimiter: ['\r\n', '\n', '\r'],
    // At an error, the stream would drop the rows that are not read yet, and the count of their lines with them.
    on_record: (record: unknown, { lines, bytes }) => {
      const cells = record as string[];
      // The parser compares each row with the first one. `relax_column_count` accepts a row of another length, but
      // first creates an error with the whole row: 16 KiB of empty lines took a second.
      Object.assign(parser.info, { records: 0 });
      if (cells.length > MAX_COLUMNS) {
        const reason = `has ${cells.length} cells, more than ${MAX_COLUMNS}`;
        throw invalidRow(line, 'too_many', reason);
      }
      for (const cell of cells) countedTwice += crlfsIn(cell);
      records += 1;
      if (records > MAX_RECORDS) throw tooMany(line, MAX_RECORDS);
      const isEmpty = cells.every((cell) => cell.trim() === '');
      // A first line `sep=;` is meant for Excel.
      if (!isEmpty && !(line === 1 && cells[0] === 'sep=')) onRow({ line, cells });
      line = lines + 1 - countedTwice;
      complete = bytes;
      return null;
    },
  });
  parser.resume();
  try {
    await pipeline(async function* () {
      for (const slices of [start, chunks]) {
        for await (const slice of slices) {
          read += slice.length;
          // The option `max_record_size` does not count separators, of which a row may have millions.
          if (read - complete > MAX_ROW_BYTES) {
            throw invalidRow(line, 'too_long', `is larger than ${MAX_ROW_BYTES / 1024 / 1024} MiB`);
          }
          yield slice;
        }
      }
    }, parser);
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    const reason = reasonOf(error, delimiter);
    const message = `This is not CSV, because of the row that begins on line ${line}: ${reason}.`;
    throw invalidLine(line, 'malformed', reason, message);
  }
  return { endsLine: parser.info.lines - countedTwice === line };
}

function crlfsIn(text: string): number {
  let count = 0;
  for (let at = text.indexOf('\r\n'); at !== -1; at = text.indexOf('\r\n', at + 2)) count += 1;
  return count;
}

function reasonOf(error: ParserError, delimiter: string): string {
  const separator = SEPARATORS[delimiter as keyof typeof SEPARATORS];
  const reasons: Partial<Record<ParserError['code'], string>> = {
    CSV_QUOTE_NOT_CLOSED: 'a quote is opened and never closed',
    INVALID_OPENING_QUOTE: 'a quote occurs in a cell that does not begin with one',
    CSV_INVALID_CLOSING_QUOTE: `something other than ${separator} follows a closing quote`,
  };
  return reasons[error.code] ?? error.message;
}

/** Whether a text contains its complete first row, or enough of it to choose the separator. */
const hasHeader = (text: string): boolean =>
  text.length > MAX_HEADER || /[\r\n]/.test(withoutQuoted(text));

/** Removes quoted cells, which may have separators and line breaks. */
const withoutQuoted = (text: string): string => text.replace(/"[^"]*"?/g, '');

/** Returns the most frequent separator of the first row. */
function delimiterOf(text: string): string {
  const [header = ''] = withoutQuoted(text).split(/[\r\n]/, 1);
  const count = (delimiter: string): number => header.split(delimiter).length;
  return Object.keys(SEPARATORS).reduce((best, next) => (count(next) > count(best) ? next : best));
}
