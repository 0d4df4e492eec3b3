import type { FastifyReply, FastifyRequest } from 'fastify';
import { Readable } from 'node:stream';
import type { Database } from '../database/database';
import type { Reader } from '../database/reader';
import type { Snapshot } from '../database/snapshots';
import { accessOf } from './access';
import { Answer } from './answer';
import { BOARD_REVISION } from './board-revision';

/** The key under which limits for each client are counted: the token of a request or else its address. */
export function clientOf(request: FastifyRequest): string {
  const { tokenId } = accessOf(request);
  return tokenId > 0 ? `token ${tokenId}` : request.ip;
}

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
  const readable = Readable.from(iterator, { objectMode: false, highWaterMark: 1 << 16 });
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
const PART_LENGTH = 128 * 1024;

/**
 * Chooses how many rows are read for a part, by the length of the part before; at most twice as many, because
 * long rows may follow short ones.
 */
export class PartSize {
  /** Before anything is known of their length. */
  rows = 10;

  constructor(private readonly max: number) {}

  /** @param length characters that the rows were written as */
  measured(length: number, rows: number): void {
    if (rows === 0) return;
    const fitting = Math.floor((PART_LENGTH * rows) / length);
    this.rows = Math.max(1, Math.min(this.max, 2 * rows, fitting));
  }
}

/**
 * Rows as text, in parts of bounded length. Rows that do not fit into a part are read again for the next
 * one, so that a slow reader keeps only one part.
 * @param most rows of a part
 * @param read reads so many rows that follow one
 */
export async function* inParts<Row>(
  most: number,
  read: (after: Row | undefined, limit: number) => Promise<Row[]>,
  write: (row: Row) => string,
): AsyncGenerator<string> {
  const size = new PartSize(most);
  for (let last: Row | undefined; ;) {
    const limit = size.rows;
    const rows = await read(last, limit);
    let part = '';
    let count = 0;
    for (const row of rows) {
      part += write(row);
      count += 1;
      last = row;
      if (part.length >= PART_LENGTH) break;
    }
    if (count > 0) yield part;
    if (count === rows.length && count < limit) return;
    size.measured(part.length, count);
  }
}
