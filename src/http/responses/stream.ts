import type { FastifyReply, FastifyRequest } from 'fastify';
import { Readable } from 'node:stream';
import type { Database } from '../../database/database';
import type { Reader } from '../../database/reader';
import type { Snapshot } from '../../database/snapshots';
import { connectedClient } from '../access';
import { Answer } from './answer';
import { BOARD_REVISION } from './board-revision';

/**
 * Reads a response from a snapshot, which is closed when the response is complete or its client has disconnected.
 * @param read returns the whole response, or its parts; the first part is read at once, so that its errors
 *   become a response
 */
export async function readInSnapshot(
  database: Pick<Database, 'openStream'>,
  reply: Pick<FastifyReply, 'request' | 'raw'>,
  read: (snapshot: Reader) => Promise<string | AsyncGenerator<string>>,
): Promise<string | Readable> {
  const snapshot = await database.openStream(connectedClient(reply));
  try {
    const content = await read(snapshot);
    if (typeof content === 'string' || reply.request.method === 'HEAD') {
      await snapshot.close();
      return typeof content === 'string' ? content : Readable.from([]);
    }
    return await readableOf(closing(snapshot, content));
  } catch (error) {
    await snapshot.close();
    throw error;
  }
}

/** Returns the parts of a response as a stream; the first part is read at once. */
export async function readableOf(parts: AsyncGenerator<string>): Promise<Readable> {
  const first = await parts.next();
  const readable = Readable.from(parts, { objectMode: false, highWaterMark: 0 });
  if (!first.done) readable.unshift(first.value);
  return readable;
}

const keptBytes = new WeakMap<Readable, number>();

/** Marks a stream with the bytes that it keeps in memory until all of it is read. */
export function keepingBytes(readable: Readable, bytes: number): Readable {
  keptBytes.set(readable, bytes);
  return readable;
}

/** The bytes that a stream is marked with. */
export const keptBytesOf = (readable: Readable): number => keptBytes.get(readable) ?? 0;

/** Yields the parts, and closes their snapshot before the response ends: the next request may need its slot. */
async function* closing(snapshot: Snapshot, parts: AsyncGenerator<string>): AsyncGenerator<string> {
  try {
    yield* parts;
  } finally {
    await snapshot.close();
  }
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
    /** The tag before the content is read, for 304; the response has the tag and the revision of the content. */
    readonly etag: string,
    readonly revision: number,
    private readonly read: (snapshot: Reader) => Promise<StreamedContent>,
    override readonly mediaType?: string,
    private readonly headers: Record<string, string> = {},
  ) {
    super();
  }

  async open(request: FastifyRequest, reply: FastifyReply): Promise<string | Readable> {
    reply.headers(this.headers);
    if (request.method === 'HEAD') return Readable.from([]);
    return readInSnapshot(this.database, reply, async (snapshot) => {
      const { etag, revision, parts } = await this.read(snapshot);
      reply.header('ETag', etag).header(BOARD_REVISION, revision);
      return parts;
    });
  }
}

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
