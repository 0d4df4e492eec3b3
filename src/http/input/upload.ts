import { Busboy } from '@fastify/busboy';
import type { ExecutionContext } from '@nestjs/common';
import { createParamDecorator } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setImmediate } from 'node:timers/promises';
import type { FieldErrorCode } from '../problem';
import { fieldError, Problem } from '../problem';
import { mediaTypeOf } from './media-type';

/** Maximum bytes of a file. */
export const MAX_FILE_BYTES = 32 * 1024 * 1024;
/** Maximum bytes of a form besides the file. */
const MAX_FORM_BYTES = 1024 * 1024;

const FORM = 'multipart/form-data';
/** The media types of a body that is the file itself. */
export const FILE_TYPES = [
  'text/csv',
  'text/tab-separated-values',
  'application/json',
  'application/x-ndjson',
  'application/octet-stream',
] as const;

/** A file that is being uploaded. */
interface UploadedFile {
  /** Its bytes, as they arrive. */
  bytes: Readable;
  /** The parts of the form that preceded it. */
  fields: ReadonlyMap<string, string>;
  mediaType: string;
  name?: string;
}

type UseFile<T> = (file: UploadedFile) => Promise<T>;

/** The body of a route with `file: true`: a file, or a form with a part `file` and others before it. */
export class Upload {
  private readonly hash = createHash('sha256');
  private failure: Error | undefined;
  private body: AsyncIterator<Buffer> | undefined;

  /**
   * @param stallMs maximum milliseconds between two chunks
   * @param allowMs limits the time for the rest of the body
   */
  constructor(
    private readonly request: FastifyRequest,
    private readonly stallMs: number,
    private readonly allowMs: (ms: number) => void,
  ) {}

  /**
   * Reads the body. If it fails, discards the rest of the body.
   * @param others names of the parts of a form that may precede the file
   * @throws Problem `unsupported_media_type`, `content_too_large`, `malformed_body`, `request_timeout`, …
   */
  async read<T>(others: readonly string[], use: UseFile<T>): Promise<T> {
    try {
      const mediaType = this.mediaType();
      if (mediaType === FORM) return await this.readForm(others, use);
      const bytes = this.chunks(MAX_FILE_BYTES);
      return await this.readFile(bytes, { fields: new Map(), mediaType }, use);
    } catch (error) {
      throw this.failure ?? error;
    } finally {
      this.allowMs(this.stallMs);
      void this.discardRest();
    }
  }

  /** Discards the rest of the body, after which the server reads the next request of the connection. */
  private async discardRest(): Promise<void> {
    // A stream does not flow while an iterator reads it; Node notices the end of the iterator a tick later.
    await this.body?.return?.().catch(() => undefined);
    await setImmediate();
    this.request.raw.resume();
  }

  /** SHA-256 of the file and the other parts, once they are read. */
  digest(): string {
    return this.hash.copy().digest('hex');
  }

  /** @throws Problem `unsupported_media_type` */
  private mediaType(): string {
    const mediaType = mediaTypeOf(this.request.headers);
    if (mediaType === undefined || ![FORM, ...FILE_TYPES].includes(mediaType)) {
      throw new Problem(
        'unsupported_media_type',
        `The body must be ${FILE_TYPES.join(', ')} or ${FORM}, in UTF-8, uncompressed.`,
      );
    }
    return mediaType;
  }

  private async readFile<T>(
    chunks: AsyncIterable<Buffer>,
    file: Omit<UploadedFile, 'bytes'>,
    use: UseFile<T>,
  ): Promise<T> {
    const { hash } = this;
    const hashed = async function* (): AsyncGenerator<Buffer> {
      for await (const chunk of chunks) {
        hash.update(chunk);
        yield chunk;
      }
    };
    const bytes = Readable.from(hashed(), { objectMode: false });
    try {
      const result = await use({ ...file, bytes });
      // The digest covers the whole file.
      if (!bytes.readableEnded) for await (const _ of bytes);
      return result;
    } finally {
      bytes.destroy();
    }
  }

