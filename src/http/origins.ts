import cors from '@fastify/cors';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Config } from '../config/config';
import { OPEN } from './access';
import { Problem } from './problem';

const OWN_HOSTS = ['localhost', '127.0.0.1', '[::1]'];
const READS = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Headers that pages of other origins may send, and those that they may read. */
const SENDABLE = [
  'Authorization',
  'Content-Type',
  'Idempotency-Key',
  'If-Match',
  'If-None-Match',
  'X-Request-Id',
];
const READABLE = [
  'ETag',
  'Idempotent-Replayed',
  'Link',
  'Location',
  'RateLimit',
  'RateLimit-Policy',
  'Retry-After',
  'WWW-Authenticate',
  'X-Request-Id',
  'X-Total-Count',
];

/**
 * Protects a service that asks for no token against pages in a browser on the same machine: a browser
 * sends the requests of any page to any address, also to a name whose owner has pointed it to loopback
 * (DNS rebinding).
 */
export class Origins {
  private readonly hosts: ReadonlySet<string>;
  private readonly anyHost: boolean;
  private readonly origins: ReadonlySet<string>;

  constructor({ allowedHosts, auth, corsOrigins, onLoopback }: Config) {
    this.hosts = new Set([...OWN_HOSTS, ...allowedHosts]);
    // Elsewhere a token is asked for, which no page has, so any name will do.
    this.anyHost = !onLoopback && auth !== 'off' && allowedHosts.length === 0;
    this.origins = new Set(corsOrigins);
  }

  /** @throws Problem `misdirected_request` where the host is none of the service's names */
  requireOwnHost(request: FastifyRequest): void {
    if (this.anyHost || this.hosts.has(nameOf(request.host))) return;
    // Balancers and orchestrators call these by address.
    if (request.url.startsWith('/health/')) return;
    throw new Problem(
      'misdirected_request',
      `The service is not called "${request.host.slice(0, 100)}"; ALLOWED_HOSTS lists the names that it has.`,
    );
  }

  /** @throws Problem `cross_site` for a change that another site's page sends */
  requireSameSite({ method, headers, host, access }: FastifyRequest): void {
    if (access !== OPEN || READS.has(method)) return;
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
}

/** Lets pages of CORS_ORIGINS call the service; without one there is no CORS. */
export async function shareWithOrigins(
  server: FastifyInstance,
  { corsOrigins }: Config,
  methodsAt: (url: string) => string[],
): Promise<void> {
  if (corsOrigins.length === 0) return;
  await server.register(cors, {
    hook: 'onRequest',
    delegator: (request: FastifyRequest, done: (error: Error | null, options: object) => void) =>
      done(null, {
        origin: corsOrigins,
        methods: methodsAt(request.url),
        allowedHeaders: SENDABLE,
        exposedHeaders: READABLE,
        maxAge: 600,
        strictPreflight: false,
      }),
  });
}

/** A `Host` without its port, in lower case. */
function nameOf(host: string): string {
  const end = host.startsWith('[') ? host.indexOf(']') + 1 : host.indexOf(':');
  const port = end > 0 ? host.slice(end) : '';
  if (!/^(:\d*)?$/.test(port)) return '';
  return (end > 0 ? host.slice(0, end) : host).toLowerCase();
}

/** The host and port of an origin as `Host` has them; undefined for `null`. */
function hostOf(origin: string | undefined): string | undefined {
  return origin !== undefined && URL.canParse(origin) ? new URL(origin).host : undefined;
}
