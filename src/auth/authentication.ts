import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Config } from '../config/config';
import { Origins } from '../http/origins';
import { Problem } from '../http/problem';
import { isMissingPage } from '../http/responses/formats';
import type { Authenticator } from './authenticator';
import { RateLimit } from './rate-limit';

/** Paths that need no token, whether they exist or not. */
const PUBLIC_PATHS = /^\/health\//;

/**
 * Authenticates every request before its body is read, and applies the rate limit. It is a hook, not a
 * guard, because 401 takes precedence over every other error, including 404 for a missing route.
 */
export function authenticateRequests(
  server: FastifyInstance,
  config: Config,
  authenticator: Authenticator,
): void {
  const origins = new Origins(config);
  const rateLimit = new RateLimit(config.rateLimit);
  server.decorateRequest('access', undefined);
  server.addHook('onRoute', ({ method, url, config: settings = {} }) => {
    const { scope } = settings;
    if (scope !== undefined) return;
    throw new Error(`${[method].flat().join(', ')} ${url} declares no scope`);
  });

  const authenticate = async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    try {
      request.access = await authenticator.authenticate(request);
      origins.requireSameSite(request);
    } catch (error) {
      // Rejected requests count, too, so that tokens cannot be guessed without a limit.
      if (rateLimit.isOn && error instanceof Problem) await rateLimit.count(request, reply);
      throw error;
    }
    if (rateLimit.isOn) await rateLimit.count(request, reply);
  };

  server.addHook('onRequest', (request, reply, done) => {
    try {
      origins.requireOwnHost(request);
    } catch (error) {
      done(error as Error);
      return;
    }
    const { scope } = request.routeOptions.config;
    const isPublicPath = request.is404 && PUBLIC_PATHS.test(request.url);
    // Rejected here, before its body is read into memory without authentication.
    if (isPublicPath) done(new Problem('route_not_found'));
    else if (scope === 'public' || isMissingPage(request)) done();
    else authenticate(request, reply).then(() => done(), done);
  });
  if (!rateLimit.isOn) return;
  server.addHook('onSend', (request, reply, payload, done) => {
    if (reply.statusCode !== 304 || !request.access) done(null, payload);
    else rateLimit.refund(request, reply).then(() => done(null, payload), done);
  });
}
