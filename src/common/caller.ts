import type { ExecutionContext } from '@nestjs/common';
import { createParamDecorator } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { RepeatableRequest } from './repeatable';

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

/** The caller of a request, for handlers that change something. */
export const From = createParamDecorator((_: unknown, context: ExecutionContext): Caller => {
  const { headers, repeatable } = context.switchToHttp().getRequest<FastifyRequest>();
  const caller: Caller = { actor: 'anonymous', since: Date.now() };
  const ifMatch = headers['if-match'];
  if (ifMatch !== undefined) caller.ifMatch = ifMatch;
  if (repeatable) caller.repeatable = repeatable;
  return caller;
});
