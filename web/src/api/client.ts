import createClient from 'openapi-fetch';
import { errorOf } from './problem';
import type { paths } from './schema';

/** Called for each 401. */
export const onUnauthorized: { call: () => void } = { call: () => undefined };

/**
 * The REST interface, typed by openapi.json. A response that is not successful is thrown as `ApiError`;
 * a request that gets no response rejects with a TypeError.
 */
export const api = createClient<paths>({ baseUrl: '' });

/** When this page last changed something without the queue of the board, whose changes are known one by one. */
export const lastWrite = { at: -Infinity };

const noteWrite = (request: Request, path: string): void => {
  if (request.method !== 'GET' && !/stor|task|backlog/.test(path)) lastWrite.at = performance.now();
};

api.use({
  onRequest: ({ request, schemaPath }) => noteWrite(request, schemaPath),
  async onResponse({ request, response, schemaPath }) {
    noteWrite(request, schemaPath);
    if (response.ok || response.status === 304) return;
    // Signing in says itself what is wrong.
    if (response.status === 401 && schemaPath !== '/api/session') onUnauthorized.call();
    throw await errorOf(response);
  },
});

/** The headers of a response that the state needs. */
export interface ResponseHeaders {
  etag: string;
  /** The revision of the board that the body is of; 0 if the response has none. */
  revision: number;
}

export const headersOf = ({ headers }: Response): ResponseHeaders => ({
  etag: headers.get('ETag') ?? '',
  revision: Number(headers.get('X-Board-Revision') ?? 0),
});

/** A picture of a report, as the text of an SVG. */
export async function requestPicture(path: string): Promise<string> {
  const response = await fetch(path, { headers: { Accept: 'image/svg+xml' } });
  if (response.status === 401) onUnauthorized.call();
  if (!response.ok) throw await errorOf(response);
  return response.text();
}
