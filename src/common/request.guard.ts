import type { CanActivate, ExecutionContext, Type } from '@nestjs/common';
import { Injectable } from '@nestjs/common';
import accepts from 'accepts';
import type { FastifyRequest } from 'fastify';
import { readDto, Received } from './body';
import type { RouteSettings } from './http';
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

const NOTHING = new Received({}, false);

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
    const { accept } = request.headers;
    if (accept !== undefined && accept !== '*/*') requireAcceptable(request);
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

/** @throws Problem `not_acceptable` where the route has no form that is asked for */
function requireAcceptable(request: FastifyRequest): void {
  const { produces = ['application/json'] } = request.routeOptions.config as RouteSettings;
  // Some ask for the character set, too, although there is but one.
  const forms = produces.flatMap((type) => [type, `${type}; charset=utf-8`]);
  if (accepts(request.raw).type(forms) === false) throw new Problem('not_acceptable');
}
