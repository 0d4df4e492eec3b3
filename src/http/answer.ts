import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Readable } from 'node:stream';

/** A JSON response whose entity tag is known before its content is read from the database. */
export abstract class Answer {
  /** Changes whenever the content does, and may change more often. */
  abstract readonly etag?: string;

  /** Reads the content and sets the headers that belong to it. */
  abstract open(
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<string | Buffer | Readable> | Buffer;
}

/** A cached response: its bytes and its entity tag. */
export class KeptAnswer extends Answer {
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
