import cors from '@fastify/cors';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Config } from '../config/config';
import { Problem } from './problem';

const OWN_HOSTS = ['localhost', '127.0.0.1', '[::1]'];
const READS = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Request headers that pages of other origins may send. */
const REQUEST_HEADERS = [
  'Authorization',
  'Content-Type',
  'Idempotency-Key',
  'If-Match',
  'If-None-Match',
  'Last-Event-ID',
  'X-Request-Id',
];
/** Response headers that they may read. */
const RESPONSE_HEADERS = [
  'ETag',
  'Idempotent-Replayed',
  'Link',
  'Location',
  'RateLimit',
  'RateLimit-Policy',
  'Retry-After',
  'WWW-Authenticate',
  'X-Board-Revision',
  'X-Request-Id',
  'X-Total-Count',
];

/**
 * Rejects requests that pages of other sites send: with the cookie of a session, or to a service that requires
 * no token, whose address a page may also reach by a host name of its own (DNS rebinding).
 */
export class Origins {
  private readonly hosts: ReadonlySet<string>;
  private readonly anyHost: boolean;
  private readonly origins: ReadonlySet<string>;

  constructor({ allowedHosts, auth, corsOrigins, onLoopback, urlHost }: Config) {
    this.hosts = new Set([...OWN_HOSTS, urlHost, ...allowedHosts]);
    // Elsewhere a token is required, which no page has, so any host name is allowed.
    this.anyHost = !onLoopback && auth !== 'off' && allowedHosts.length === 0;
    this.origins = new Set(corsOrigins);
  }

  /** @throws Problem `misdirected_request` if the host is not a name of the service */
  requireOwnHost(request: FastifyRequest): void {
    const host = hostHeaderOf(request);
    if (this.anyHost || this.hosts.has(nameOf(host))) return;
    // Only a client of HTTP/1.0 may omit the host, and every browser sends it.
    if (host === '') return;
    // Load balancers and orchestrators call these by address.
    if (request.url.startsWith('/health/')) return;
    throw new Problem(
      'misdirected_request',
      `"${host.slice(0, 100)}" is not a host name of the service; the setting ALLOWED_HOSTS lists its names, besides localhost.`,
    );
  }

  /**
   * Rejects changes that pages of other origins send, even if a token is required: a browser sends the
   * session cookie with the requests of all pages of its site.
   * @throws Problem `cross_site_request`
   */
  requireSameSite(request: FastifyRequest): void {
    const { method, headers, access } = request;
    if (READS.has(method)) return;
    const { origin } = headers;
    const site = headers['sec-fetch-site'];
    if (origin === undefined && site === undefined) return;
    // Pages of CORS_ORIGINS may use a token, but not a session.
    const mayBeForeign = access?.sessionId === undefined;
    if (origin !== undefined && mayBeForeign && this.origins.has(origin)) return;
    // Another port of this machine is the same site, but may belong to any program.
    if (site !== undefined && site !== 'same-origin' && site !== 'none') {
      throw new Problem('cross_site_request');
    }
    if (site === undefined && hostOf(origin) !== hostHeaderOf(request)) {
      throw new Problem('cross_site_request');
    }
  }
}

/** Enables CORS for the origins of CORS_ORIGINS, if there are any. */
export async function enableCors(
  server: FastifyInstance,
  { corsOrigins }: Config,
  methodsAt: (url: string) => string[],
): Promise<void> {
  if (corsOrigins.length === 0) return;
  await server.register(cors, {
    delegator: (request: FastifyRequest, done: (error: Error | null, options: object) => void) => {
      const preflight = isPreflight(request);
      done(null, {
        origin: corsOrigins,
        methods: preflight ? methodsAt(request.url) : [],
        allowedHeaders: REQUEST_HEADERS,
        exposedHeaders: RESPONSE_HEADERS,
        maxAge: 600,
        preflight,
      });
    },
  });
}

/** Whether a browser asks if a page may send a request; any other OPTIONS is about the resource. */
const isPreflight = ({ headers }: FastifyRequest): boolean =>
  headers.origin !== undefined && headers['access-control-request-method'] !== undefined;

/**
 * The host of a request; empty without one. Not `request.host`, which is `X-Forwarded-Host` behind a trusted proxy: a
 * page can send that header, and most proxies pass it on.
 */
const hostHeaderOf = ({ headers }: FastifyRequest): string => headers.host ?? '';

/** A `Host` without its port, in lower case; empty if it is malformed. */
const nameOf = (host: string): string =>
  /^(\[[^\]]*\]|[^:]*)(?::\d*)?$/.exec(host)?.[1]?.toLowerCase() ?? '';

/** The host and port of an origin as `Host` has them; undefined for `null`. */
function hostOf(origin: string | undefined): string | undefined {
  return origin !== undefined && URL.canParse(origin) ? new URL(origin).host : undefined;
}
