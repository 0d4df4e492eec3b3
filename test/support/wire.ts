import type { Agent, IncomingMessage } from 'node:http';
import { request } from 'node:http';
import { connect } from 'node:net';

/** An answer as it came over the wire, header fields that `fetch` would not show included. */
export interface WireAnswer {
  status: number;
  headers: Record<string, string>;
  text: string;
}

/** A request with whatever header fields; `fetch` sets some by itself. */
export function send(
  url: string,
  options: {
    method?: string;
    headers?: Record<string, string>;
    body?: string;
    /** Keeps connections for many requests; without it each has its own. */
    agent?: Agent;
  } = {},
): Promise<WireAnswer> {
  return new Promise((resolve, reject) => {
    const { method = 'GET', headers = {}, body, agent = false } = options;
    const call = request(url, { method, headers, agent }, (response) => {
      read(response).then(resolve, reject);
    });
    call.on('error', reject);
    call.end(body);
  });
}

/** Writes bytes that need not be HTTP, and reads what comes back until the connection is closed. */
export function sendBytes(url: string, bytes: string): Promise<WireAnswer> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname.replace(/^\[(.*)\]$/, '$1'));
    let received = '';
    socket.setEncoding('latin1');
    socket.on('data', (part: string) => (received += part));
    socket.on('error', reject);
    socket.on('close', () => {
      const [head = '', ...rest] = received.split('\r\n\r\n');
      const [start = '', ...lines] = head.split('\r\n');
      resolve({
        status: Number(start.split(' ')[1]),
        headers: Object.fromEntries(
          lines.map((line) => {
            const at = line.indexOf(':');
            return [line.slice(0, at).toLowerCase(), line.slice(at + 1).trim()];
          }),
        ),
        text: rest.join('\r\n\r\n'),
      });
    });
    socket.write(bytes, 'latin1');
  });
}

/** A request as it is: nothing of its path is made right. Fails where no answer comes in 5 s. */
export function sendExactly(
  url: string,
  call: {
    method: string;
    path: string;
    headers?: Record<string, string>;
    body?: string | Buffer;
  },
): Promise<WireAnswer> {
  const { hostname, port } = new URL(url);
  const { method, path, body } = call;
  const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
  return new Promise((resolve, reject) => {
    const sent = request(
      {
        hostname,
        port,
        method,
        // Only what no request line can hold is encoded.
        path: path.replace(/[^\x21-\x7e]+/g, encodeURIComponent),
        headers: { ...length, ...call.headers },
        timeout: 5000,
      },
      (response) => {
        read(response).then(resolve, reject);
      },
    );
    sent.on('timeout', () => sent.destroy(new Error(`${method} ${path} was not answered`)));
    sent.on('error', reject);
    sent.end(body);
  });
}

async function read(response: IncomingMessage): Promise<WireAnswer> {
  let text = '';
  response.setEncoding('utf8');
  for await (const part of response) text += part as string;
  const headers = Object.entries(response.headers).map(([name, value]) => [name, String(value)]);
  return {
    status: response.statusCode ?? 0,
    headers: Object.fromEntries(headers) as Record<string, string>,
    text,
  };
}
