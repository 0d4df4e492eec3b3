import type { FastifyRequest } from 'fastify';
import { Readable } from 'node:stream';
import type { Snapshot } from '../database/snapshots';
import { accessOf } from './access';

/** Slow readers share what there is for one client. */
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
