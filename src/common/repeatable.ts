import type { FastifyRequest } from 'fastify';
import { createHash } from 'node:crypto';
import { accessOf } from './access';
import { Received } from './body';
import type { RouteSettings } from './route';
import type { Fault } from './problem';

/** A request that its client may repeat until it is answered, and is answered the same each time. */
export interface RepeatableRequest {
  /** Whose key it is; 0 without a token. */
  tokenId: number;
  key: string;
  /** SHA-256 of the request, in hexadecimal. */
  fingerprint: string;
  /** Whether its change was begun; a request is one change. */
  used?: boolean;
  /** Whether it was answered before, and has been given that answer. */
  replayed?: boolean;
}

declare module 'fastify' {
  interface FastifyRequest {
    repeatable?: RepeatableRequest;
  }
}

/** Whether a request brought a key, and may need one: only POST is not idempotent by itself. */
export const isRepeatable = ({ method, headers }: FastifyRequest): boolean =>
  method === 'POST' && headers['idempotency-key'] !== undefined;

/**
 * Reads the `Idempotency-Key` of a request.
 * @returns nothing where there is none, or where none is needed
 * @throws Problem where there is a body that cannot be read
 */
export function readKey(request: FastifyRequest): RepeatableRequest | Fault | undefined {
  const { url, body, headers } = request;
  if (!isRepeatable(request)) return undefined;
  const key = headers['idempotency-key'];
  if (typeof key !== 'string' || !/^[!-~]{1,255}$/.test(key)) {
    return {
      header: 'Idempotency-Key',
      code: 'invalid_key',
      detail: 'Idempotency-Key must be 1 to 255 visible ASCII characters',
    };
  }
  const { unrepeatable } = request.routeOptions.config as RouteSettings;
  if (unrepeatable) {
    return {
      header: 'Idempotency-Key',
      code: 'unrepeatable',
      detail: 'Idempotency-Key cannot be given where the answer must not be stored',
    };
  }
  const path = url.replace(/\/(?=\?|$)/, '');
  const fingerprint = createHash('sha256')
    .update(JSON.stringify([path, body instanceof Received ? body.members() : {}]))
    .digest('hex');
  return { tokenId: accessOf(request).tokenId, key, fingerprint };
}
