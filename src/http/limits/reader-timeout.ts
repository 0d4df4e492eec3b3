import type { FastifyInstance } from 'fastify';
import type { Config } from '../../config/config';

/**
 * Closes the connection of a client that reads nothing of its response. The limit begins with the response, because
 * a connection has no traffic while the service works on its request.
 */
export function limitReaderTime(server: FastifyInstance, config: Config): void {
  server.addHook('onRequest', (request, _reply, done) => {
    request.raw.setTimeout(0);
    done();
  });
  server.addHook('onSend', (request, _reply, payload, done) => {
    // Streams have a longer limit, which their handler sets.
    if (!request.routeOptions.config.live) request.raw.setTimeout(config.readerTimeoutMs);
    done(null, payload);
  });
}
