import type { IncomingMessage, RequestOptions } from 'node:http';
import { request } from 'node:http';
import type { TestApp } from './app';

/** What a client received of a list of stories. */
export interface Reading {
  status: number;
  bytes: number;
  stories: number;
  /** Whether the whole response arrived. */
  complete: boolean;
}

export interface ReadOptions extends RequestOptions {
  /** Called after each chunk with the bytes so far; it may delay reading, or `stop` it. */
  onData?: (bytes: number, stop: () => void) => Promise<void> | void;
}

/** Reads a list of stories and counts them, without storing it. */
export function readList(url: string, { onData, ...options }: ReadOptions = {}): Promise<Reading> {
  return new Promise((resolve, reject) => {
    const call = request(url, { agent: false, ...options }, (response) => {
      resolve(readAll(response, onData));
    });
    call.on('error', reject);
    call.end();
  });
}

async function readAll(response: IncomingMessage, onData: ReadOptions['onData']): Promise<Reading> {
  const reading = { status: response.statusCode ?? 0, bytes: 0, stories: 0, complete: false };
  let tail = Buffer.alloc(0);
  try {
    for await (const piece of response as AsyncIterable<Buffer>) {
      reading.bytes += piece.length;
      // A story may begin at the end of one chunk and continue in the next.
      reading.stories += count(piece) + count(Buffer.concat([tail, piece.subarray(0, 5)]));
      tail = Buffer.from(piece.subarray(-5));
      await onData?.(reading.bytes, () => response.destroy());
    }
    reading.complete = response.complete;
  } catch {
    // Cut off by either side.
  }
  return reading;
}

/** Counts the stories that begin in a chunk. */
function count(piece: Buffer): number {
  let found = 0;
  for (let at = piece.indexOf('{"id":'); at >= 0; at = piece.indexOf('{"id":', at + 6)) found += 1;
  return found;
}

/** Waits until the service has no open snapshot, so reads no long list. */
export async function noOpenStreams({ client }: TestApp): Promise<void> {
  for (const end = Date.now() + 10_000; Date.now() < end;) {
    if (/^snapshots_open 0$/m.test((await client.get('/metrics')).text)) return;
  }
  throw new Error('a long list is still being read');
}
