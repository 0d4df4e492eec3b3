import { compile } from '@fastify/proxy-addr';
import type { FastifyInstance } from 'fastify';
import type { Socket } from 'node:net';
import type { Config } from '../../config/config';
import { networkOf } from '../client';
import { Problem } from '../problem';
import { sendProblem } from '../problem.filter';
import { Counter } from './counter';
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

/** Connections beyond a limit that get a response; further ones are reset. */
const SURPLUS_CONNECTIONS = 100;

/** The part of the connections that one network may have; the rest is for other clients. */
const PART_OF_NETWORK = 0.9;

/**
 * Answers 503 on connections beyond a limit, in total or of one network, and closes them; health checks still get
 * their response. All clients of a trusted proxy have its address, so its connections only count in total.
 */
export function limitConnections(
  server: FastifyInstance,
  { maxConnections: max, trustProxy }: Config,
): void {
  const maxOfNetwork = Math.ceil(PART_OF_NETWORK * max);
  // As Fastify decides whose X-Forwarded-For it reads.
  const isTrusted = compile(trustProxy);
  const ofNetworks = new Counter();
  const surplus = new Set<Socket>();
  let open = 0;
  server.server.maxConnections = max + SURPLUS_CONNECTIONS;
  server.server.on('connection', (socket: Socket) => {
    const { remoteAddress = '' } = socket;
    const network = networkOf(remoteAddress);
    const isOfFullNetwork = ofNetworks.of(network) >= maxOfNetwork && !isTrusted(remoteAddress, 0);
    if (open < max && !isOfFullNetwork) {
      open += 1;
      ofNetworks.add(network, 1);
      socket.once('close', () => {
        open -= 1;
        ofNetworks.add(network, -1);
      });
    } else if (surplus.size < SURPLUS_CONNECTIONS) {
      surplus.add(socket);
      socket.once('close', () => surplus.delete(socket));
    } else {
      // More of them would reach `maxConnections`, and other clients could not connect.
      socket.resetAndDestroy();
    }
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
