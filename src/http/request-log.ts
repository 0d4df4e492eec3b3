import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';

/** Masks tokens in a string for the log. */
export const withoutTokens = (text: string): string =>
  text.includes('spl_') ? text.replace(/spl_[0-9a-f]{16}_[\w-]*/g, 'spl_...') : text;

/** Logs a request in one line. */
export function logRequest(logger: Logger, request: FastifyRequest, reply: FastifyReply): void {
  logger.info({
    request_id: request.id,
    method: request.method,
    url: withoutTokens(request.url),
    actor: request.access?.actor,
    route: request.routeOptions.url ?? '(none)',
    status: reply.statusCode,
    duration_ms: Math.round(reply.elapsedTime * 1000) / 1000,
  });
}

/** Logs and measures every request. @param observe receives method, route, status and seconds */
export function logRequests(
  server: FastifyInstance,
  logger: Logger,
  observe: (method: string, route: string, status: number, seconds: number) => void,
): void {
  server.addHook('onResponse', (request, reply, done) => {
    const route = request.routeOptions.url ?? '(none)';
    const { live } = request.routeOptions.config;
    // The time for which a stream was open is not a latency.
    if (!live || reply.statusCode !== 200) {
      observe(request.method, route, reply.statusCode, reply.elapsedTime / 1000);
    }
    logRequest(logger, request, reply);
    done();
  });
}
