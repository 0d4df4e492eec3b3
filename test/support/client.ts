import { Agent } from 'node:http';
import { conforms } from './conformance';
import { send } from './http';

/** A complete response. */
export interface Answer<T = any> {
  status: number;
  headers: Headers;
  body: T;
  text: string;
  bytes: Buffer;
  /** Milliseconds from the request to the end of the response. */
  ms: number;
}

/** The URL of the next page of a list (RFC 8288); undefined on the last one. */
export const nextPage = ({ headers }: Pick<Answer, 'headers'>): string | undefined =>
  /^<([^>]+)>; rel="next"$/.exec(headers.get('link') ?? '')?.[1];

export interface CallOptions {
  headers?: Record<string, string>;
  /** Sent as a form. */
  form?: string | Record<string, string>;
  /** Sent as it is. */
  raw?: string | Buffer;
  /** Does not compare the response with the OpenAPI document. */
  undocumented?: boolean;
  /** Milliseconds after which the call fails. */
  timeout?: number;
}

export interface ClientOptions {
  /** Sent with every call. */
  headers?: Record<string, string>;
  /** Maximum number of concurrent connections. */
  connections?: number;
  /** Compares no response with the OpenAPI document; for tests that make many calls. */
  undocumented?: boolean;
  /** Discards the bodies of successful responses. */
  discard?: boolean;
  /** Local address of the connections. */
  localAddress?: string;
}

/**
 * Calls the service over HTTP and compares each response with the OpenAPI document. It never retries a
 * call.
 */
export class Client {
  private readonly agent: Agent;

  constructor(
    readonly url: string,
    private readonly options: ClientOptions = {},
    agent?: Agent,
  ) {
    const { connections = 256, localAddress } = options;
    this.agent = agent ?? new Agent({ keepAlive: true, maxSockets: connections, localAddress });
  }

  /** Headers of every call. */
  get headers(): Record<string, string> {
    return { ...this.options.headers };
  }

  /** Returns a client on the same connections with additional headers in every call. */
  with(headers: Record<string, string>): Client {
    const all = { ...this.options.headers, ...headers };
    return new Client(this.url, { ...this.options, headers: all }, this.agent);
  }

  get<T = any>(path: string, options?: CallOptions): Promise<Answer<T>> {
    return this.call('GET', path, undefined, options);
  }

  post<T = any>(path: string, body?: unknown, options?: CallOptions): Promise<Answer<T>> {
    return this.call('POST', path, body, options);
  }

  put<T = any>(path: string, body?: unknown, options?: CallOptions): Promise<Answer<T>> {
    return this.call('PUT', path, body, options);
  }

  patch<T = any>(path: string, body?: unknown, options?: CallOptions): Promise<Answer<T>> {
    return this.call('PATCH', path, body, options);
  }

  delete<T = any>(path: string, options?: CallOptions): Promise<Answer<T>> {
    return this.call('DELETE', path, undefined, options);
  }

  /** @throws Error if there is no complete response */
  async call<T = any>(
    method: string,
    path: string,
    body?: unknown,
    options: CallOptions = {},
  ): Promise<Answer<T>> {
    const { timeout } = options;
    const { form, raw = form && new URLSearchParams(form).toString() } = options;
    const { discard, undocumented = options.undocumented } = this.options;
    const isJson = body !== undefined && raw === undefined;
    const response = await send(this.url + path, {
      method,
      agent: this.agent,
      timeout,
      discard,
      headers: {
        ...(isJson && { 'content-type': 'application/json' }),
        ...(form !== undefined && { 'content-type': 'application/x-www-form-urlencoded' }),
        ...this.options.headers,
        ...options.headers,
      },
      body: isJson ? JSON.stringify(body) : raw,
    });
    const { status, text, bytes, ms } = response;
    const headers = new Headers(response.headers);
    const parses = /[/+]json/.test(headers.get('content-type') ?? '') && text !== '';
    const read = (parses ? JSON.parse(text) : text) as T;
    const answer = { status, headers, body: read, text, bytes, ms };
    if (!undocumented) conforms(method, path, answer);
    return answer;
  }

  /** Closes the connections; calls without a response fail. */
  close(): void {
    this.agent.destroy();
  }
}
