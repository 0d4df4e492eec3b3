import { Injectable, Logger } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Access } from '../http/access';
import { maySee, SCOPES } from '../http/access';
import { Problem } from '../http/problem';
import { isRepeatable } from '../common/repeatable';
import { Resources } from '../http/path-resources';
import type { RouteSettings } from '../http/route';
import { Authenticator } from './authenticator';

/** Where nobody is asked for a token, whether there is anything or not. */
const OPEN_TO_ALL = /^\/health\//;

/** Lets a request in, or not: who asks, may they do this, and may they see the board that it is about. */
@Injectable()
export class Door {
  private readonly logger = new Logger('Door');

  constructor(
    private readonly authenticator: Authenticator,
    private readonly resources: Resources,
  ) {}

  /**
   * Sets the request's `access`, unless its route is public. Waits for nothing where nobody is asked for
   * a token.
   * @throws Problem `unauthorized`, `forbidden`, `board_not_found`, …
   */
  admit(request: FastifyRequest): void | Promise<void> {
    const { scope, always } = request.routeOptions.config as RouteSettings;
    if (scope === 'public' || (request.is404 && OPEN_TO_ALL.test(request.url))) return;
    const access = this.authenticator.authenticate(request, always);
    return access instanceof Promise
      ? access.then((known) => this.authorize(request, known))
      : this.authorize(request, access);
  }

  private authorize(request: FastifyRequest, access: Access): void | Promise<void> {
    request.access = access;
    // Whoever is known may be told that there is no such route.
    if (request.is404) return;
    const { scope, filtered } = request.routeOptions.config as RouteSettings;
    if (scope === undefined || scope === 'public') throw new Error('a route without a scope');
    if (SCOPES.indexOf(access.scope) < SCOPES.indexOf(scope)) {
      throw this.forbidden(request, access, `This takes a token with the scope "${scope}".`, scope);
    }
    if (access.boards && !filtered) return this.requireBoard(request, access);
  }

  private async requireBoard(request: FastifyRequest, access: Access): Promise<void> {
    try {
      const board = await this.resources.boardOf(request);
      if (!board) throw this.forbidden(request, access, 'The token is for certain boards only.');
      if (!maySee(access, board.name)) throw new Problem(board.missing);
    } catch (refusal) {
      // What the token was answered before it is answered again, though what that was about is gone by
      // now. Where it is not, the change refuses it in the same words: it holds no board unseen.
      const gone = refusal instanceof Problem && refusal.status === 404;
      if (!gone || !isRepeatable(request)) throw refusal;
    }
  }

  private forbidden(
    request: FastifyRequest,
    { actor, tokenId }: Access,
    detail: string,
    scope?: string,
  ): Problem {
    const { id, method, routeOptions } = request;
    this.logger.warn(
      { request_id: id, actor, token_id: tokenId, method, route: routeOptions.url },
      'a request was refused',
    );
    const headers = scope && {
      'WWW-Authenticate': `Bearer realm="sprintline", error="insufficient_scope", scope="${scope}"`,
    };
    return new Problem('forbidden', detail, headers ? { headers } : {});
  }
}
