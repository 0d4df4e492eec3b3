import type { ExecutionContext } from '@nestjs/common';
import { createParamDecorator } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { createHash } from 'node:crypto';
import { Problem } from './problem';

/** Who asks for a change, and under which conditions. Doors make it; services hand it on. */
export interface Caller {
  /** The name that the log has for whoever did it. */
  actor: string;
  /** `If-Match` as it was sent. */
  ifMatch?: string;
  /** Set where the request came with an `Idempotency-Key`. */
  repeatable?: RepeatableRequest;
  /**
   * When the wait for an answer began (epoch milliseconds), so that all of its database work ends in
   * time; where nobody waits like that, the time counts from the change itself.
   */
  since?: number;
}

/** A request that its client may repeat until it is answered, and is answered the same each time. */
export interface RepeatableRequest {
  /** Whose key it is; 0 without a token. */
  tokenId: number;
  key: string;
  /** SHA-256 of the request, in hexadecimal. */
  fingerprint: string;
  /** Whether its change was begun; a request is one change. */
  used?: boolean;
  /** Whether it was answered before, and has been given that answer. */
  replayed?: boolean;
}

declare module 'fastify' {
  interface FastifyRequest {
    caller?: Caller;
  }
}

/**
 * The caller of a request, for handlers that change something.
 * @throws Problem where the `Idempotency-Key` is malformed
 */
export const From = createParamDecorator((_: unknown, context: ExecutionContext): Caller => {
  const request = context.switchToHttp().getRequest<FastifyRequest>();
  const caller: Caller = { actor: 'anonymous', since: Date.now() };
  const ifMatch = request.headers['if-match'];
  if (ifMatch !== undefined) caller.ifMatch = ifMatch;
  const key = request.headers['idempotency-key'];
  if (key !== undefined && request.method === 'POST') {
    caller.repeatable = repeatable(request, String(key), 0);
  }
  request.caller = caller;
  return caller;
});

function repeatable(request: FastifyRequest, key: string, tokenId: number): RepeatableRequest {
  const { method, url, body } = request;
  if (!/^[!-~]{1,255}$/.test(key)) {
    throw Problem.invalid([
      {
        header: 'Idempotency-Key',
        code: 'invalid_key',
        detail: 'Idempotency-Key must be 1 to 255 visible ASCII characters',
      },
    ]);
  }
  const fingerprint = createHash('sha256')
    .update(
      JSON.stringify([
        method,
        url.replace(/\/(?=\?|$)/, ''),
        Object.entries(body as object).sort(),
      ]),
    )
    .digest('hex');
  return { tokenId, key, fingerprint };
}
