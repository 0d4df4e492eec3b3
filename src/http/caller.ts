import type { ExecutionContext } from '@nestjs/common';
import { createParamDecorator } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Access } from './access';
import { accessOf } from './access';
import type { RepeatableRequest } from './repeatable';

/** Who asks, for what is theirs to see, and under which conditions. Doors make it; services hand it on. */
export interface Caller extends Pick<Access, 'actor' | 'boards'> {
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

/** The caller of a request, for handlers that change something or tell of several boards. */
export const From = createParamDecorator((_: unknown, context: ExecutionContext): Caller => {
  const request = context.switchToHttp().getRequest<FastifyRequest>();
  const { headers, repeatable } = request;
  const { actor, boards } = accessOf(request);
  const caller: Caller = { actor, since: Date.now() - request.waited };
  if (boards) caller.boards = boards;
  const ifMatch = headers['if-match'];
  if (ifMatch !== undefined) caller.ifMatch = ifMatch;
  if (repeatable) caller.repeatable = repeatable;
  return caller;
});
