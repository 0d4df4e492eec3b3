import { Logger } from '@nestjs/common';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { Readable } from 'node:stream';
import { PART_LENGTH } from '../responses/parts';
import { keptBytesOf } from '../responses/stream';

const logger = new Logger('UnreadResponses');

/** Maximum bytes of the responses in memory. */
const MAX_BYTES = 16 * 1024 * 1024;

/** Shorter responses are not counted, because the kernel takes them at once. */
const MIN_BYTES = 16 * 1024;

/** Longer responses are written in parts, which show whether the client reads. The parts cost time. */
const WHOLE_BYTES = 128 * 1024;

/** A response in memory, which many clients read if it is cached. */
interface Content {
  bytes: number;
  readers: number;
}

/** The response to one client. */
interface Reading {
  content: object;
  reply: FastifyReply;
}

/**
 * Limits the memory for responses that clients have not read yet. (Lists are not counted: they are read from the
 * database in parts as their clients read them.) Beyond the limit, the connection that has been idle longest is
 * closed.
 */
export function limitUnreadResponses(server: FastifyInstance): void {
  const contents = new Map<object, Content>();
  let total = 0;
  /** The one that has been idle longest comes first. */
  const readings = new Set<Reading>();

  const begin = (reading: Reading, bytes: number): void => {
    const content = contents.get(reading.content) ?? { bytes, readers: 0 };
    if (content.readers === 0) total += bytes;
    content.readers += 1;
    contents.set(reading.content, content);
    readings.add(reading);
  };
  const end = (reading: Reading): void => {
    if (!readings.delete(reading)) return;
    const content = contents.get(reading.content) as Content;
    content.readers -= 1;
    if (content.readers > 0) return;
    contents.delete(reading.content);
    total -= content.bytes;
  };
  async function* watched(
    reading: Reading,
    parts: AsyncIterable<Buffer> | Iterable<Buffer>,
  ): AsyncGenerator<Buffer> {
    for await (const part of parts) {
      if (readings.delete(reading)) readings.add(reading);
      yield part;
    }
  }

  server.addHook<unknown>('onSend', (request, reply, payload, done) => {
    const bytes = bytesOf(payload);
    if (bytes < MIN_BYTES || request.method === 'HEAD' || reply.raw.destroyed) {
      done(null, payload);
      return;
    }
    const isLong = bytes > WHOLE_BYTES;
    const content = typeof payload === 'string' && isLong ? Buffer.from(payload) : payload;
    const reading = { content: typeof content === 'string' ? {} : (content as object), reply };
    begin(reading, bytes);
    // The kernel has taken all of it, or the client has disconnected.
    reply.raw.once('close', () => end(reading));
    for (const idle of readings) {
      if (total <= MAX_BYTES || idle === reading) break;
      end(idle);
      const { id, raw } = idle.reply.request;
      raw.socket.destroy();
      logger.warn(
        { request_id: id },
        'closed the connection of a client that did not read its response',
      );
    }
    if (!isLong) {
      done(null, content);
      return;
    }
    if (Buffer.isBuffer(content)) reply.header('Content-Length', bytes);
    const parts = Buffer.isBuffer(content) ? partsOf(content) : (content as Readable);
    const watchedParts = watched(reading, parts);
    done(null, Readable.from(watchedParts, { objectMode: false, highWaterMark: 0 }));
  });
}

/** Bytes of a response in memory. */
function bytesOf(content: unknown): number {
  if (typeof content === 'string' || Buffer.isBuffer(content)) return Buffer.byteLength(content);
  return content instanceof Readable ? keptBytesOf(content) : 0;
}

function* partsOf(content: Buffer): Generator<Buffer> {
  for (let start = 0; start < content.length; start += PART_LENGTH) {
    yield content.subarray(start, start + PART_LENGTH);
  }
}