  private async readForm<T>(others: readonly string[], use: UseFile<T>): Promise<T> {
    const fields = new Map<string, string>();
    const chunks = Readable.from(this.chunks(MAX_FILE_BYTES + MAX_FORM_BYTES));
    let result: Promise<T> | undefined;
    const reading = new AbortController();
    const fail = (problem: Problem): void => {
      this.failure ??= problem;
      reading.abort();
    };
    try {
      const form = new Busboy({
        headers: { ...this.request.headers, 'content-type': this.request.headers['content-type']! },
        limits: { parts: 100, files: 1, fieldSize: MAX_FORM_BYTES },
        isPartAFile: (name) => name === 'file',
      });
      form.on('field', (given: string | undefined, value, _, truncated) => {
        // A part may have no name, contrary to its type in the library.
        const name = given ?? '';
        if (!others.includes(name)) fail(invalid(name, 'unknown_field', 'is not a part'));
        else if (result) fail(invalid(name, 'invalid_value', 'must precede the file'));
        else if (fields.has(name)) fail(invalid(name, 'duplicate', 'is given more than once'));
        else if (truncated) fail(new Problem('content_too_large'));
        else {
          fields.set(name, value);
          this.hash.update(JSON.stringify([name, value]));
        }
      });
      form.on('file', (_, bytes, name, _encoding, mediaType) => {
        // The form reports why the file ends early.
        bytes.on('error', () => undefined);
        result = this.readFile(bytes as AsyncIterable<Buffer>, { fields, name, mediaType }, use);
        result.catch(() => reading.abort());
      });
      form.on('filesLimit', () => fail(invalid('file', 'duplicate', 'is given more than once')));
      await pipeline(chunks, form, { signal: reading.signal });
    } catch (error) {
      if (!reading.signal.aborted) {
        this.failure ??= new Problem('malformed_body', `The body is not ${FORM}.`, {
          cause: error,
        });
      }
    } finally {
      chunks.destroy();
    }
    if (this.failure) throw this.failure;
    if (!result) throw invalid('file', 'required', 'is required');
    return result;
  }

  /** Yields the body as it arrives. Does not destroy the request, which has yet to be answered. */
  private async *chunks(limit: number): AsyncGenerator<Buffer> {
    const { raw } = this.request;
    const fail = (problem: Problem): Problem => {
      this.failure = problem;
      return problem;
    };
    if (Number(raw.headers['content-length'] ?? 0) > limit) {
      throw fail(new Problem('content_too_large'));
    }
    const iterator = raw.iterator({ destroyOnReturn: false }) as AsyncIterator<Buffer>;
    this.body = iterator;
    for (let length = 0; ;) {
      const next = await within(this.stallMs, iterator.next()).catch((error: unknown) => {
        throw fail(
          error instanceof Problem
            ? error
            : new Problem('bad_request', 'The body ends early.', { cause: error }),
        );
      });
      if (next.done) return;
      length += next.value.length;
      if (length > limit) throw fail(new Problem('content_too_large'));
      yield next.value;
    }
  }
}

const invalid = (name: string, code: FieldErrorCode, detail: string): Problem =>
  Problem.invalid([fieldError('pointer', name, code, detail)]);

/** @throws Problem `request_timeout` if nothing arrives in time */
async function within<T>(ms: number, next: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const headers = { Connection: 'close' };
    timer = setTimeout(() => reject(new Problem('request_timeout', undefined, { headers })), ms);
  });
  try {
    return await Promise.race([next, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** The upload of a route with `file: true`. */
export const UploadOfRequest = createParamDecorator(
  (_: unknown, context: ExecutionContext): Upload => {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    return request.upload!;
  },
);

declare module 'fastify' {
  interface FastifyRequest {
    /** Of a route with `file: true`. */
    upload?: Upload;
  }
}
