import type { CanActivate, ExecutionContext } from '@nestjs/common';
import { Injectable, Logger } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Access } from '../http/access';
import { accessOf, maySee, SCOPES } from '../http/access';
import { PathResources } from '../http/path-resources';
import { Problem } from '../http/problem';
import { challenge } from './challenge';

/** Checks that the caller has the scope of the route and may see the board of the path. */
@Injectable()
export class AuthGuard implements CanActivate {
  private readonly logger = new Logger('AuthGuard');

  constructor(private readonly resources: PathResources) {}

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const { scope, filtered, anonymous } = request.routeOptions.config;
    if (scope === 'public' || anonymous) return true;
    // A route without `@RequireScope` is forbidden.
    if (scope === undefined) throw new Problem('forbidden');
    const access = accessOf(request);
    if (SCOPES.indexOf(access.scope) < SCOPES.indexOf(scope)) {
      const headers = challenge('insufficient_scope', scope);
      const detail = `A token with the scope "${scope}" is required.`;
      throw this.forbidden(request, access, detail, headers);
    }
    return access.boards && !filtered ? this.maySeeBoard(request, access) : true;
  }

  private async maySeeBoard(request: FastifyRequest, access: Access): Promise<boolean> {
    const { repeatable } = request.routeOptions.config;
    try {
      const board = await this.resources.boardOf(request);
      if (!board)
        throw this.forbidden(request, access, 'The token gives access to certain boards only.');
      if (!maySee(access, board.name)) throw new Problem(board.missing);
    } catch (error) {
      // A repeated request gets its first response even if its resource no longer exists. A new one is
      // rejected by its change, which locks no board that the caller may not see.
      const isMissing = error instanceof Problem && error.status === 404;
      const hasKey = repeatable && request.headers['idempotency-key'] !== undefined;
      if (!isMissing || !hasKey) throw error;
    }
    return true;
  }

  private forbidden(
    request: FastifyRequest,
    { actor, tokenId }: Access,
    detail: string,
    headers: Record<string, string> = {},
  ): Problem {
    const { id, method, routeOptions } = request;
    this.logger.warn(
      { request_id: id, actor, token_id: tokenId, method, route: routeOptions.url },
      'request forbidden',
    );
    return new Problem('forbidden', detail, { headers });
  }
}
