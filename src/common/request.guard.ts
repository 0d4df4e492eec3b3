import type {
  ArgumentMetadata,
  CanActivate,
  ExecutionContext,
  PipeTransform,
  Type,
} from '@nestjs/common';
import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { NOTHING, readDto, Received } from './body';
import type { Clock } from './clock';
import { formatOf, requireAcceptable } from './formats';
import type { RouteSettings } from './route';
import type { Fault } from './problem';
import { Problem } from './problem';
import { readKey } from './repeatable';

/** Nest's metadata of a handler's parameters, and its keys for bodies, queries and parts of the path. */
const ROUTE_ARGUMENTS = '__routeArguments__';
const BODY = 3;
const QUERY = 4;
const PATH = 5;

/** What Nest knows of one of them. */
interface Argument {
  index: number;
  data?: string;
  pipes: PipeTransform<string, unknown>[];
}

/** What a handler declares with `@Body()`, `@Query()` and the decorators of `common/ids`. */
interface Shapes {
  body: Type<object>;
  query: Type<object>;
  path: Argument[];
}

const PARAMETER: ArgumentMetadata = { type: 'param' };

/** The shape of what a handler does not look at: it has no members. */
class Nothing {}

/**
 * Reads body and query into the DTOs that the handler declares, and the `Idempotency-Key`, and names
 * the faults of all at once, together with those of the path, which its pipes read again.
 * Where it declares none there must be nothing, so that nothing that a client sent is dropped silently.
 */
@Injectable()
export class RequestGuard implements CanActivate {
  private readonly shapes = new WeakMap<object, Shapes>();

  constructor(private readonly clock: Clock) {}

  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const { formats, produces } = request.routeOptions.config as RouteSettings;
    if (formats) vary(context.switchToHttp().getResponse<FastifyReply>(), 'Accept');
    const shapes = this.shapesOf(context);
    const faults: Fault[] = [];
    const attempt = <T>(read: () => T): T | undefined => {
      try {
        return read();
      } catch (error) {
        if (!(error instanceof Problem) || !error.options.errors) throw error;
        faults.push(...error.options.errors);
        return undefined;
      }
    };
    const now = this.clock.now();
    const received = (what: unknown): Received => (what instanceof Received ? what : NOTHING);
    const body = attempt(() => readDto(shapes.body, received(request.body), 'pointer', now));
    const query = attempt(() => readDto(shapes.query, received(request.query), 'parameter', now));
    const params = request.params as Record<string, string>;
    for (const { data = '', pipes } of shapes.path) {
      for (const pipe of pipes) attempt(() => pipe.transform(params[data] ?? '', PARAMETER));
    }
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
        {}) as Record<string, Argument>;
      const types = Reflect.getMetadata(
        'design:paramtypes',
        controller.prototype as object,
        handler.name,
      ) as Type<object>[];
      const declared = (kind: number): Argument[] =>
        Object.entries(parameters)
          .filter(([key]) => key.startsWith(`${kind}:`))
          .map(([, argument]) => argument);
      const shape = (kind: number): Type<object> => {
        const [found] = declared(kind);
        return (found && types[found.index]) ?? Nothing;
      };
      shapes = { body: shape(BODY), query: shape(QUERY), path: declared(PATH) };
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
