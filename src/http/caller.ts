import type { ExecutionContext } from '@nestjs/common';
import { createParamDecorator } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Access } from './access';
import { accessOf } from './access';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by the `IdempotencyInterceptor`. */
    idempotency?: IdempotentRequest;
  }
}

/** A request that its client may repeat and that is answered the same each time. */
export interface IdempotentRequest {
  /** The token that the key belongs to; 0 without one. */
  tokenId: number;
  key: string;
  /** SHA-256 of path and body, in hexadecimal. */
  fingerprint: string;
  /** Set when its change begins: a request is one change. */
  used?: boolean;
  /** Set when it got the response of an earlier request. */
  replayed?: boolean;
}

/** Who makes a request, which boards they may see, and the conditions of the request. */
export interface Caller extends Pick<Access, 'actor' | 'boards'> {
  /** `If-Match` as it was sent. */
  ifMatch?: string;
  /** Set where the request came with an `Idempotency-Key`. */
  idempotency?: IdempotentRequest;
}

/** The caller of a request; for handlers that change something or list several boards. */
export const From = createParamDecorator((_: unknown, context: ExecutionContext): Caller => {
  const request = context.switchToHttp().getRequest<FastifyRequest>();
  const { actor, boards } = accessOf(request);
  const ifMatch = request.headers['if-match'];
  const { idempotency } = request;
  return {
    actor,
    ...(boards && { boards }),
    ...(ifMatch !== undefined && { ifMatch }),
    ...(idempotency && { idempotency }),
  };
});
