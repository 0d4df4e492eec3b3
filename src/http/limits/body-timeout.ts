import type { FastifyInstance } from 'fastify';
import type { IncomingMessage } from 'node:http';
import type { Config } from '../../config/config';

const timers = new WeakMap<IncomingMessage, NodeJS.Timeout>();

/**
 * Answers 408 and closes the connection if the body of a request does not arrive in time. Node has one
 * limit for all requests of a server, which must suffice for the longest upload.
 */
export function limitBodyTime(server: FastifyInstance, config: Config): void {
  server.server.prependListener('request', (request: IncomingMessage) => {
    const { 'content-length': length = '0', 'transfer-encoding': encoding } = request.headers;
    if (length === '0' && encoding === undefined) return;
    setBodyTimeout(server, request, config.requestTimeoutMs);
    request.once('close', () => clearTimeout(timers.get(request)));
  });
}

/** Sets the milliseconds from now within which the body of a request must arrive. */
export function setBodyTimeout(
  server: FastifyInstance,
  request: IncomingMessage,
  ms: number,
): void {
  clearTimeout(timers.get(request));
  if (request.complete) return;
  const timer = setTimeout(() => {
    // Node does the same for a request that exceeds its own limit.
    const error = Object.assign(new Error('request timeout'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' });
    server.server.emit('clientError', error, request.socket);
  }, ms);
  timers.set(request, timer.unref());
}
