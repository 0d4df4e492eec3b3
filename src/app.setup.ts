import type { NestApplicationOptions } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Logger as Pino } from 'pino';
import { Admission } from './common/admission';
import { readBody, readQuery } from './common/body';
import { etagOf, matchesNone } from './common/etag';
import type { RouteSettings } from './common/http';
import { Listing } from './common/listing';
import { NestLogger } from './common/logging';
import type { ProblemCode } from './common/problem';
import { Problem, PROBLEMS } from './common/problem';
import { ProblemFilter, sendProblem } from './common/problem.filter';
import { Punctuality } from './common/punctuality';
import { RequestGuard } from './common/request.guard';
import { Resources } from './common/resources';
import { MAX_PARAMETER_LENGTH, RouteTable } from './common/route-table';
import { Config } from './config';
import { unavailable } from './database/database';
import { setUpDocs } from './docs';
import { Lifecycle } from './health/lifecycle';
import { Metrics } from './metrics/metrics';

/** Bytes of a body. */
const BODY_LIMIT = 1024 * 1024;
/** Characters of a URL. */
const URL_LIMIT = 8192;
/** Bytes of a URL and the header fields together. */
const HEADER_LIMIT = 32 * 1024;
/** Milliseconds for the header fields, and for a whole request, to arrive. */
const HEADERS_TIMEOUT = 5000;
const REQUEST_TIMEOUT = 10_000;
/** Milliseconds in which a reader must take something of a long answer. */
const WRITE_TIMEOUT = 15_000;

/** Milliseconds for all but the database work of a request that is answered in time. */
const GRACE = 500;

/** The server under Nest. */
export function createAdapter(): FastifyAdapter {
  return new FastifyAdapter({
    bodyLimit: BODY_LIMIT,
    requestTimeout: REQUEST_TIMEOUT,
    connectionTimeout: 0,
    keepAliveTimeout: 60_000,
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    // One line a request is written below, when its answer is out.
    logger: false,
    genReqId: (request: IncomingMessage) => requestId(request.headers['x-request-id']),
    http: {
      maxHeaderSize: HEADER_LIMIT,
      headersTimeout: HEADERS_TIMEOUT,
      connectionsCheckingInterval: 1000,
    },
    routerOptions: {
      ignoreTrailingSlash: true,
      maxParamLength: MAX_PARAMETER_LENGTH,
      querystringParser: ((text: string) => readQuery(text)) as never,
    },
    frameworkErrors: (error: FastifyError, request: unknown, reply: unknown) => {
      const code = error.statusCode === 414 ? 'uri_too_long' : 'bad_request';
      sendProblem(request as FastifyRequest, reply as FastifyReply, new Problem(code));
    },
    clientErrorHandler: refuseConnection,
    skipMiddie: true,
  });
}

export const applicationOptions = (pino: Pino): NestApplicationOptions => ({
  // Bodies are read here, when what they are for has been found.
  bodyParser: false,
  abortOnError: false,
  logger: new NestLogger(pino),
});

/** Everything that the program and the tests must have alike, before `listen`. */
export function setUp(app: NestFastifyApplication, pino: Pino): void {
  const server = app.getHttpAdapter().getInstance();
  const routes = new RouteTable(server);
  const lifecycle = app.get(Lifecycle);
  const metrics = app.get(Metrics);
  const admission = new Admission();
  const punctuality = new Punctuality(
    app.get(Config).databaseDeadlineMs + GRACE,
    (request, reply) => sendProblem(request, reply, unavailable()),
  );

  server.removeAllContentTypeParsers();
  server.addContentTypeParser('*', { parseAs: 'buffer' }, (request, body, done) => {
    done(null, readBody(request.headers, body as Buffer));
  });
  server.addHook('onRequest', (request, reply, done) => {
    reply.header('X-Request-Id', request.id);
    const { always } = request.routeOptions.config as RouteSettings;
    if (request.url.length > URL_LIMIT) sendProblem(request, reply, new Problem('uri_too_long'));
    else if (always) done();
    else admission.ask(done, () => sendProblem(request, reply, new Problem('overloaded')));
  });
  server.addHook('preHandler', (request, reply, done) => {
    punctuality.began(request, reply);
    done();
  });
  server.addHook('onClose', (_, done) => {
    punctuality.stop();
    done();
  });
  // An expectation that is not known may be ignored (RFC 9110, section 10.1.1).
  server.server.on('checkExpectation', (request, response) => {
    server.server.emit('request', request, response);
  });
  server.addHook('preSerialization', openListing);
  server.addHook('onSend', (request, reply, payload, done) => {
    if (lifecycle.stopping) reply.header('Connection', 'close');
    tag(request, reply, payload, done);
  });
  server.addHook('onResponse', (request, reply, done) => {
    punctuality.ended(reply);
    const { routeOptions, method, url, id } = request;
    const route = routeOptions.url ?? '(none)';
    const duration = reply.elapsedTime;
    metrics.observe(method, route, reply.statusCode, duration / 1000);
    pino.info({
      request_id: id,
      method,
      url,
      route,
      status: reply.statusCode,
      duration_ms: Math.round(duration * 1000) / 1000,
    });
    done();
  });

  setUpDocs(app);
  app.useGlobalGuards(new RequestGuard());
  app.useGlobalFilters(new ProblemFilter(routes, app.get(Resources)));
}

