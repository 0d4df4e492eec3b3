import type { FastifyReply, FastifyRequest } from 'fastify';
import { isIPv6 } from 'node:net';

/**
 * Returns the key that identifies a client for limits: the token of a request, or else the network of its
 * address.
 */
export const clientKeyOf = ({ access, ip }: Pick<FastifyRequest, 'access' | 'ip'>): string =>
  access && access.tokenId > 0 ? `token ${access.tokenId}` : networkOf(ip);

/** A client that reads, and a signal that is aborted when it disconnects. */
export interface Client {
  /** See `clientKeyOf`. */
  key: string;
  signal?: AbortSignal;
}

/** The client of a response. Its signal is created when it is read, because most requests do not need it. */
class ConnectedClient implements Client {
  private created?: AbortSignal;

  constructor(
    readonly key: string,
    private readonly response: FastifyReply['raw'],
  ) {}

  get signal(): AbortSignal {
    return (this.created ??= signalOf(this.response));
  }
}

export const connectedClient = ({ request, raw }: Pick<FastifyReply, 'request' | 'raw'>): Client =>
  new ConnectedClient(clientKeyOf(request), raw);

/** A signal of the connection. (Fastify's `request.signal` is aborted as soon as a chunked body has arrived.) */
function signalOf(response: FastifyReply['raw']): AbortSignal {
  const connection = new AbortController();
  const abort = (): void => {
    // A response is closed when it is sent, too.
    if (!response.writableFinished) connection.abort();
  };
  // If the connection is closed already, no `close` follows.
  if (response.destroyed) abort();
  else response.once('close', abort);
  return connection.signal;
}

/** Returns the network of an address: of an IPv6 address, the /64 network, which has one owner. */
export function networkOf(address = ''): string {
  // Some proxies write the port of the client into X-Forwarded-For.
  const [, v4] = /^(?:::ffff:)?(\d+\.\d+\.\d+\.\d+)(?::\d+)?$/i.exec(address) ?? [];
  if (v4 !== undefined) return v4;
  const v6 = address.replace(/^\[(.*)\](?::\d+)?$/, '$1').toLowerCase();
  if (!isIPv6(v6)) return address;
  const [head = '', tail] = v6.split('::');
  const groups = head === '' ? [] : head.split(':');
  const rest = tail === undefined || tail === '' ? [] : tail.split(':');
  if (tail !== undefined) groups.push(...Array<string>(8 - groups.length - rest.length).fill('0'));
  return `${[...groups, ...rest].slice(0, 4).join(':')}::/64`;
}
