import type { FastifyInstance } from 'fastify';
import type { Config } from '../../config/config';

/**
 * Closes the connection of a client that reads nothing of its response. While the service works on a request, its
 * connection has no traffic and must stay open.
 */
export function limitReaderTime(server: FastifyInstance, config: Config): void {
  server.addHook('onRequest', (request, reply, done) => {
    // A response that waits behind another one of its connection has no socket, and the client may not read that one.
    if (reply.raw.socket) request.raw.setTimeout(0);
    done();
  });
  server.addHook('onSend', (request, _reply, payload, done) => {
    // Streams have a longer limit, which their handler sets.
    if (!request.routeOptions.config.live) request.raw.setTimeout(config.readerTimeoutMs);
    done(null, payload);
  });
}
