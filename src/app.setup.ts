import type { NestApplicationOptions } from '@nestjs/common';
import { Logger } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { FastifyError, FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import type { Logger as Pino } from 'pino';
import { Door } from './auth/door.guard';
import { withoutTokens } from './auth/secret';
import { accessOf, OPEN } from './http/access';
import { Admission } from './common/admission';
import { Answer } from './http/answer';
import { readBody, readQuery } from './http/read-only';
import { Browsers, SECURITY_HEADERS } from './common/browsers';
import { Clock } from './time/clock';
import { ConnectionLimit } from './common/connection-limit';
import { etagOf, matchesNone } from './http/etag';
import { writeFormat } from './http/formats';
import type { RouteSettings } from './http/route';
import { NestLogger } from './logging/logger';
import { cutWhereNothingIsTaken } from './common/patience';
import type { ProblemCode } from './http/problem';
import { Problem, PROBLEMS } from './http/problem';
import { ProblemFilter, sendProblem } from './common/problem.filter';
import { Punctuality } from './common/punctuality';
import { networkOf, RateLimit } from './common/rate-limit';
import { RequestGuard } from './common/request.guard';
import { Resources } from './http/path-resources';
import { MAX_PARAMETER_LENGTH, RouteTable } from './http/route-table';
import { Config } from './config/config';
import { Database, unavailable } from './database/database';
import { setUpDocs } from './docs';
import { Lifecycle } from './health/lifecycle';
import { Metrics } from './metrics/metrics';

/** Milliseconds for all but the database work of a request that is answered in time. */
const GRACE = 500;

/** Length of an answer that does not leave at once where its reader takes nothing. */
const LONG = 64 * 1024;

/** The server under Nest. */
export function createAdapter(config: Config, pino: Pino): FastifyAdapter {
  const { trustProxy } = config;
  return new FastifyAdapter({
    trustProxy: trustProxy.length > 0 && trustProxy,
    bodyLimit: config.bodyLimit,
    requestTimeout: config.requestTimeoutMs,
    connectionTimeout: 0,
    keepAliveTimeout: 60_000,
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    // One line a request is written below, when its answer is out.
    logger: false,
    genReqId: (request: IncomingMessage) => requestId(request.headers['x-request-id']),
    http: {
      maxHeaderSize: config.headerLimit,
      headersTimeout: config.headersTimeoutMs,
      connectionsCheckingInterval: 1000,
      // Refused below, as a problem like any other.
      requireHostHeader: false,
    },
    routerOptions: {
      ignoreTrailingSlash: true,
      maxParamLength: MAX_PARAMETER_LENGTH,
      querystringParser: ((text: string) => readQuery(text, config)) as never,
    },
    // No hook runs for what the router cannot read.
    frameworkErrors: ((error: FastifyError, request: FastifyRequest, reply: FastifyReply) => {
      const code = error.statusCode === 414 ? 'uri_too_long' : 'bad_request';
      reply.header('X-Request-Id', request.id).headers(SECURITY_HEADERS);
      reply.raw.once('close', () => pino.info(requestLine(request, reply)));
      sendProblem(request, reply, new Problem(code));
    }) as never,
    clientErrorHandler: (error: NodeJS.ErrnoException, socket: Socket) =>
      refuseConnection(error, socket, config.urlLimit, pino),
    skipMiddie: true,
    // No route has a schema, so the compilers for them need not be loaded.
    schemaController: {
      compilersFactory: { buildValidator: refuseSchema, buildSerializer: refuseSchema },
    },
  });
}

function refuseSchema(): never {
  throw new Error('a route has a schema');
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
  const config = app.get(Config);
  const database = app.get(Database);
  const browsers = new Browsers(config);
  const connections = new ConnectionLimit(server.server, config.maxConnections);
  const rateLimit = new RateLimit(config.rateLimit);
  const punctuality = new Punctuality(config.databaseDeadlineMs + GRACE, (request, reply) =>
    sendProblem(request, reply, unavailable()),
  );
  const admission = new Admission(() => database.worthwhile);
  const door = app.get(Door, { strict: false });

  server.addHook('onRoute', requireScope);
  server.decorateRequest('access', undefined);
  server.decorateRequest('waited', 0);
  server.decorateRequest('underWay', false);
  server.decorateRequest('repeatable', undefined);
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('*', { parseAs: 'buffer' }, (request, body, done) => {
    done(null, readBody(request.headers, body as Buffer, config));
  });
  server.addHook('onRequest', (request, reply, done) => {
    reply.header('X-Request-Id', request.id).headers(SECURITY_HEADERS);
    const { always } = request.routeOptions.config as RouteSettings;
    if (always) done();
    else if (connections.exceeds(request.raw.socket)) {
      reply.header('Connection', 'close');
      sendProblem(request, reply, new Problem('overloaded'));
    } else {
      const asked = Date.now();
      admission.ask(
        request,
        () => {
          request.waited = Date.now() - asked;
          punctuality.began(reply, request.waited);
          done();
        },
        () => sendProblem(request, reply, new Problem('overloaded')),
      );
    }
  });
  const count = (reply: FastifyReply, caller: string): void => {
    const { allowed, headers } = rateLimit.take(caller, Date.now());
    reply.headers(headers);
    if (!allowed) throw new Problem('too_many_requests');
  };
  const letIn = (request: FastifyRequest, reply: FastifyReply): void => {
    // A page has no token by itself; where none is asked for, it must not be able to write.
    if (request.access === OPEN) browsers.requireSameSite(request);
    if (rateLimit.isOn && request.access) count(reply, countedAs(request));
  };
  server.addHook('onRequest', (request, reply, done) => {
    const refuse = (refusal: unknown): void => {
      // It was refused already, for taking too long.
      if (reply.sent) return;
      let problem = refusal;
      try {
        // Those who guess, or ask for what they may not have, are counted, too.
        if (rateLimit.isOn && refusal instanceof Problem) {
          if (refusal.status === 401) count(reply, networkOf(request.ip));
          else if (request.access && refusal.status !== 429) count(reply, countedAs(request));
        }
      } catch (limit) {
        problem = limit;
      }
      if (problem instanceof Problem) sendProblem(request, reply, problem);
      else done(problem as Error);
    };
    let waiting: void | Promise<void>;
    try {
      if (request.url.length > config.urlLimit) throw new Problem('uri_too_long');
      if (request.raw.rawHeaders.length > 2 * config.headerFields)
        throw new Problem('headers_too_large');
      // HTTP/1.1 asks for one, and none may have two (RFC 9112, section 3.2).
      if (
        (request.host === '' && request.raw.httpVersion === '1.1') ||
        hasTwoHosts(request.raw.rawHeaders)
      ) {
        throw new Problem('bad_request');
      }
      browsers.requireOwnHost(request);
      const preflight = browsers.share(request, reply, () => routes.methodsAt(request.url));
      if (preflight) {
        void reply.code(204).headers(preflight).send();
        return;
      }
      waiting = door.admit(request);
      if (!waiting) letIn(request, reply);
    } catch (refusal) {
      refuse(refusal);
      return;
    }
    if (waiting) {
      const since = Date.now();
      waiting
        .then(() => {
          request.waited += Date.now() - since;
          letIn(request, reply);
        })
        .then(() => done(), refuse);
    } else done();
  });
  // While its body arrives nothing is done about a request, however long it takes.
  server.addHook('preParsing', (request, reply, _body, done) => {
    admission.ended(request);
    punctuality.ended(reply);
    done();
  });
  server.addHook('preHandler', (request, reply, done) => {
    admission.began(request);
    punctuality.began(reply, request.waited);
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
  server.addHook('preSerialization', (request, reply, payload, done) =>
    write(request, reply, payload, done),
  );
  server.addHook('onSend', (request, reply, payload, done) => {
    admission.ended(request);
    if (lifecycle.stopping) reply.header('Connection', 'close');
    if (isLong(payload)) cutWhereNothingIsTaken(request, reply, config.readerTimeoutMs);
    tag(request, reply, payload, done);
  });
  if (rateLimit.isOn) {
    server.addHook('onSend', (request, reply, payload, done) => {
      // To ask whether anything is new costs next to nothing.
      if (reply.statusCode === 304 && request.access) {
        reply.headers(rateLimit.giveBack(countedAs(request), Date.now()).headers);
      }
      done(null, payload);
    });
  }
  server.addHook('onResponse', (request, reply, done) => {
    admission.ended(request);
    punctuality.ended(reply);
    const line = requestLine(request, reply);
    metrics.observe(line.method, line.route, line.status, line.duration_ms / 1000);
    pino.info(line);
    done();
  });

  setUpDocs(app);
  app.useGlobalGuards(new RequestGuard(app.get(Clock)));
  app.useGlobalFilters(new ProblemFilter(routes, app.get(Resources)));
}

/** Whether there are two `Host` fields, of which Node shows the first. */
function hasTwoHosts(rawHeaders: readonly string[]): boolean {
  let hosts = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] as string;
    if (name.length === 4 && name.toLowerCase() === 'host') hosts += 1;
  }
  return hosts > 1;
}

/** Whose requests are counted together: those of a token or, without one, of an address. */
function countedAs(request: FastifyRequest): string {
  const { tokenId } = accessOf(request);
  return tokenId > 0 ? `token ${tokenId}` : networkOf(request.ip);
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
  if (request.repeatable?.replayed) reply.header('Idempotent-Replayed', 'true');
  const { location, formats } = request.routeOptions.config as RouteSettings;
  if (payload instanceof Answer || (formats && reply.statusCode === 200)) {
    writeOut(request, reply, payload).then((content) => done(null, content), done);
    return;
  }
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
    content.once('error', (error: Error) => {
      requestLogger.error({ request_id: request.id, err: error }, 'a long answer was cut off');
    });
    // It may have been refused meanwhile, for taking too long.
    if (reply.sent) content.destroy();
  }
  if (reply.sent) throw unavailable();
  return content;
}

/** Whether an answer may have to wait, in memory or at the database, for its reader to take it. */
function isLong(payload: unknown): boolean {
  if (typeof payload === 'string' || Buffer.isBuffer(payload)) return payload.length > LONG;
  return payload instanceof Readable;
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
  error: NodeJS.ErrnoException & { rawPacket?: Buffer },
  socket: Socket,
  urlLimit: number,
  pino: Pino,
): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  let code = CONNECTION_FAULTS[error.code ?? ''] ?? 'bad_request';
  // What came last is one line that does not end: it was the URL.
  const { rawPacket } = error;
  if (code === 'headers_too_large' && rawPacket?.subarray(0, urlLimit).includes('\n') === false) {
    code = 'uri_too_long';
  }
  const [status, title] = PROBLEMS[code];
  const id = randomUUID();
  pino.info({ request_id: id, address: socket.remoteAddress, status, code }, 'no whole request');
  const body = JSON.stringify(new Problem(code).document('', id));
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
