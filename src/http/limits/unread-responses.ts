import type { FastifyInstance, FastifyReply } from 'fastify';
import { Readable } from 'node:stream';
import { clientOf } from '../access';
import { keptBytesOf } from '../responses/stream';

/** Maximum bytes of the responses in memory. */
const MAX_BYTES = 32 * 1024 * 1024;

/** Shorter responses are not counted, because the kernel takes them at once. */
const MIN_BYTES = 16 * 1024;

/** A response in memory; many clients may read a cached one. */
interface Unread {
  bytes: number;
  client: string;
  readers: Set<FastifyReply>;
}

/**
 * Limits the memory for responses that clients have not read yet. (Lists are not counted: they are read from the
 * database in parts as their clients read them.) Beyond the limit, the client with the most bytes loses its oldest
 * response.
 */
export function limitUnreadResponses(server: FastifyInstance): void {
  // The oldest first.
  const unread = new Map<object, Unread>();
  let total = 0;
  const forget = (content: object): void => {
    total -= unread.get(content)?.bytes ?? 0;
    unread.delete(content);
  };
  const disconnect = (): void => {
    const ofClients = new Map<string, number>();
    for (const { client, bytes } of unread.values()) {
      ofClients.set(client, (ofClients.get(client) ?? 0) + bytes);
    }
    const most = Math.max(...ofClients.values());
    for (const [content, { client, readers }] of unread) {
      if (ofClients.get(client) !== most) continue;
      forget(content);
      for (const { request } of readers) request.raw.socket.destroy();
      return;
    }
  };

  server.addHook<unknown>('onSend', (request, reply, payload, done) => {
    // As bytes, because Node.js would keep a string in addition to its bytes.
    const isLong = typeof payload === 'string' && payload.length >= MIN_BYTES;
    const content = isLong ? Buffer.from(payload) : payload;
    const bytes = bytesOf(content);
    if (bytes < MIN_BYTES || reply.raw.destroyed) {
      done(null, content);
      return;
    }
    const key = content as object;
    const own = unread.get(key) ?? { bytes, client: clientOf(request), readers: new Set() };
    if (!unread.has(key)) {
      unread.set(key, own);
      total += bytes;
    }
    own.readers.add(reply);
    // The kernel has taken all of it, or the client has disconnected.
    reply.raw.once('close', () => {
      own.readers.delete(reply);
      if (own.readers.size === 0 && unread.get(key) === own) forget(key);
    });
    while (total > MAX_BYTES && unread.size > 1) disconnect();
    done(null, content);
  });
}

/** Bytes of a response in memory. */
function bytesOf(content: unknown): number {
  if (Buffer.isBuffer(content)) return content.length;
  return content instanceof Readable ? keptBytesOf(content) : 0;
}
