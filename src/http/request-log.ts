import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';

/** How often a URL is decoded, at most. */
const MAX_DECODED = 5;

const TOKEN = /spl_[0-9a-f]{16}_[\w-]*/g;

/** Masks tokens in a string for the log, also those of which a part is percent-encoded, even repeatedly. */
export function withoutTokens(text: string): string {
  if (!/spl_|%/.test(text)) return text;
  const masked = text.replace(TOKEN, 'spl_...');
  let decoded = masked;
  for (let i = 0; i < MAX_DECODED && decoded.includes('%'); i += 1) {
    decoded = decoded.replace(/%([0-9a-f]{2})/gi, (_, code: string) =>
      String.fromCharCode(parseInt(code, 16)),
    );
  }
  return decoded.search(TOKEN) === -1 ? masked : encodeURI(decoded.replace(TOKEN, 'spl_...'));
}

/** What a log line says about the sender of a request. */
export type Sender = Pick<FastifyRequest, 'id' | 'ip'>;

export const senderOf = ({ id, ip }: Sender) => ({
  request_id: id,
  address: ip,
});

/** The status of a request whose client disconnected before the response began, as nginx logs it. */
const CLIENT_CLOSED_REQUEST = 499;

/** Logs a request in one line. */
export function logRequest(
  logger: Logger,
  request: FastifyRequest,
  reply: FastifyReply,
  status = reply.statusCode,
): void {
  logger.info({
    request_id: request.id,
    method: request.method,
    url: withoutTokens(request.url),
    actor: request.access?.actor,
    route: request.routeOptions.url ?? '(none)',
    status,
    code: request.problem,
    duration_ms: Math.round(reply.elapsedTime * 1000) / 1000,
  });
}

/** Logs and measures every request. @param observe receives method, route, status and seconds */
export function logRequests(
  server: FastifyInstance,
  logger: Logger,
  observe: (method: string, route: string, status: number, seconds: number) => void,
): void {
  server.addHook('onRequest', (request, reply, done) => {
    // No `onResponse` hook runs if the client disconnects before it has the whole response.
    reply.raw.once('close', () => {
      const status = reply.raw.headersSent ? reply.statusCode : CLIENT_CLOSED_REQUEST;
      const route = request.routeOptions.url ?? '(none)';
      const { live } = request.routeOptions.config;
      // The time for which a stream was open is not a latency.
      if (!live || status !== 200) {
        observe(request.method, route, status, reply.elapsedTime / 1000);
      }
      logRequest(logger, request, reply, status);
    });
    done();
  });
}
