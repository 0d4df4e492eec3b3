import type { FastifyReply } from 'fastify';
import { Readable } from 'node:stream';
import type { Database } from '../../database/database';
import type { Reader, Snapshot } from '../../database/reader';
import { connectedClient } from '../client';
import { Answer } from './answer';
import { BOARD_REVISION } from './board-revision';

/**
 * Reads a response from a snapshot, which is closed when the response is complete or its client has disconnected.
 * Until the first part is read, it may be read again, as `Database.read` does.
 * @param read returns the whole response, or its parts; the first part is read at once, so that its errors
 *   become a response
 */
export const readInSnapshot = (
  database: Pick<Database, 'openStream' | 'read'>,
  reply: Pick<FastifyReply, 'request' | 'raw'>,
  read: (snapshot: Reader) => Promise<string | AsyncGenerator<string>>,
): Promise<string | Readable> =>
  database.read(async () => {
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
  });

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
    private readonly headers: Record<string, string> = {},
  ) {
    super();
  }

  async open(reply: FastifyReply): Promise<string | Readable> {
    reply.headers(this.headers);
    if (reply.request.method === 'HEAD') return Readable.from([]);
    return readInSnapshot(this.database, reply, async (snapshot) => {
      const { etag, revision, parts } = await this.read(snapshot);
      reply.header('ETag', etag).header(BOARD_REVISION, revision);
      return parts;
    });
  }
}
