import type { ExecutionContext } from '@nestjs/common';
import { createParamDecorator } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Access } from './access';
import type { Client } from './client';
import { accessOf } from './access';
import { clientOf, connectedClient } from './client';

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

/** The caller of a request, the boards that it may see, and the conditions of the request. */
export interface Caller extends Pick<Access, 'actor' | 'scope' | 'boards'> {
  /** The client that its changes are queued for; see `clientOf`. */
  client: string;
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
 * The access of a request, for handlers that check it again: a resource may have moved to another board since the guard
 * found its board, and a token may have been deleted while a file was uploaded.
 */
export const CurrentAccess = createParamDecorator((_: unknown, context: ExecutionContext): Access =>
  accessOf(context.switchToHttp().getRequest<FastifyRequest>()),
);

/** The caller of a request, for handlers that change data or list several boards. */
export const CurrentCaller = createParamDecorator(
  (_: unknown, context: ExecutionContext): Caller => {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const { actor, scope, boards } = accessOf(request);
    const { 'if-match': ifMatch, 'if-none-match': ifNoneMatch } = request.headers;
    const { idempotency } = request;
    return { actor, scope, boards, client: clientOf(request), ifMatch, ifNoneMatch, idempotency };
  },
);
