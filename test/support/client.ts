import { setTimeout as sleep } from 'node:timers/promises';
import { conforms } from './conformance';

/** An answer, read whole. */
export interface Answer<T = any> {
  status: number;
  headers: Headers;
  body: T;
  text: string;
}

export interface CallOptions {
  headers?: Record<string, string>;
  /** Sent as a form. */
  form?: string | Record<string, string>;
  /** Sent as it is. */
  raw?: string | Buffer;
  /** Answers that the document does not know are expected here. */
  undocumented?: boolean;
}

/** Calls the service over real HTTP, and holds every answer against the OpenAPI document. */
export class Client {
  constructor(
    readonly url: string,
    private readonly headers: Record<string, string> = {},
  ) {}

  /** The same client with header fields that go with every call. */
  with(headers: Record<string, string>): Client {
    return new Client(this.url, { ...this.headers, ...headers });
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

  async call<T = any>(
    method: string,
    path: string,
    body?: unknown,
    options: CallOptions = {},
  ): Promise<Answer<T>> {
    const headers = new Headers({ ...this.headers });
    let content: string | Buffer | URLSearchParams | undefined;
    if (options.raw !== undefined) content = options.raw;
    else if (options.form !== undefined) content = new URLSearchParams(options.form);
    else if (body !== undefined) {
      headers.set('content-type', 'application/json');
      content = JSON.stringify(body);
    }
    for (const [name, value] of Object.entries(options.headers ?? {})) headers.set(name, value);
    const response = await this.patiently(() =>
      fetch(this.url + path, {
        method,
        headers,
        body: content as RequestInit['body'],
        redirect: 'manual',
      }),
    );
    const text = await response.text();
    const json = /json/.test(response.headers.get('content-type') ?? '');
    const answer: Answer<T> = {
      status: response.status,
      headers: response.headers,
      body: (json && text !== '' ? JSON.parse(text) : text) as T,
      text,
    };
    if (!options.undocumented) conforms(method, path, answer);
    return answer;
  }

  /**
   * A machine that is busy with other things may be too slow for a crowd of requests; who is told so
   * has changed nothing, and comes again.
   */
  private async patiently(send: () => Promise<Response>): Promise<Response> {
    for (let tries = 1; ; tries += 1) {
      const response = await send();
      if (response.status !== 503 || tries === 50) return response;
      const { code } = (await response.clone().json()) as { code?: string };
      if (code !== 'overloaded') return response;
      await response.arrayBuffer();
      await sleep(20 * tries);
    }
  }
}
