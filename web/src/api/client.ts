import createClient from 'openapi-fetch';
import { errorOf } from './problem';
import type { paths } from './schema';

/** Called for each 401: the sign-in view registers itself here. */
export const onUnauthorized: { call: () => void } = { call: () => undefined };

/**
 * The REST interface, typed by openapi.json. A response that is not successful is thrown as `ApiError`;
 * a request that gets no response rejects with a TypeError.
 */
export const api = createClient<paths>({ baseUrl: '' });

api.use({
  async onResponse({ response }) {
    if (response.ok || response.status === 304) return;
    if (response.status === 401) onUnauthorized.call();
    throw await errorOf(response);
  },
});

/** What a response says besides its body. */
export interface Told {
  etag: string;
  /** The revision of the board that the body is of; 0 where the service does not tell it. */
  revision: number;
}

export const told = ({ headers }: Response): Told => ({
  etag: headers.get('ETag') ?? '',
  revision: Number(headers.get('X-Board-Revision') ?? 0),
});

/** For the few routes that openapi.json does not describe. */
export async function request<T>(path: string, init?: RequestInit): Promise<T> {
  const response = await fetch(path, init);
  if (!response.ok) throw await errorOf(response);
  return (await response.json()) as T;
}

/** A picture of a report, as the text of an SVG. */
export async function requestPicture(path: string): Promise<string> {
  const response = await fetch(path, { headers: { Accept: 'image/svg+xml' } });
  if (response.status === 401) onUnauthorized.call();
  if (!response.ok) throw await errorOf(response);
  return response.text();
}
