import type { FastifyReply, FastifyRequest } from 'fastify';
import { Readable } from 'node:stream';
import type { Database } from '../database/database';
import type { Reader } from '../database/reader';
import type { Snapshot } from '../database/snapshots';
import { clientOf } from './access';
import { Answer } from './answer';
import { BOARD_REVISION } from './board-revision';

/**
 * A stream of the parts of a response, which are read from a snapshot and closed with it. The first part
 * is read at once, so that its errors become a response.
 */
export async function streamParts(
  parts: AsyncGenerator<string>,
  snapshot: Snapshot,
): Promise<Readable> {
  const close = (): Promise<void> => snapshot.close();
  let begun: Promise<IteratorResult<string>> | undefined;
  try {
    begun = Promise.resolve(await parts.next());
  } catch (error) {
    await close();
    throw error;
  }
  const iterator: AsyncIterableIterator<string> = {
    next: async () => {
      const next = await (begun ?? parts.next());
      begun = undefined;
      if (next.done) await close();
      return next;
    },
    return: async () => {
      await parts.return(undefined);
      await close();
      return { done: true, value: undefined };
    },
    [Symbol.asyncIterator]: () => iterator,
  };
  const readable = Readable.from(iterator, { objectMode: false, highWaterMark: 0 });
  readable.once('close', () => void close());
  return readable;
}

/** The content of a long response, with its entity tag and the revision of its board. */
export interface StreamedContent {
  etag: string;
  revision: number;
  parts: AsyncGenerator<string>;
}

/** A response about one board that is too long for memory. */
export class StreamedAnswer extends Answer {
  constructor(
    private readonly database: Database,
    /** As far as it is known before the content is read, whose tag and revision are sent. */
    readonly etag: string,
    readonly revision: number,
    private readonly read: (snapshot: Reader) => Promise<StreamedContent>,
    override readonly mediaType?: string,
    private readonly headers: Record<string, string> = {},
  ) {
    super();
  }

  async open(request: FastifyRequest, reply: FastifyReply): Promise<Readable> {
    reply.headers(this.headers);
    if (request.method === 'HEAD') return Readable.from([]);
    const snapshot = await this.database.openStream(clientOf(request));
    try {
      const { etag, revision, parts } = await this.read(snapshot);
      reply.header('ETag', etag).header(BOARD_REVISION, revision);
      return await streamParts(parts, snapshot);
    } catch (error) {
      await snapshot.close();
      throw error;
    }
  }
}

/** Characters of a part of a long response: what one slow reader keeps in memory. */
export const PART_LENGTH = 64 * 1024;

/** How many rows are read for a part, so that it has a bounded length. */
export interface PartSize {
  rows(): number;
  /** @param length characters that the rows were written as */
  measured(length: number, rows: number): void;
}

/**
 * Chooses by the length of the part before; at most twice as many rows, because long rows may follow short
 * ones.
 */
export class GrowingPartSize implements PartSize {
  /** Few, before anything is known of their length. */
  private next = 2;

  /** @param max rows of a part, at most */
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

/** How rows become the parts of a response. */
export interface RowsInParts<Row> {
  /** Reads so many rows that follow one. */
  read: (after: Row | undefined, limit: number) => Promise<Row[]>;
  /** The text of a row; undefined if it is left out. */
  write: (row: Row) => string | undefined;
  /** Precedes the first row. */
  begin?: string;
  separator?: string;
  /** Follows the last row. */
  end?: string;
  /** Rows of all parts, at most. */
  most?: number;
  size: PartSize;
}

/**
 * Rows as text, in parts of bounded length. Rows that do not fit into a part are read again for the next
 * one, so that a slow reader keeps only one part.
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
  // A function, because a generator keeps its variables, such as the rows, until the part is taken.
  const next = async (): Promise<string> => {
    const limit = Math.min(size.rows(), left);
    const rows = await read(last, limit);
    let part = '';
    let taken = 0;
    let written = 0;
    for (const row of rows) {
      last = row;
      taken += 1;
      const text = write(row);
      if (text === undefined) continue;
      part += before + text;
      before = separator;
      written += 1;
      if (part.length >= PART_LENGTH) break;
    }
    size.measured(part.length, written);
    left = taken === rows.length && taken < limit ? 0 : left - taken;
    if (left === 0) part += (before === begin ? begin : '') + end;
    return part;
  };
  while (left > 0) {
    const part = await next();
    if (part !== '') yield part;
  }
}
