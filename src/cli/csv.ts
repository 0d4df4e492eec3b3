import { CsvError, parse } from 'csv-parse';
import { Transform } from 'node:stream';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Refusal } from './application';

/** A row of a file: its cells, and the number of the line on which it begins. */
export interface CsvRow {
  line: number;
  cells: string[];
}

/** Bytes of one row; as much as the body of a request may have. */
const LARGEST_ROW = 1024 * 1024;

const FIELD_ERRORS: Partial<Record<CsvError['code'], string>> = {
  CSV_QUOTE_NOT_CLOSED: 'a quote is opened and never closed',
  INVALID_OPENING_QUOTE: 'a quote stands in a field that does not begin with one',
  CSV_INVALID_CLOSING_QUOTE: 'something other than a comma follows a closing quote',
  CSV_MAX_RECORD_SIZE: `it is larger than ${LARGEST_ROW / 1024} KiB`,
};

/**
 * Reads CSV (RFC 4180) in UTF-8, with a byte order mark or without, and with any kind of line breaks.
 * Lines without anything are skipped.
 * @throws Refusal where it is not CSV or not UTF-8
 */
export async function readCsv(input: Readable, take: (row: CsvRow) => void): Promise<void> {
  let line = 1;
  const parser = parse({
    bom: true,
    record_delimiter: ['\r\n', '\n', '\r'],
    // Whether a row has as many cells as the header is for the reader of rows to say.
    relax_column_count: true,
    max_record_size: LARGEST_ROW,
    raw: true,
    // Here, and not from the stream: what precedes a fault is then taken before the fault is met.
    on_record: (record: unknown) => {
      const { record: cells, raw } = record as { record: string[]; raw: string };
      if (cells.length > 1 || cells[0] !== '') take({ line, cells });
      line += raw.match(/\r\n|\n|\r/g)?.length ?? 0;
      return null;
    },
  });
  parser.resume();
  try {
    await pipeline(input, requireUtf8(), parser);
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    const fault = FIELD_ERRORS[error.code] ?? error.message;
    throw new Refusal(`This is not CSV: of the row that begins on line ${line}, ${fault}.`);
  }
}

/** Lets bytes through as long as they are UTF-8. */
function requireUtf8(): Transform {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let line = 1;
  const check = (chunk?: Buffer): void => {
    try {
      decoder.decode(chunk, { stream: chunk !== undefined });
    } catch {
      throw new Refusal(
        `The file is not in UTF-8: line ${line} has bytes that mean nothing there. Convert it first.`,
      );
    }
  };
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      try {
        // By lines, for the sake of the number.
        for (let start = 0; start < chunk.length;) {
          const end = chunk.indexOf(10, start) + 1 || chunk.length;
          check(chunk.subarray(start, end));
          if (chunk[end - 1] === 10) line += 1;
          start = end;
        }
        done(null, chunk);
      } catch (error) {
        done(error as Error);
      }
    },
    flush(done) {
      try {
        check();
        done();
      } catch (error) {
        done(error as Error);
      }
    },
  });
}
