import type { FastifyReply } from 'fastify';
import type { Readable } from 'node:stream';
import type { Format } from './formats';

/** A response whose entity tag is known before its content is read from the database; JSON by default. */
export abstract class Answer {
  /** Set before the other properties are read. */
  format: Format = 'json';

  /** Changes whenever the content does, and may change more often. */
  abstract readonly etag?: string;

  /** The revision of its board that the entity tag belongs to; undefined if it is about no single board. */
  abstract readonly revision?: number;

  /** Reads the content and sets the headers that belong to it. */
  abstract open(reply: FastifyReply): Promise<string | Buffer | Readable> | Buffer;
}

/** A cached response: its bytes, its entity tag and the revision of its board. */
export class CachedAnswer extends Answer {
  constructor(
    readonly etag: string,
    readonly revision: number,
    readonly bytes: Buffer,
  ) {
    super();
  }

  open(): Buffer {
    return this.bytes;
  }
}
