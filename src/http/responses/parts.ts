/** Characters of a part of a long response; a slow client keeps one part in memory. */
export const PART_LENGTH = 64 * 1024;

/** Counts the first items whose lengths have at most the sum `max`; at least one. */
export function countFitting(lengths: readonly number[], max: number): number {
  let sum = 0;
  const end = lengths.findIndex((length) => (sum += length) > max);
  return end === -1 ? lengths.length : Math.max(1, end);
}

/** Determines how many rows are read for a part, so that its length is bounded. */
interface PartSize<Row> {
  /** @param after the last row of the part before */
  rows(after: Row | undefined): number | Promise<number>;
  /** @param length characters of the written rows */
  measured(length: number, rows: number): void;
}

/**
 * Determines the rows of a part by the length of the part before; at most doubles them, because long rows
 * may follow short ones.
 */
export class GrowingPartSize implements PartSize<unknown> {
  /** Few rows at first, because their length is unknown. */
  private next = 2;

  /** @param max maximum rows of a part */
  constructor(private readonly max: number) {}

  rows(): number {
    return this.next;
  }

  measured(length: number, rows: number): void {
    if (rows === 0) return;
    const fitting = Math.floor((PART_LENGTH * rows) / length);
    this.next = Math.max(1, Math.min(this.max, 2 * rows, fitting));
  }
}

/** The rows of a response, and how they are written. */
interface RowsInParts<Row> {
  /** Reads at most `limit` rows that follow a row. */
  read: (after: Row | undefined, limit: number) => Promise<Row[]>;
  /** Returns the text of a row. */
  write: (row: Row) => string;
  /** Precedes the first row. */
  begin?: string;
  separator?: string;
  /** Follows the last row. */
  end?: string;
  /** Maximum rows of all parts. */
  most?: number;
  size: PartSize<Row>;
}

/**
 * Writes rows as text, in parts of bounded length. Rows that do not fit into a part are read again for the
 * next one, so that a slow client keeps only one part in memory.
 */
export async function* inParts<Row>({
  read,
  write,
  begin = '',
  separator = '',
  end = '',
  most = Infinity,
  size,
}: RowsInParts<Row>): AsyncGenerator<string> {
  let left = most;
  let last: Row | undefined;
  let before = begin;
  // A function, because a generator keeps its variables, such as the rows, until the part is read.
  const next = async (): Promise<string> => {
    const limit = Math.min(await size.rows(last), left);
    const rows = await read(last, limit);
    let part = '';
    let taken = 0;
    for (const row of rows) {
      last = row;
      taken += 1;
      part += before + write(row);
      before = separator;
      if (part.length >= PART_LENGTH) break;
    }
    size.measured(part.length, taken);
    left = taken === rows.length && taken < limit ? 0 : left - taken;
    if (left === 0) part += (before === begin ? begin : '') + end;
    return part;
  };
  while (left > 0) {
    const part = await next();
    if (part !== '') yield part;
  }
}
