import type { CanActivate, ExecutionContext, Type } from '@nestjs/common';
import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { NOTHING, readDto, Received } from './body';
import { formatOf, requireAcceptable } from './formats';
import type { RouteSettings } from './route';
import type { Fault } from './problem';
import { Problem } from './problem';
import { readKey } from './repeatable';

/** Nest's metadata of a handler's parameters, and its keys for bodies and queries. */
const ROUTE_ARGUMENTS = '__routeArguments__';
const BODY = 3;
const QUERY = 4;

/** What a handler declares with `@Body()` and `@Query()`. */
interface Shapes {
  body: Type<object>;
  query: Type<object>;
}

/** The shape of what a handler does not look at: it has no members. */
class Nothing {}

/**
 * Reads body and query into the DTOs that the handler declares, and the `Idempotency-Key`, and names
 * the faults of all at once.
 * Where it declares none there must be nothing, so that nothing that a client sent is dropped silently.
 */
@Injectable()
export class RequestGuard implements CanActivate {
  private readonly shapes = new WeakMap<object, Shapes>();

  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const { formats, produces } = request.routeOptions.config as RouteSettings;
    if (formats) vary(context.switchToHttp().getResponse<FastifyReply>(), 'Accept');
    const shapes = this.shapesOf(context);
    const faults: Fault[] = [];
    const read = (shape: Type<object>, what: unknown, place: 'pointer' | 'parameter'): object => {
      try {
        return readDto(shape, what instanceof Received ? what : NOTHING, place);
      } catch (error) {
        if (!(error instanceof Problem) || !error.options.errors) throw error;
        faults.push(...error.options.errors);
        return {};
      }
    };
    const body = read(shapes.body, request.body, 'pointer');
    const query = read(shapes.query, request.query, 'parameter');
    const key = readKey(request);
    if (key && 'code' in key) faults.push(key);
    if (faults.length > 0) throw Problem.invalid(faults);
    Object.assign(request, { body, query, repeatable: key });
    if (formats) formatOf(request, formats);
    else requireAcceptable(request, produces ?? ['application/json']);
    return true;
  }

  private shapesOf(context: ExecutionContext): Shapes {
    const handler = context.getHandler();
    let shapes = this.shapes.get(handler);
    if (!shapes) {
      const controller = context.getClass();
      const parameters = (Reflect.getMetadata(ROUTE_ARGUMENTS, controller, handler.name) ??
        {}) as Record<string, { index: number }>;
      const types = Reflect.getMetadata(
        'design:paramtypes',
        controller.prototype as object,
        handler.name,
      ) as Type<object>[];
      const shape = (kind: number): Type<object> => {
        const found = Object.entries(parameters).find(([key]) => key.startsWith(`${kind}:`));
        return (found && types[found[1].index]) ?? Nothing;
      };
      shapes = { body: shape(BODY), query: shape(QUERY) };
      this.shapes.set(handler, shapes);
    }
    return shapes;
  }
}

/** Says that the answer depends on a header field of the request, too (RFC 9110, section 12.5.5). */
function vary(reply: FastifyReply, field: string): void {
  const others = reply.getHeader('Vary');
  reply.header('Vary', others === undefined ? field : `${String(others)}, ${field}`);
}
