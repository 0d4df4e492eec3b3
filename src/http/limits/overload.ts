import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';
import { FairQueue } from '../../database/fair-queue';
import { timeSliceOfQueue } from '../../time/time-slice';
import { clientKeyOf, networkOf } from '../client';
import { Problem } from '../problem';
import { sendProblem } from '../problem.filter';
import { Counter } from './counter';

/**
 * Limits on concurrent requests; more would only wait for each other. A burst of 300 changes of one board
 * fits, and changes do not delay reads.
 */
const MAX_REQUESTS = { reads: 100, changes: 320 };

/** The same limits for one network; the rest is for other clients. */
const MAX_OF_NETWORK = { reads: 90, changes: 304 };

type Kind = keyof typeof MAX_REQUESTS;

/**
 * Milliseconds after which a rejection is sent. Without a delay, clients that ignore `Retry-After` used all of the
 * CPU; see docs/decisions/overload.md.
 */
const REJECTION_MS = 50;

/**
 * Milliseconds for which a read that found no slot is rejected again without authenticating it, so that a client
 * that ignores `Retry-After` costs a quarter of the processor time. Such a client sends again after REJECTION_MS.
 */
const REJECTED_MS = 2 * REJECTION_MS;

/** Maximum number of such reads that are remembered. */
const MAX_REJECTED = 1000;

/** Maximum milliseconds that a change waits until its handler begins. */
const BEGIN_MS = 10_000;

declare module 'fastify' {
  interface FastifyRequest {
    /** The limit that the request counts towards while it is in progress. */
    countedAs: Kind | undefined;
  }
}

/** Whether a route is served under any load, such as the health checks. */
export const isAlways = ({ routeOptions }: FastifyRequest): boolean =>
  routeOptions.config.always === true;

/** Rejects requests beyond the limits, before any other work on them. */
export function limitLoad(server: FastifyInstance): void {
  const overloaded = new Problem('overloaded');
  const counts = { reads: 0, changes: 0 };
  const beginning = new FairQueue(1, BEGIN_MS);
  const timeSlice = timeSliceOfQueue();
  const ofNetwork = { reads: new Counter(), changes: new Counter() };
  const count = (kind: Kind, { ip }: FastifyRequest, by: 1 | -1): void => {
    counts[kind] += by;
    ofNetwork[kind].add(networkOf(ip), by);
  };
  const rejected = new LRUCache<string, true>({
    max: MAX_REJECTED,
    ttl: REJECTED_MS,
    ttlAutopurge: true,
  });
  server.decorateRequest('countedAs', undefined);
  const kindOf = ({ method }: FastifyRequest): Kind =>
    method === 'GET' || method === 'HEAD' ? 'reads' : 'changes';
  // The slots of a client are counted by its token or its address.
  const keyOf = ({ ip, url, headers: { authorization, cookie } }: FastifyRequest): string =>
    `${ip} ${url} ${authorization} ${cookie}`;
  const mayBegin = (request: FastifyRequest): boolean => {
    if (isAlways(request)) return true;
    const kind = kindOf(request);
    if (kind === 'reads' && rejected.size > 0 && rejected.has(keyOf(request))) return false;
    const own = ofNetwork[kind].of(networkOf(request.ip));
    return counts[kind] < MAX_REQUESTS[kind] && own < MAX_OF_NETWORK[kind];
  };
  const end = (request: FastifyRequest): void => {
    if (request.countedAs) count(request.countedAs, request, -1);
    request.countedAs = undefined;
  };
  server.addHook('onRequest', (request, reply, done) => {
    if (mayBegin(request)) done();
    else sendProblem(request, reply, overloaded);
  });
  // Counts from the arrival of the body to the beginning of the response: slow clients cause no work.
  server.addHook('preHandler', (request, reply, done) => {
    // The handler of a file runs while the file arrives, and has a limit of its own.
    if (request.routeOptions.config.file) {
      done();
      return;
    }
    if (!mayBegin(request)) {
      sendProblem(request, reply, overloaded);
      return;
    }
    request.countedAs = kindOf(request);
    count(request.countedAs, request, 1);
    if (request.countedAs === 'reads') {
      done();
      return;
    }
    // Otherwise 300 concurrent changes all begin in one turn of the event loop, which took 0.2 s.
    const begin = async (): Promise<void> => {
      await timeSlice.pause();
      done();
    };
    beginning.run(clientKeyOf(request), begin).catch(done);
  });
  server.addHook('onSend', (request: FastifyRequest, _reply: FastifyReply, payload, done) => {
    if (request.countedAs === 'reads' && request.problem === 'overloaded') {
      rejected.set(keyOf(request), true);
    }
    end(request);
    if (request.problem === 'overloaded') setTimeout(done, REJECTION_MS, null, payload);
    else done(null, payload);
  });
  server.addHook('onResponse', (request, _reply, done) => {
    end(request);
    done();
  });
}
