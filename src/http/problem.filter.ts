import type { ArgumentsHost, ExceptionFilter } from '@nestjs/common';
import { Catch, HttpException, Injectable, Logger } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Database } from '../database/database';
import { PathResources } from './path-resources';
import type { ProblemCode } from './problem';
import { Problem } from './problem';
import { BOARD_REVISION } from './responses/board-revision';
import { RouteTable } from './route-table';

/** The problems of the framework's errors, by status. Clients do not see their messages. */
const BY_STATUS: Record<number, ProblemCode> = {
  400: 'bad_request',
  404: 'route_not_found',
  408: 'request_timeout',
  412: 'precondition_failed',
  413: 'content_too_large',
  414: 'uri_too_long',
  415: 'unsupported_media_type',
  431: 'headers_too_large',
  503: 'shutting_down',
};

/** Errors of a request; 404 for the resource of its path takes precedence over them. */
const OF_REQUEST = new Set<ProblemCode>([
  'malformed_body',
  'invalid_request',
  'invalid_file',
  'unknown_format',
  'ambiguous_dates',
  'unsupported_media_type',
  'not_acceptable',
  'bad_request',
]);

/** Answers every exception with a problem document (RFC 9457). There is no other filter. */
@Catch()
@Injectable()
export class ProblemFilter implements ExceptionFilter {
  private readonly logger = new Logger('Request');

  constructor(
    private readonly routes: RouteTable,
    private readonly resources: PathResources,
    private readonly database: Database,
  ) {}

  async catch(exception: unknown, host: ArgumentsHost): Promise<void> {
    const http = host.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const reply = http.getResponse<FastifyReply>();
    let problem = this.problemOf(exception);
    if (problem.code === 'route_not_found') {
      const allowed = this.routes.methodsAt(request.url);
      if (allowed.length > 0) {
        const headers = { Allow: allowed.join(', ') };
        if (request.method === 'OPTIONS') {
          void reply.code(204).headers(headers).send();
          return;
        }
        problem = new Problem('method_not_allowed', undefined, { headers });
      }
    } else if (OF_REQUEST.has(problem.code)) {
      try {
        await this.resources.requireExisting(request);
      } catch (error) {
        problem = this.problemOf(error);
      }
    }
    if (problem.status === 500) {
      const cause: unknown = problem.options.cause ?? exception;
      const { name, code } = (cause ?? {}) as NodeJS.ErrnoException;
      // If the client has disconnected, its read was aborted, or its response was closed before the end.
      const isExpected = name === 'AbortError' || code === 'ERR_STREAM_PREMATURE_CLOSE';
      if (!reply.raw.destroyed || !isExpected) {
        this.logger.error({ request_id: request.id, err: cause }, 'request failed');
      }
    }
    // Fastify would close the connection. Many clients send all of a body before they read the response, and would only
    // see that the connection is closed; so Node.js discards the rest of the body, until its timeout.
    if (problem.code === 'content_too_large') reply.removeHeader('Connection');
    sendProblem(request, reply, problem);
  }

  private problemOf(exception: unknown): Problem {
    const status =
      exception instanceof HttpException
        ? exception.getStatus()
        : (exception as { statusCode?: number } | null)?.statusCode;
    // Fastify gives every error of a body that arrives the status 400, a `Problem` too.
    if (status !== undefined && !(exception instanceof Problem)) {
      return new Problem(BY_STATUS[status] ?? 'internal_error', undefined, { cause: exception });
    }
    const error = this.database.problemOf(exception);
    return error instanceof Problem
      ? error
      : new Problem('internal_error', undefined, { cause: exception });
  }
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Set when the response is a problem document. */
    problem?: ProblemCode;
  }
}

/** Sends a problem document instead of any other response. */
export function sendProblem(request: FastifyRequest, reply: FastifyReply, problem: Problem): void {
  const [instance] = request.url.split('?');
  request.problem = problem.code;
  void reply
    .code(problem.status)
    .headers(problem.headers)
    .removeHeader('etag')
    .removeHeader(BOARD_REVISION)
    .removeHeader('x-total-count')
    .removeHeader('content-disposition')
    .type('application/problem+json')
    .serializer((document: unknown) => `${JSON.stringify(document)}\n`)
    .send(problem.document(instance ?? '', request.id));
}
