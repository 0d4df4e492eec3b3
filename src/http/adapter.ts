import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Logger } from 'pino';
import type { Config } from '../config/config';
import { parseQuery } from './input/form';
import type { ProblemCode } from './problem';
import { Problem } from './problem';
import { sendProblem } from './problem.filter';
import { logRequest, withoutTokens } from './request-log';
import { isOfPage } from './responses/formats';
import { MAX_PARAMETER_LENGTH } from './route-table';
import { SECURITY_HEADERS } from './security-headers';

/** Milliseconds for a client to read the response to a malformed or incomplete request. */
const LINGER_MS = 1000;

/** Creates the Fastify server with its limits, and its responses to requests that reach no route. */
export function createAdapter(config: Config, logger: Logger): FastifyAdapter {
  const { trustProxy } = config;
  // The limit of most requests is shorter; see `limitBodyTime`.
  const requestTimeout = Math.max(config.requestTimeoutMs, config.uploadTimeoutMs);
  return new FastifyAdapter({
    trustProxy: trustProxy.length > 0 && trustProxy,
    bodyLimit: config.bodyLimit,
    requestTimeout,
    // Closes a socket without traffic, for example if a client does not read its response.
    connectionTimeout: config.readerTimeoutMs,
    keepAliveTimeout: 60_000,
    return503OnClosing: false,
    genReqId: (request: IncomingMessage) => requestId(request.headers['x-request-id']),
    http: {
      maxHeaderSize: config.headerLimit,
      headersTimeout: config.headersTimeoutMs,
      // Fastify sets it later, but Node.js compares `headersTimeout` with it at once, by default with 5 minutes.
      requestTimeout,
      connectionsCheckingInterval: 1000,
      // A hook rejects such requests with a problem document.
      requireHostHeader: false,
    },
    routerOptions: {
      ignoreTrailingSlash: true,
      maxParamLength: MAX_PARAMETER_LENGTH,
      querystringParser: parseQuery,
    },
    rewriteUrl: (request: IncomingMessage) => originForm(request),
    // No hook runs for a URL that the router cannot parse.
    frameworkErrors: ((error: FastifyError, request: FastifyRequest, reply: FastifyReply) => {
      const code = error.statusCode === 414 ? 'uri_too_long' : 'bad_request';
      reply.header('X-Request-Id', request.id).headers(SECURITY_HEADERS);
      reply.raw.once('close', () => logRequest(logger, request, reply));
      if (code === 'bad_request' && isOfPage(request)) reply.redirect(withoutEscapes(request.url));
      else sendProblem(request, reply, new Problem(code));
    }) as never,
    clientErrorHandler: (error: NodeJS.ErrnoException, socket: Socket) =>
      answerBrokenRequest(error, socket, config.urlLimit, logger),
    skipMiddie: true,
  });
}

/**
 * Returns the path and the query of a request target. The host of an absolute URL replaces the `Host` of the
 * request (RFC 9112, section 3.2.2).
 */
function originForm({ url = '/', headers }: IncomingMessage): string {
  const absolute = /^https?:\/\/([^/?#]*)(.*)$/i.exec(url);
  if (!absolute) return url;
  const [, host = '', path = ''] = absolute;
  headers.host = host;
  return path.startsWith('/') ? path : `/${path}`;
}

/**
 * Returns the URL whose decoded path is the given one, which cannot be decoded. A browser is redirected there, and its
 * page says that the path does not exist. The URL begins with one slash, because two are followed by a host.
 */
const withoutEscapes = (url: string): string =>
  url
    .replace(/\?.*/, '')
    .replace(/^[/\\]*/, '/')
    .replaceAll('%', '%25');

/** The request id that a client or a proxy sent, if it is safe to log; otherwise a new one. */
function requestId(sent: string | string[] | undefined): string {
  return typeof sent === 'string' && /^[\w.:/+=@-]{1,128}$/.test(sent)
    ? withoutTokens(sent)
    : randomUUID();
}

/** The code of the error of a request that the service has not begun to read when it stops. */
export const SHUTTING_DOWN = 'SHUTTING_DOWN';

const CONNECTION_ERRORS: Record<string, ProblemCode> = {
  [SHUTTING_DOWN]: 'shutting_down',
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
};

const linesOf = (headers: Record<string, string>): string =>
  Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('');

/** The response that Node.js will write next; it keeps it there, and checks it in its own handler of such errors. */
const responseOn = (socket: Socket): ServerResponse | undefined =>
  (socket as { _httpMessage?: ServerResponse | null })._httpMessage ?? undefined;

/** Closes a connection when the responses to its complete requests are written. */
function destroyAfterResponses(socket: Socket, response: ServerResponse): void {
  response.once('close', () => {
    const next = responseOn(socket);
    if (next?.req.complete) destroyAfterResponses(socket, next);
    else socket.destroySoon();
  });
}

/**
 * Answers a request that is not HTTP, or does not arrive before its timeout or the stop, and closes the socket; without
 * an answer if another response has begun, which the answer would corrupt.
 */
function answerBrokenRequest(
  error: NodeJS.ErrnoException & { rawPacket?: Buffer },
  socket: Socket,
  urlLimit: number,
  logger: Logger,
): void {
  const response = responseOn(socket);
  if (!socket.writable || error.code === 'ECONNRESET' || response?.headersSent) {
    socket.destroy();
    return;
  }
  // The request of that response is complete, so the error is in a later one of the connection.
  if (response?.req.complete) {
    destroyAfterResponses(socket, response);
    return;
  }
  let code = CONNECTION_ERRORS[error.code ?? ''] ?? 'bad_request';
  // If the last packet has no line break, the URL is too long.
  const { rawPacket } = error;
  if (code === 'headers_too_large' && rawPacket?.subarray(0, urlLimit).includes('\n') === false) {
    code = 'uri_too_long';
  }
  const problem = new Problem(code);
  const { status, title } = problem;
  const id = randomUUID();
  logger.info(
    { request_id: id, address: socket.remoteAddress, status, code },
    'malformed or incomplete request',
  );
  const body = `${JSON.stringify(problem.document('', id))}\n`;
  const headers = linesOf({ 'X-Request-Id': id, ...SECURITY_HEADERS, ...problem.headers });
  socket.end(
    `HTTP/1.1 ${status} ${title}\r\nContent-Type: application/problem+json\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n${headers}\r\n${body}`,
  );
  // A client that neither reads nor closes would keep the socket open forever.
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}
