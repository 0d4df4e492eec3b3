import type { Agent } from 'node:http';
import { request } from 'node:http';
import { connect } from 'node:net';

/** A response with every header. */
export interface RawResponse {
  status: number;
  headers: Record<string, string>;
  text: string;
  bytes: Buffer;
  /** Milliseconds from the request to the end of the response. */
  ms: number;
}

export interface SendOptions {
  method?: string;
  headers?: Record<string, string>;
  body?: string | Buffer;
  /** Keeps connections for many requests; without it each request has its own. */
  agent?: Agent;
  /** Local address of the connection. */
  localAddress?: string;
  /** Milliseconds after which a request without a complete response fails. */
  timeout?: number;
  /** Discards the body of a successful response. */
  discard?: boolean;
}

/** Message of the error if the connection was not accepted, so that the server never got the request. */
export const NOT_ACCEPTED = 'the connection was not accepted';

/** Sends one request without normalizing its path, and never retries it. */
export function send(url: string, options: SendOptions = {}): Promise<RawResponse> {
  const { method = 'GET', body, agent = false, timeout = 30_000, localAddress } = options;
  const [, origin = '', path = ''] = /^(https?:\/\/[^/]+)(.*)$/s.exec(url) ?? [];
  const { hostname, port } = new URL(origin);
  const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
  const start = performance.now();
  return new Promise((resolve, reject) => {
    const outgoing = request(
      {
        hostname: hostname.replace(/^\[(.*)\]$/, '$1'),
        port,
        method,
        // Encodes only characters that a request line cannot contain.
        path: path.replace(/[^\x21-\x7e]+/g, encodeURIComponent) || '/',
        headers: { ...length, ...options.headers },
        agent,
        localAddress,
      },
      (incoming) => {
        const { statusCode: status = 0 } = incoming;
        const discard = options.discard === true && status < 400;
        const chunks: Buffer[] = [];
        incoming.on('data', (chunk: Buffer) => discard || chunks.push(chunk));
        incoming.once('error', () => fail(new Error('the response broke off')));
        incoming.once('end', () => {
          clearTimeout(timer);
          const headers = Object.entries(incoming.headers).map(([name, value]) => [
            name,
            String(value),
          ]);
          const bytes = Buffer.concat(chunks);
          resolve({
            status,
            headers: Object.fromEntries(headers) as Record<string, string>,
            text: bytes.toString(),
            bytes,
            ms: performance.now() - start,
          });
        });
      },
    );
    const fail = (error: Error & { code?: string }): void => {
      clearTimeout(timer);
      const unseen = !outgoing.reusedSocket && /^ECONN(REFUSED|RESET)$/.test(error.code ?? '');
      // System errors come from outside jest's realm: `instanceof Error` is false for them.
      reject(new Error(unseen ? NOT_ACCEPTED : (error.code ?? error.message), { cause: error }));
    };
    const timer = setTimeout(
      () => outgoing.destroy(new Error(`${method} ${path}: no response in ${timeout} ms`)),
      timeout,
    );
    outgoing.once('error', fail);
    outgoing.end(body);
  });
}

/**
 * Writes bytes that need not be HTTP, and reads until the server closes the connection.
 * @param rest bytes to write when the response has begun
 */
export function sendBytes(url: string, bytes: string, rest = ''): Promise<RawResponse> {
  const { hostname, port } = new URL(url);
  const start = performance.now();
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname.replace(/^\[(.*)\]$/, '$1'));
    let received = '';
    socket.setEncoding('latin1');
    socket.on('data', (part: string) => (received += part));
    if (rest !== '') socket.once('data', () => socket.write(rest, 'latin1'));
    socket.on('error', reject);
    socket.on('close', () => {
      const [head = '', ...rest] = received.split('\r\n\r\n');
      const [first = '', ...lines] = head.split('\r\n');
      const text = rest.join('\r\n\r\n');
      resolve({
        status: Number(first.split(' ')[1]),
        headers: Object.fromEntries(
          lines.map((line) => {
            const at = line.indexOf(':');
            return [line.slice(0, at).toLowerCase(), line.slice(at + 1).trim()];
          }),
        ),
        text,
        bytes: Buffer.from(text, 'latin1'),
        ms: performance.now() - start,
      });
    });
    socket.write(bytes, 'latin1');
  });
}
