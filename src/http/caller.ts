import type { ExecutionContext } from '@nestjs/common';
import { createParamDecorator } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { IdempotentRequest } from '../database/idempotency';
import type { Access } from './access';
import { accessOf } from './access';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by the `IdempotencyInterceptor`. */
    idempotency?: IdempotentRequest;
  }
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
