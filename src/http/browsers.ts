import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Config } from '../config/config';
import { Problem } from './problem';

/**
 * What every answer carries. Nothing that the service says is to be run, framed, guessed at or read by
 * other sites; `/docs`, which is a page, has a policy of its own.
 */
export const SECURITY_HEADERS = {
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
} as const;

const OWN_HOSTS = ['localhost', '127.0.0.1', '[::1]'];
const READS = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Header fields that pages of other origins may send, and those that they may read. */
const SENDABLE =
  'Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, X-Request-Id';
const READABLE =
  'ETag, Idempotent-Replayed, Link, Location, RateLimit, RateLimit-Policy, Retry-After, WWW-Authenticate, X-Request-Id, X-Total-Count';

/**
 * What pages in somebody's browser may do to the service. A browser carries requests of any page to
 * any address that it reaches, loopback too, and to a name that a page's own name server has pointed
 * there (DNS rebinding); where nobody is asked for a token, nothing else would stop them.
 */
export class Browsers {
  private readonly hosts: ReadonlySet<string>;
  private readonly anyHost: boolean;
  private readonly origins: ReadonlySet<string>;

  constructor({ allowedHosts, auth, corsOrigins, onLoopback }: Config) {
    this.hosts = new Set([...OWN_HOSTS, ...allowedHosts]);
    // Elsewhere a token is asked for, which no page has by itself: then every name will do.
    this.anyHost = !onLoopback && auth !== 'off' && allowedHosts.length === 0;
    this.origins = new Set(corsOrigins);
  }

  /** @throws Problem `misdirected_request` where the service was called by a name that is not its own */
  requireOwnHost(request: FastifyRequest): void {
    if (this.anyHost || this.hosts.has(nameOf(request.host))) return;
    // Balancers and orchestrators call by address, and learn nothing but that the service is there.
    if (request.url.startsWith('/health/')) return;
    throw new Problem(
      'misdirected_request',
      `The service is not called "${request.host.slice(0, 100)}"; ALLOWED_HOSTS lists the names that it has.`,
    );
  }

  /**
   * Refuses a write that another site's page sends, for a service that asks for no token. Programs
   * send neither of the two header fields.
   * @throws Problem `cross_site`
   */
  requireSameSite({ method, headers, host }: FastifyRequest): void {
    if (READS.has(method)) return;
    const { origin } = headers;
    const site = headers['sec-fetch-site'];
    if (origin === undefined && site === undefined) return;
    if (origin !== undefined && this.origins.has(origin)) return;
    // Another port of this machine is the same site, but may be anybody's.
    if (site !== undefined && site !== 'same-origin' && site !== 'none') {
      throw new Problem('cross_site');
    }
    if (site === undefined && hostOf(origin) !== host) throw new Problem('cross_site');
  }

  /**
   * Lets pages of the listed origins in (Fetch, section 3.2).
   * @returns the header fields that answer a preflight, where this is one
   */
  share(
    { method, headers }: FastifyRequest,
    reply: FastifyReply,
    methods: () => string[],
  ): Record<string, string> | undefined {
    if (this.origins.size === 0) return undefined;
    const { origin } = headers;
    reply.header('Vary', 'Origin');
    if (origin === undefined || !this.origins.has(origin)) return undefined;
    reply.header('Access-Control-Allow-Origin', origin);
    reply.header('Access-Control-Expose-Headers', READABLE);
    if (method !== 'OPTIONS' || !('access-control-request-method' in headers)) return undefined;
    return {
      'Access-Control-Allow-Methods': methods().join(', '),
      'Access-Control-Allow-Headers': SENDABLE,
      'Access-Control-Max-Age': '600',
    };
  }
}

/** A `Host` without its port, in lower case. */
function nameOf(host: string): string {
  const end = host.startsWith('[') ? host.indexOf(']') + 1 : host.indexOf(':');
  const port = end > 0 ? host.slice(end) : '';
  if (!/^(:\d*)?$/.test(port)) return '';
  return (end > 0 ? host.slice(0, end) : host).toLowerCase();
}

/** The host and port of an origin as `Host` has them; nothing for `null`. */
function hostOf(origin: string | undefined): string | undefined {
  return origin !== undefined && URL.canParse(origin) ? new URL(origin).host : undefined;
}
