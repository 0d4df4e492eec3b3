import createClient from 'openapi-fetch';
import { noteTime } from '../util/calendar';
import { errorOf, isUnauthorized } from './problem';
import type { paths } from './schema';
import type { NewSprint, NewStory, Sprint, Story } from './types';

/** Called for each 401. */
export const onUnauthorized: { call: () => void } = { call: () => undefined };

/** Throws the error of an unsuccessful response. Calls `onUnauthorized` before it throws a 401. */
export async function throwErrorOf(response: Response): Promise<never> {
  const error = await errorOf(response);
  if (isUnauthorized(error)) onUnauthorized.call();
  throw error;
}

/** Milliseconds in which a response must arrive. The service ends the work of a request after a few seconds. */
const TIMEOUT_MS = 30_000;

const timeout = (): RequestInit => ({ signal: AbortSignal.timeout(TIMEOUT_MS) });

/**
 * The REST interface, typed by openapi.json. A response that is not successful is thrown as `ApiError`;
 * a request that gets no response rejects with an error for which `isDisconnected` is true.
 */
export const api = createClient<paths>({
  baseUrl: '',
  fetch: (request) => fetch(request, timeout()),
});

/** The time of the last write outside the change queue, which knows each of its changes. */
export const lastWrite = { at: -Infinity };

/** The value of `If-Match` that requires that the board exists. */
const EXISTS = '*';

const noteWrite = (request: Request, path: string): void => {
  const isOfQueue = /stor|task/.test(path) || request.headers.get('If-Match') === EXISTS;
  if (request.method !== 'GET' && !isOfQueue) lastWrite.at = performance.now();
};

/** Rejects an empty response as lost: only a deletion has one, and the page would use `undefined` as its data. */
function requireBody({ method }: Request, { status, headers }: Response): void {
  const isEmpty = status === 204 || headers.get('Content-Length') === '0';
  if (isEmpty && method !== 'DELETE') throw new TypeError('The response is empty.');
}

api.use({
  onRequest: ({ request, schemaPath }) => noteWrite(request, schemaPath),
  async onResponse({ request, response, schemaPath }) {
    noteWrite(request, schemaPath);
    noteTime(response);
    if (response.ok) requireBody(request, response);
    if (response.ok || response.status === 304) return;
    // The form that signs in shows its own error.
    if (schemaPath === '/api/session') throw await errorOf(response);
    return throwErrorOf(response);
  },
});

/** The headers of a response that the state needs. */
export interface ResponseHeaders {
  etag: string;
  /** The revision of the board in the body; 0 if the response has none. */
  revision: number;
}

export const headersOf = ({ headers }: Response): ResponseHeaders => ({
  etag: headers.get('ETag') ?? '',
  revision: Number(headers.get('X-Board-Revision') ?? 0),
});

/**
 * Creates a story in the backlog, or a sprint. If the board was renamed or deleted, a plain POST would create
 * another board with its former name.
 */
export async function createOn<T extends Story | Sprint>(
  board: string,
  operation: { type: 'story'; set: NewStory } | { type: 'sprint'; set: NewSprint },
  key: string,
): Promise<{ data: T; response: Response }> {
  // Only the change queue creates stories, and it knows its own changes.
  const note = (): void => {
    if (operation.type === 'sprint') lastWrite.at = performance.now();
  };
  note();
  const { data, response } = await api.POST('/api/boards/{board_name}/batch', {
    params: {
      path: { board_name: board },
      header: { 'Idempotency-Key': key, 'If-Match': EXISTS },
    },
    body: { operations: [{ op: 'create', ...operation }] },
  });
  note();
  const [result] = (data as { results: unknown[] }).results;
  const { op: _op, type: _type, ...row } = result as T & { op: string; type: string };
  return { data: row as unknown as T, response };
}

/** Requests a picture of a report, and resolves with the text of the SVG. */
export async function requestPicture(path: string): Promise<string> {
  const response = await fetch(path, { headers: { Accept: 'image/svg+xml' }, ...timeout() });
  return response.ok ? response.text() : throwErrorOf(response);
}
