import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Readable } from 'node:stream';

/** JSON that is not a plain object: its tag is known before its text is made, if it ever is. */
export abstract class Answer {
  /** Entity tag of the answer; it changes whenever the content does, and may change more often. */
  abstract readonly etag?: string;

  /** The content; sets the header fields that belong to it. */
  abstract open(
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<string | Buffer | Readable> | Buffer;
}

/** An answer that was made before: its bytes, and the tag that says as long as it stands that they do. */
export class Kept extends Answer {
  constructor(
    readonly etag: string,
    private readonly bytes: Buffer,
  ) {
    super();
  }

  get size(): number {
    return this.bytes.length;
  }

  open(): Buffer {
    return this.bytes;
  }
}
