import type { CanActivate, ExecutionContext } from '@nestjs/common';
import { Injectable } from '@nestjs/common';
import accepts from 'accepts';
import type { FastifyRequest } from 'fastify';
import { Received } from './body';
import type { RouteSettings } from './http';
import type { Fault } from './problem';
import { Problem } from './problem';

/** Nest's metadata of a handler's parameters, and its keys for bodies and queries. */
const ROUTE_ARGUMENTS = '__routeArguments__';
const BODY = 3;
const QUERY = 4;

interface Taken {
  body: boolean;
  query: boolean;
}

/**
 * Refuses what a handler does not look at, so that nothing that a client sent is dropped silently: a
 * body or parameters where it takes none, and an `Accept` that it has nothing for.
 */
@Injectable()
export class RequestGuard implements CanActivate {
  private readonly taken = new WeakMap<object, Taken>();

  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const { accept } = request.headers;
    if (accept !== undefined && accept !== '*/*') requireAcceptable(request);
    const { body, query } = request as { body: unknown; query: unknown };
    const brings =
      (body instanceof Received && !body.isEmpty) || (query instanceof Received && !query.isEmpty);
    if (brings) {
      const taken = this.takenBy(context);
      const faults: Fault[] = [];
      if (!taken.body && body instanceof Received && request.method !== 'GET') {
        for (const name of Object.keys(body.members())) {
          faults.push({
            pointer: `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`,
            code: 'unknown_field',
            detail: `${name} is not a member`,
          });
        }
      }
      if (!taken.query && query instanceof Received) {
        for (const name of Object.keys(query.members())) {
          faults.push({
            parameter: name,
            code: 'unknown_field',
            detail: `${name} is not a parameter`,
          });
        }
      }
      if (faults.length > 0) throw Problem.invalid(faults);
    }
    return true;
  }

  private takenBy(context: ExecutionContext): Taken {
    const handler = context.getHandler();
    let taken = this.taken.get(handler);
    if (!taken) {
      const kinds = Object.keys(
        (Reflect.getMetadata(ROUTE_ARGUMENTS, context.getClass(), handler.name) ?? {}) as object,
      ).map((key) => Number(key.split(':')[0]));
      taken = { body: kinds.includes(BODY), query: kinds.includes(QUERY) };
      this.taken.set(handler, taken);
    }
    return taken;
  }
}

/** @throws Problem `not_acceptable` where the route has no form that is asked for */
function requireAcceptable(request: FastifyRequest): void {
  const { produces = ['application/json'] } = request.routeOptions.config as RouteSettings;
  if (accepts(request.raw).type(produces) === false) throw new Problem('not_acceptable');
}
