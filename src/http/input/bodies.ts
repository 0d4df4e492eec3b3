import type { FastifyInstance, FastifyRequest, preParsingHookHandler } from 'fastify';
import type { IncomingHttpHeaders } from 'node:http';
import { Readable } from 'node:stream';
import type { Config } from '../../config/config';
import { setBodyTimeout } from '../limits/body-timeout';
import { Problem } from '../problem';
import { excessOf, MAX_VALUES, tooDeep, tooManyValues } from './body-limits';
import { parseForm } from './form';
import { mediaTypeOf } from './media-type';
import { Upload } from './upload';

/** Maximum bytes of a body that needs no authentication: it only contains the token of a sign-in. */
const MAX_ANONYMOUS_BODY = 4096;

const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Parses JSON and forms in UTF-8; every other content type is rejected with 415. The handler of a route
 * with `file: true` reads the body itself, as it arrives.
 */
export function parseBodies(server: FastifyInstance, config: Config): void {
  server.removeAllContentTypeParsers();
  const leaveBody: preParsingHookHandler = (request, _reply, _payload, done) => {
    const allow = (ms: number): void => setBodyTimeout(server, request.raw, ms);
    allow(config.uploadTimeoutMs);
    request.upload = new Upload(request, config.requestTimeoutMs, allow);
    done(null, emptyBodyOf(request));
  };
  const { bodyLimit = 0 } = server.initialConfig;
  server.addHook('onRoute', (route) => {
    const { file, bodyFactor, anonymous } = route.config ?? {};
    if (anonymous) route.bodyLimit = MAX_ANONYMOUS_BODY;
    if (bodyFactor) route.bodyLimit = bodyFactor * bodyLimit;
    if (!file) return;
    route.preParsing = leaveBody;
    route.bodyLimit = Number.MAX_SAFE_INTEGER;
  });
  server.addContentTypeParser('*', { parseAs: 'buffer' }, (request, body, done) => {
    const { bodyFactor = 1 } = request.routeOptions.config;
    done(null, parseBody(request.headers, body as Buffer, bodyFactor * MAX_VALUES));
  });
}

/** An empty stream for the parser instead of the body; Fastify compares its length with the header. */
const emptyBodyOf = ({ headers }: FastifyRequest): Readable & { receivedEncodedLength: number } =>
  Object.assign(Readable.from([]), {
    receivedEncodedLength: Number(headers['content-length'] ?? 0),
  });

/**
 * Parses a body. If that fails, it returns a `Problem` instead of throwing one: the validation pipe throws it, after
 * the guards, so that 401 and 403 take precedence.
 */
function parseBody(headers: IncomingHttpHeaders, body: Buffer, maxValues: number): unknown {
  // A content type without content is not an error: many clients send one with every DELETE.
  if (body.length === 0) return undefined;
  const mediaType = mediaTypeOf(headers);
  const isForm = mediaType === 'application/x-www-form-urlencoded';
  if (!isForm && mediaType !== 'application/json') {
    return new Problem('unsupported_media_type');
  }
  try {
    const text = utf8.decode(body);
    // curl -d '{"title": …}' sends JSON as a form. No field's name begins with a brace or bracket.
    if (isForm && /^\s*[{[]/.test(text)) {
      const detail = 'The form looks like JSON; send Content-Type: application/json.';
      return new Problem('malformed_body', detail);
    }
    // The number of values is checked before the body is parsed: a form of 1 MiB may have 520,000.
    if (isForm) {
      if (text.split('&', MAX_VALUES + 1).length > MAX_VALUES) return tooManyValues();
      return parseForm(text, { emptyIsNull: true });
    }
    const excess = excessOf(text, maxValues);
    if (excess) return excess === 'too_deep' ? tooDeep() : tooManyValues(maxValues);
    return JSON.parse(text) as unknown;
  } catch {
    const detail = `The body is not ${isForm ? 'a form' : 'JSON'} in UTF-8.`;
    return new Problem('malformed_body', detail);
  }
}