/** The id that a client or a proxy gave, where it is one that can stand in a log; else a new one. */
function requestId(given: string | string[] | undefined): string {
  return typeof given === 'string' && /^[\w.:/+=@-]{1,128}$/.test(given) ? given : randomUUID();
}

/** Turns a list into the text or the stream of its answer, or into 304 before anything is read. */
async function openListing(
  request: FastifyRequest,
  reply: FastifyReply,
  payload: unknown,
): Promise<unknown> {
  if (!(payload instanceof Listing)) {
    const { location } = request.routeOptions.config as RouteSettings;
    if (location && reply.statusCode === 201) {
      reply.header('Location', location(payload as { id: number; name: string }));
    }
    return payload;
  }
  reply.serializer((text: unknown) => text as string);
  reply.type('application/json; charset=utf-8');
  if (payload.etag !== undefined) {
    reply.header('ETag', payload.etag);
    if (matchesNone(request.headers['if-none-match'], payload.etag)) {
      reply.code(304);
      return '';
    }
  }
  const body = await payload.open(request, reply);
  if (typeof body !== 'string') {
    // Node closes a connection that nothing passes on, and takes its own limit again for the next.
    request.raw.socket.setTimeout(WRITE_TIMEOUT);
    // It may have been refused meanwhile, for taking too long.
    if (reply.sent) body.destroy();
  }
  if (reply.sent) throw unavailable();
  return body;
}

/**
 * Gives the representation of a single resource its tag, and a client that has it already nothing
 * else. What a method made or changed is tagged like what it would read next.
 */
function tag(
  request: FastifyRequest,
  reply: FastifyReply,
  payload: unknown,
  done: (error: Error | null, payload?: unknown) => void,
): void {
  const { method } = request;
  const { statusCode } = reply;
  const reads = method === 'GET' || method === 'HEAD';
  if (
    typeof payload === 'string' &&
    /^[[{]/.test(payload) &&
    ((statusCode === 200 && (reads || method === 'PUT' || method === 'PATCH')) ||
      statusCode === 201)
  ) {
    const etag = etagOf(payload);
    reply.header('ETag', etag);
    if (reads && matchesNone(request.headers['if-none-match'], etag)) reply.code(304);
  }
  if (reply.statusCode === 304) {
    reply.removeHeader('content-type');
    reply.removeHeader('content-length');
    done(null, '');
    return;
  }
  done(null, payload);
}

/** Answers what is not HTTP, or does not arrive; there is no request to speak of. */
function refuseConnection(
  this: Server | FastifyInstance,
  error: NodeJS.ErrnoException,
  socket: Socket,
): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const code = CONNECTION_FAULTS[error.code ?? ''] ?? 'bad_request';
  const [status, title] = PROBLEMS[code];
  const body = JSON.stringify(new Problem(code).document('', randomUUID()));
  socket.end(
    `HTTP/1.1 ${status} ${title}\r\nContent-Type: application/problem+json\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
}

const CONNECTION_FAULTS: Record<string, ProblemCode> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
};
