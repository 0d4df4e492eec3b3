import type { NestApplicationOptions } from '@nestjs/common';
import { Logger } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import type {
  FastifyError,
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  RouteOptions,
} from 'fastify';
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import type { Logger as Pino } from 'pino';
import { Door } from './auth/door.guard';
import { withoutTokens } from './auth/secret';
import { OPEN } from './common/access';
import { Admission } from './common/admission';
import { Answer } from './common/answer';
import { readBody, readQuery } from './common/body';
import { Browsers, SECURITY_HEADERS } from './common/browsers';
import { etagOf, matchesNone } from './common/etag';
import { writeFormat } from './common/formats';
import type { RouteSettings } from './common/route';
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
/** Header fields of a request; Node would drop, unheard, what is beyond 2,000. */
const MOST_HEADERS = 200;
/** Milliseconds for the header fields, and for a whole request, to arrive. */
const HEADERS_TIMEOUT = 5000;
const REQUEST_TIMEOUT = 10_000;
/** Milliseconds in which a reader must take something of a long answer. */
const WRITE_TIMEOUT = 15_000;

/** Milliseconds for all but the database work of a request that is answered in time. */
const GRACE = 500;

/** The server under Nest. */
export function createAdapter({ trustProxy }: Config, pino: Pino): FastifyAdapter {
  return new FastifyAdapter({
    trustProxy: trustProxy.length > 0 && trustProxy,
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
      // Refused below, as a problem like any other.
      requireHostHeader: false,
    },
    routerOptions: {
      ignoreTrailingSlash: true,
      maxParamLength: MAX_PARAMETER_LENGTH,
      querystringParser: ((text: string) => readQuery(text)) as never,
    },
    // No hook runs for what the router cannot read.
    frameworkErrors: ((error: FastifyError, request: FastifyRequest, reply: FastifyReply) => {
      const code = error.statusCode === 414 ? 'uri_too_long' : 'bad_request';
      reply.header('X-Request-Id', request.id).headers(SECURITY_HEADERS);
      reply.raw.once('close', () => pino.info(requestLine(request, reply)));
      sendProblem(request, reply, new Problem(code));
    }) as never,
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
  const browsers = new Browsers(app.get(Config));
  const admission = new Admission();
  const punctuality = new Punctuality(
    app.get(Config).databaseDeadlineMs + GRACE,
    (request, reply) => sendProblem(request, reply, unavailable()),
  );
  const door = app.get(Door, { strict: false });

  server.addHook('onRoute', requireScope);
  server.decorateRequest('access', undefined);
  server.decorateRequest('waited', 0);
  server.decorateRequest('repeatable', undefined);
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('*', { parseAs: 'buffer' }, (request, body, done) => {
    done(null, readBody(request.headers, body as Buffer));
  });
  server.addHook('onRequest', (request, reply, done) => {
    reply.header('X-Request-Id', request.id).headers(SECURITY_HEADERS);
    const { always } = request.routeOptions.config as RouteSettings;
    if (always) done();
    else admission.ask(done, () => sendProblem(request, reply, new Problem('overloaded')));
  });
  server.addHook('onRequest', (request, reply, done) => {
    const refuse = (refusal: unknown): void => {
      if (refusal instanceof Problem) sendProblem(request, reply, refusal);
      else done(refusal as Error);
    };
    const requireOwnPage = (): void => {
      // A page has no token by itself; where none is asked for, it must not be able to write.
      if (request.access === OPEN) browsers.requireSameSite(request);
    };
    let waiting: void | Promise<void>;
    try {
      if (request.url.length > URL_LIMIT) throw new Problem('uri_too_long');
      if (request.raw.rawHeaders.length > 2 * MOST_HEADERS) throw new Problem('headers_too_large');
      // HTTP/1.1 asks for it (RFC 9112, section 3.2).
      if (request.host === '' && request.raw.httpVersion === '1.1') {
        throw new Problem('bad_request');
      }
      browsers.requireOwnHost(request);
      const preflight = browsers.share(request, reply, () => routes.methodsAt(request.url));
      if (preflight) {
        void reply.code(204).headers(preflight).send();
        return;
      }
      waiting = door.admit(request);
      if (!waiting) requireOwnPage();
    } catch (refusal) {
      refuse(refusal);
      return;
    }
    if (waiting) {
      const since = Date.now();
      waiting
        .then(() => {
          request.waited = Date.now() - since;
          requireOwnPage();
        })
        .then(() => done(), refuse);
    } else done();
  });
  server.addHook('preHandler', (request, reply, done) => {
    punctuality.began(request, reply, request.waited);
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
  server.addHook('preSerialization', write);
  server.addHook('onSend', (request, reply, payload, done) => {
    if (lifecycle.stopping) reply.header('Connection', 'close');
    tag(request, reply, payload, done);
  });
  server.addHook('onResponse', (request, reply, done) => {
    punctuality.ended(reply);
    const line = requestLine(request, reply);
    metrics.observe(line.method, line.route, line.status, line.duration_ms / 1000);
    pino.info(line);
    done();
  });

  setUpDocs(app);
  app.useGlobalGuards(new RequestGuard());
  app.useGlobalFilters(new ProblemFilter(routes, app.get(Resources)));
}

/** A route that does not say who may use it is a mistake that must not be served. */
function requireScope({ method, url, config }: RouteOptions & { url: string }): void {
  const { scope } = (config ?? {}) as RouteSettings;
  if (scope === undefined) {
    throw new Error(`${[method].flat().join(', ')} ${url} does not say what it needs`);
  }
}

/** What the log has of each request. */
function requestLine(
  request: FastifyRequest,
  reply: FastifyReply,
): {
  request_id: string;
  method: string;
  url: string;
  route: string;
  actor?: string;
  status: number;
  duration_ms: number;
} {
  return {
    request_id: request.id,
    method: request.method,
    url: withoutTokens(request.url),
    ...(request.access && { actor: request.access.actor }),
    route: request.routeOptions.url ?? '(none)',
    status: reply.statusCode,
    duration_ms: Math.round(reply.elapsedTime * 1000) / 1000,
  };
}

/** The id that a client or a proxy gave, where it is one that can stand in a log; else a new one. */
function requestId(given: string | string[] | undefined): string {
  return typeof given === 'string' && /^[\w.:/+=@-]{1,128}$/.test(given)
    ? withoutTokens(given)
    : randomUUID();
}

const requestLogger = new Logger('Request');

/** Tells of a resource what its route knows of it; what is more than an object is written out. */
function write(
  request: FastifyRequest,
  reply: FastifyReply,
  payload: unknown,
  done: (error: Error | null, payload?: unknown) => void,
): void {
  const { location, formats } = request.routeOptions.config as RouteSettings;
  if (payload instanceof Answer || (formats && reply.statusCode === 200)) {
    writeOut(request, reply, payload).then((content) => done(null, content), done);
    return;
  }
  if (request.repeatable?.replayed) reply.header('Idempotent-Replayed', 'true');
  if (location && reply.statusCode === 201) {
    reply.header('Location', location(payload as { id: number; name: string }));
  }
  done(null, payload);
}

/**
 * Turns an answer, or what has several formats, into its text, its bytes or a stream; an answer that
 * the client has already into 304, before anything is read.
 */
async function writeOut(
  request: FastifyRequest,
  reply: FastifyReply,
  payload: unknown,
): Promise<string | Buffer | Readable> {
  const answer = payload instanceof Answer ? payload : undefined;
  reply.serializer((content: unknown) => content as string);
  if (answer) {
    reply.type('application/json; charset=utf-8');
    if (answer.etag !== undefined) {
      reply.header('ETag', answer.etag);
      if (matchesNone(request.headers['if-none-match'], answer.etag)) {
        reply.code(304);
        return '';
      }
    }
  }
  const content = await (answer?.open(request, reply) ?? writeFormat(request, reply, payload));
  if (content instanceof Readable) {
    // Node closes a connection that nothing passes on, and takes its own limit again for the next.
    request.raw.socket.setTimeout(WRITE_TIMEOUT);
    content.once('error', (error: Error) => {
      requestLogger.error({ request_id: request.id, err: error }, 'a long answer was cut off');
    });
    // It may have been refused meanwhile, for taking too long.
    if (reply.sent) content.destroy();
  }
  if (reply.sent) throw unavailable();
  return content;
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
  const { tagged } = request.routeOptions.config as RouteSettings;
  const reads = method === 'GET' || method === 'HEAD';
  if (
    typeof payload === 'string' &&
    payload !== '' &&
    ((statusCode === 200 && (reads || method === 'PUT' || method === 'PATCH' || tagged)) ||
      statusCode === 201)
  ) {
    // A list that fits into one text has the tag of its board, like a long one.
    const etag = (reply.getHeader('etag') as string | undefined) ?? etagOf(payload);
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
      `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n${SECURITY_LINES}\r\n${body}`,
  );
}

const SECURITY_LINES = Object.entries(SECURITY_HEADERS)
  .map(([name, value]) => `${name}: ${value}\r\n`)
  .join('');

const CONNECTION_FAULTS: Record<string, ProblemCode> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
};
