import type { FastifyInstance } from 'fastify';
import type { Socket } from 'node:net';
import { Problem } from '../problem';
import { sendProblem } from '../problem.filter';
import { isAlways } from './overload';

/** Maximum milliseconds that requests wait while clients connect. */
const ACCEPT_MS = 50;

/**
 * Lets requests wait while clients connect. Node.js 20 accepts one connection in each turn of the event
 * loop, so while 640 clients sent without a pause, the last of them was accepted after 6 s.
 */
export function acceptFirst(server: FastifyInstance): void {
  const waiting: (() => void)[] = [];
  let accepted = false;
  let since = 0;
  const nextTurn = (): void => {
    const wait = accepted && performance.now() - since < ACCEPT_MS;
    accepted = false;
    if (wait) setImmediate(nextTurn);
    else for (const begin of waiting.splice(0)) begin();
  };
  server.server.on('connection', () => (accepted = true));
  server.addHook('onRequest', (_request, _reply, done) => {
    if (!accepted && waiting.length === 0) {
      done();
      return;
    }
    if (waiting.length === 0) {
      since = performance.now();
      setImmediate(nextTurn);
    }
    waiting.push(done);
  });
}

/** Connections beyond the limit that get a response; further ones are reset. */
const SURPLUS_CONNECTIONS = 100;

/** Answers 503 on connections beyond a limit and closes them; health checks still get their response. */
export function limitConnections(server: FastifyInstance, max: number): void {
  const surplus = new WeakSet<Socket>();
  let open = 0;
  server.server.maxConnections = max + SURPLUS_CONNECTIONS;
  server.server.on('connection', (socket: Socket) => {
    open += 1;
    if (open > max) surplus.add(socket);
    socket.once('close', () => (open -= 1));
  });
  server.addHook('onRequest', (request, reply, done) => {
    if (!surplus.has(request.raw.socket) || isAlways(request)) {
      done();
      return;
    }
    reply.header('Connection', 'close');
    sendProblem(request, reply, new Problem('overloaded'));
  });
}
