import type { ExecutionContext } from '@nestjs/common';
import { createParamDecorator } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Access } from './access';
import type { Client } from './client';
import { accessOf } from './access';
import { clientKeyOf, connectedClient } from './client';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by the `IdempotencyInterceptor`. */
    idempotency?: IdempotentRequest;
  }
}

/** A request with an `Idempotency-Key`. If it is repeated, it gets the first response again. */
export interface IdempotentRequest {
  /** The token that the key belongs to; 0 without one. */
  tokenId: number;
  key: string;
  /** SHA-256 of path and body, in hexadecimal. The digest of a file is added when it has been read. */
  fingerprint: string;
  /** Set when its change is committed, because a request makes one change only. */
  used?: boolean;
  /** Set when the response of an earlier request is sent again. */
  replayed?: boolean;
}

/** The caller of a request, its rights, and the conditions of the request. */
export interface Caller extends Access {
  /** The client that its changes are queued for; see `clientKeyOf`. */
  clientKey: string;
  /** The headers `If-Match` and `If-None-Match`. */
  ifMatch?: string;
  ifNoneMatch?: string;
  idempotency?: IdempotentRequest;
}

/** The client of a request; see `connectedClient`. */
export const CurrentClient = createParamDecorator((_: unknown, context: ExecutionContext): Client =>
  connectedClient(context.switchToHttp().getResponse<FastifyReply>()),
);

/**
 * The caller of a request, for handlers that change data, list several boards, or check its access again: a resource may
 * have moved to another board since the guard found its board.
 */
export const CurrentCaller = createParamDecorator(
  (_: unknown, context: ExecutionContext): Caller => {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const { 'if-match': ifMatch, 'if-none-match': ifNoneMatch } = request.headers;
    const { idempotency } = request;
    const clientKey = clientKeyOf(request);
    // The spread comes last; see docs/performance.md.
    return { clientKey, ifMatch, ifNoneMatch, idempotency, ...accessOf(request) };
  },
);
