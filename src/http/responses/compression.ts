import compress from '@fastify/compress';
import type { FastifyInstance } from 'fastify';
import { compressedTag } from './etag';
import { vary } from './formats';

/** Minimum bytes of a compressed response: compressing 25 kB takes 1.1 ms of processor time. */
const THRESHOLD = 16 * 1024;

/** All text types, except streams of events, which compression would delay. */
const TYPES = /^text\/(?!event-stream)|[/+](?:json|xml)(?:;|$)|x-ndjson/;

/**
 * Compresses long responses, streams too, for clients that send `Accept-Encoding: gzip`. The compressed
 * form has an entity tag of its own (RFC 9110, section 8.8.3.3); conditions accept both tags.
 */
export async function compressLongResponses(server: FastifyInstance): Promise<void> {
  await server.register(compress, {
    encodings: ['gzip'],
    threshold: THRESHOLD,
    customTypes: TYPES,
    globalDecompression: false,
  });
  server.addHook('onSend', (_request, reply, payload, done) => {
    const isLong =
      typeof payload === 'string' || Buffer.isBuffer(payload)
        ? Buffer.byteLength(payload) >= THRESHOLD
        : payload !== null && payload !== undefined;
    // A 304 has the `Vary` of the 200 that it replaces (RFC 9110, section 15.4.5), which may be long.
    const mayBeLong = isLong || reply.statusCode === 304;
    if (mayBeLong && TYPES.test(String(reply.getHeader('content-type')))) {
      // In lower case, so that @fastify/compress finds it and does not add its own.
      vary(reply, 'accept-encoding');
    }
    done(null, payload);
  });
  // The hooks of a route run after those of the server, so the plugin has compressed the payload by then.
  server.addHook('onRoute', (route) => {
    const hooks = [route.onSend ?? []].flat();
    route.onSend = [
      ...hooks,
      (request, reply, payload, done) => {
        const etag = reply.getHeader('etag') as string | undefined;
        const isCompressed = reply.getHeader('content-encoding') === 'gzip';
        const isKnown = reply.statusCode === 304;
        if (etag !== undefined && (isCompressed || isKnown)) {
          const tag = compressedTag(etag);
          const wanted = request.headers['if-none-match'];
          if (isCompressed || wanted?.includes(tag)) reply.header('ETag', tag);
        }
        if (!isKnown) {
          done(null, payload);
          return;
        }
        // Fastify adds the length 0, which 304 must not have (RFC 9110, section 8.6).
        reply.removeHeader('content-length');
        done(null, null);
      },
    ];
  });
}
