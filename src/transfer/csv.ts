import { CsvError, parse } from 'csv-parse';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { InvalidFile } from './invalid-file';
import { requireUtf8 } from './utf8';

/** A row of a CSV file. */
interface CsvRow {
  /** Number of the line on which the row begins, from 1. */
  line: number;
  cells: string[];
}

/** Bytes of one row, as many as a request body may have. */
const MAX_ROW_BYTES = 1024 * 1024;

const ERRORS: Partial<Record<CsvError['code'], string>> = {
  CSV_QUOTE_NOT_CLOSED: 'a quote is opened and never closed',
  INVALID_OPENING_QUOTE: 'a quote stands in a field that does not begin with one',
  CSV_INVALID_CLOSING_QUOTE: 'something other than a comma follows a closing quote',
  CSV_MAX_RECORD_SIZE: `it is larger than ${MAX_ROW_BYTES / 1024} KiB`,
};

/**
 * Reads CSV (RFC 4180) in UTF-8, with or without a byte order mark, with any kind of line break. Empty
 * lines are skipped.
 * @param max number of rows, without the first one, which is the header
 * @throws InvalidFile if the input is not CSV, not UTF-8, or has more rows
 */
export async function readCsv(input: Readable, max: number): Promise<CsvRow[]> {
  const rows: CsvRow[] = [];
  let line = 1;
  const parser = parse({
    bom: true,
    record_delimiter: ['\r\n', '\n', '\r'],
    // The caller reports the rows that do not have as many cells as the header.
    relax_column_count: true,
    max_record_size: MAX_ROW_BYTES,
    raw: true,
    // The stream would drop unread rows at an error, and with them the number of their lines.
    on_record: (record: unknown) => {
      const { record: cells, raw } = record as { record: string[]; raw: string };
      if (cells.length > 1 || cells[0] !== '') rows.push({ line, cells });
      if (rows.length > max + 1) {
        throw new InvalidFile(`The file has more than ${max} rows; split it.`);
      }
      line += raw.match(/\r\n|\n|\r/g)?.length ?? 0;
      return null;
    },
  });
  parser.resume();
  try {
    await pipeline(input, requireUtf8, parser);
    return rows;
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    const reason = ERRORS[error.code] ?? error.message;
    throw new InvalidFile(`This is not CSV: of the row that begins on line ${line}, ${reason}.`);
  }
}
