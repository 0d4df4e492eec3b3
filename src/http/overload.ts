import underPressure from '@fastify/under-pressure';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Problem } from './problem';
import type { RouteSettings } from './route';

/**
 * Requests that are worked on at a time. More would only wait for each other; a burst of 300 changes
 * of one board fits.
 */
const MAX_REQUESTS = 320;

/** Delay of the event loop from which on new requests are rejected. */
const MAX_EVENT_LOOP_DELAY_MS = 1000;

declare module 'fastify' {
  interface FastifyRequest {
    /** Whether the request counts as one that is worked on. */
    counted: boolean;
  }
}

/** Rejects requests at once that would wait too long. */
export async function limitLoad(server: FastifyInstance): Promise<void> {
  const overloaded = new Problem('overloaded');
  let count = 0;
  server.decorateRequest('counted', false);
  const end = (request: FastifyRequest): void => {
    if (request.counted) count -= 1;
    request.counted = false;
  };
  const isAlways = (request: FastifyRequest): boolean =>
    (request.routeOptions.config as RouteSettings).always === true;
  await server.register(underPressure, {
    maxEventLoopDelay: MAX_EVENT_LOOP_DELAY_MS,
    pressureHandler: (request: FastifyRequest) => {
      if (!isAlways(request)) throw overloaded;
    },
  });
  // Counted from the arrival of the body to the beginning of the response: a slow client is no work.
  server.addHook('preHandler', (request, _reply, done) => {
    if (isAlways(request)) {
      done();
      return;
    }
    if (count >= MAX_REQUESTS) {
      done(overloaded);
      return;
    }
    count += 1;
    request.counted = true;
    done();
  });
  server.addHook('onSend', (request: FastifyRequest, _reply: FastifyReply, payload, done) => {
    end(request);
    done(null, payload);
  });
  server.addHook('onResponse', (request, _reply, done) => {
    end(request);
    done();
  });
}
