import type { NestApplicationOptions } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { Logger } from 'pino';
import { authenticateRequests } from './auth/authentication';
import { Authenticator } from './auth/authenticator';
import { Config } from './config/config';
import { Lifecycle } from './health/lifecycle';
import { parseBodies } from './http/input/bodies';
import { limitArrivingBodies } from './http/limits/arriving-bodies';
import { limitBodyTime } from './http/limits/body-timeout';
import { acceptFirst, limitConnections } from './http/limits/connections';
import { limitLoad } from './http/limits/overload';
import { limitPipelining } from './http/limits/pipelining';
import { limitReaderTime } from './http/limits/reader-timeout';
import { requireWellFormed } from './http/limits/request-limits';
import { limitUnreadResponses } from './http/limits/unread-responses';
import { enableCors } from './http/origins';
import { logRequests } from './http/request-log';
import { compressLongResponses } from './http/responses/compression';
import { writeResponses } from './http/responses/hooks';
import { RouteTable } from './http/route-table';
import { SECURITY_HEADERS } from './http/security-headers';
import { NestLogger } from './logging/logger';
import { Metrics } from './metrics/metrics';
import { serveDocs } from './openapi/docs';
import { serveWeb, WEB_FOLDER } from './web';

export const applicationOptions = (logger: Logger): NestApplicationOptions => ({
  // `parseBodies` parses forms, too, and leaves errors to the validation pipe.
  bodyParser: false,
  abortOnError: false,
  logger: new NestLogger(logger),
});

/** Sets up the server before `listen`, for the program and the tests. The hooks run in this order. */
export async function setUp(
  app: NestFastifyApplication,
  logger: Logger,
  webFolder = WEB_FOLDER,
): Promise<void> {
  const server = app.getHttpAdapter().getInstance();
  const config = app.get(Config);
  const lifecycle = app.get(Lifecycle);
  const metrics = app.get(Metrics);
  const routes = app.get(RouteTable);

  // Unknown expectations may be ignored (RFC 9110, section 10.1.1).
  server.server.on('checkExpectation', (request, response) => {
    server.server.emit('request', request, response);
  });
  routes.watch(server);
  // Fastify gives a route the error handler that is set when the route is added; Nest sets its own later.
  server.addHook('onRoute', (route) => {
    route.errorHandler = (error, request, reply) => server.errorHandler(error, request, reply);
  });
  logRequests(server, logger, (...observation) => metrics.observe(...observation));
  limitBodyTime(server, config);
  limitReaderTime(server, config);
  parseBodies(server, config);
  limitArrivingBodies(server);
  server.addHook('onRequest', (request, reply, done) => {
    reply.header('X-Request-Id', request.id).headers(SECURITY_HEADERS);
    requireWellFormed(request, config);
    done();
  });
  limitPipelining(server);
  acceptFirst(server);
  limitConnections(server, config);
  limitLoad(server);
  await enableCors(server, config, (url) => routes.methodsAt(url));
  // Before entity tags: if one matches, the response becomes an empty 304.
  await compressLongResponses(server);
  // Before authentication, whose rate limit refunds responses with 304.
  writeResponses(server);
  limitUnreadResponses(server);
  authenticateRequests(server, config, app.get(Authenticator));
  server.addHook('onSend', (_request, reply, payload, done) => {
    if (lifecycle.stopping) reply.header('Connection', 'close');
    done(null, payload);
  });
  serveDocs(server);
  await serveWeb(server, webFolder);
}
