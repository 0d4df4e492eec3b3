import type { ArgumentsHost, ExceptionFilter } from '@nestjs/common';
import { Catch, HttpException, Logger } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ProblemCode } from './problem';
import { Problem } from './problem';
import { Resources } from './resources';
import type { RouteTable } from './route-table';

/** What the framework's own refusals mean. Its texts are not shown. */
const BY_STATUS: Record<number, ProblemCode> = {
  400: 'bad_request',
  // The files of the documentation page refuse paths that lead out of them.
  403: 'route_not_found',
  404: 'route_not_found',
  408: 'request_timeout',
  413: 'content_too_large',
  414: 'uri_too_long',
  415: 'unsupported_media_type',
  431: 'headers_too_large',
  503: 'shutting_down',
};

/** Refusals of what a request brings, which come after the question whether what it names is there. */
const ABOUT_THE_REQUEST = new Set<ProblemCode>([
  'malformed_body',
  'invalid_request',
  'unsupported_media_type',
  'not_acceptable',
  'bad_request',
]);

/** Turns everything that is thrown into a problem document (RFC 9457). There is no other filter. */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  private readonly logger = new Logger('Request');

  constructor(
    private readonly routes: RouteTable,
    private readonly resources: Resources,
  ) {}

  async catch(exception: unknown, host: ArgumentsHost): Promise<void> {
    const http = host.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const reply = http.getResponse<FastifyReply>();
    let problem = toProblem(exception);
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
    } else if (ABOUT_THE_REQUEST.has(problem.code)) {
      problem = (await this.resources.missing(request).catch(toProblem)) ?? problem;
    }
    if (problem.status === 500) {
      const cause: unknown = problem.options.cause ?? exception;
      this.logger.error({ request_id: request.id, err: cause }, 'a request failed');
    }
    sendProblem(request, reply, problem);
  }
}

/** Answers with a problem document, whatever the answer was going to be. */
export function sendProblem(request: FastifyRequest, reply: FastifyReply, problem: Problem): void {
  const [instance] = request.url.split('?');
  void reply
    .code(problem.status)
    .headers(problem.headers)
    .removeHeader('etag')
    .removeHeader('location')
    .type('application/problem+json')
    .serializer((document: unknown) => JSON.stringify(document))
    .send(problem.document(instance ?? '', request.id));
}

function toProblem(exception: unknown): Problem {
  if (exception instanceof Problem) return exception;
  const status =
    exception instanceof HttpException
      ? exception.getStatus()
      : (exception as { statusCode?: number }).statusCode;
  return new Problem(BY_STATUS[status ?? 500] ?? 'internal_error', undefined, { cause: exception });
}
