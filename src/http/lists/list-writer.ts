import { csvLine, guarded } from '../responses/csv';
import type { Row } from './keyset';
import type { ListSource, Table } from './list-source';

/** Writes the rows of a list. */
export interface ListWriter {
  begin: string;
  separator: string;
  end: string;
  write: (row: Row) => string;
  /** Writes all rows, without a final newline. */
  writeAll: (rows: Row[]) => string;
}

export function jsonWriter(source: ListSource): ListWriter {
  const represent = (row: Row): object => source.represent(row as never);
  return {
    begin: '[',
    separator: ',',
    end: ']',
    write: (row) => JSON.stringify(represent(row)),
    // In one call: 50 stories take 70 instead of 100 µs.
    writeAll: (rows) => JSON.stringify(rows.map(represent)),
  };
}

export function csvWriter({ columns, cells }: Table): ListWriter {
  const write = (row: Row): string => csvLine(cells(row as never).map(guarded));
  const begin = csvLine(columns);
  const writeAll = (rows: Row[]): string => begin + rows.map(write).join('');
  return { begin, separator: '', end: '', write, writeAll };
}
