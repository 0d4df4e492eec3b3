import type { FastifyInstance } from 'fastify';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Closes the responses that wait behind another one of their connection when the connection is closed. Node closes
 * only the first one, so the snapshots of the others would stay open.
 */
export function closeWaitingResponses(server: FastifyInstance): void {
  const ofSockets = new WeakMap<Socket, Set<ServerResponse>>();
  server.server.prependListener(
    'request',
    ({ socket }: IncomingMessage, response: ServerResponse) => {
      // Only the first response has a socket.
      if (response.socket) return;
      const waiting = ofSockets.get(socket) ?? new Set();
      if (!ofSockets.has(socket)) {
        ofSockets.set(socket, waiting);
        socket.once('close', () => {
          // As Node closes the first one. Without `_closed`, a stream that is piped to it later would stay open.
          for (const each of waiting)
            Object.assign(each.destroy(), { _closed: true }).emit('close');
        });
      }
      waiting.add(response);
      response.once('socket', () => waiting.delete(response));
    },
  );
}
