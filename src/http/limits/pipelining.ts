import type { FastifyInstance } from 'fastify';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Problem } from '../problem';
import { sendProblem } from '../problem.filter';

/** Maximum responses that wait behind another one of their connection; each may hold an open file or snapshot. */
const MAX_WAITING = 16;

/**
 * Rejects requests that a client sends without waiting for the responses to many others. If the connection is
 * closed, closes the responses that wait: Node closes only the first one, so their snapshots would stay open.
 */
export function limitPipelining(server: FastifyInstance): void {
  const overloaded = new Problem('overloaded');
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
  server.addHook('onRequest', (request, reply, done) => {
    const waiting = ofSockets.get(request.raw.socket)?.size ?? 0;
    if (waiting > MAX_WAITING) sendProblem(request, reply, overloaded);
    else done();
  });
}
