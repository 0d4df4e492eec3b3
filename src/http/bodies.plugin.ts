import type { FastifyInstance } from 'fastify';
import type { IncomingHttpHeaders } from 'node:http';
import { parseForm } from './form';
import { Problem } from './problem';
import type { RouteSettings } from './route';
import { UnreadableBody } from './unreadable-body';

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Parses JSON and forms in UTF-8; every other content type is rejected with 415. */
export function parseBodies(server: FastifyInstance): void {
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('*', { parseAs: 'buffer' }, (request, body, done) => {
    done(null, parseBody(request.headers, body as Buffer));
  });
  const { bodyLimit = 0 } = server.initialConfig;
  server.addHook('onRoute', (route) => {
    const { bodyFactor } = (route.config ?? {}) as RouteSettings;
    if (bodyFactor) route.bodyLimit = bodyFactor * bodyLimit;
  });
}

function parseBody(headers: IncomingHttpHeaders, body: Buffer): unknown {
  // A content type without content is not an error: many clients send one with every DELETE.
  if (body.length === 0) return undefined;
  const [mediaType = '', ...parameters] = (headers['content-type'] ?? '')
    .toLowerCase()
    .split(';')
    .map((part) => part.trim());
  const charset = parameters
    .find((parameter) => parameter.startsWith('charset='))
    ?.replace(/^charset="?([^"]*)"?$/, '$1');
  const isForm = mediaType === 'application/x-www-form-urlencoded';
  if (
    (!isForm && mediaType !== 'application/json') ||
    !['utf-8', 'utf8', undefined].includes(charset) ||
    !['identity', undefined].includes(headers['content-encoding'])
  ) {
    return new UnreadableBody(new Problem('unsupported_media_type'));
  }
  try {
    const text = utf8.decode(body);
    // curl -d '{"title": …}' without a header: no field has a name that begins like JSON.
    if (isForm && /^\s*[{[]/.test(text)) {
      const detail = 'The form looks like JSON; send Content-Type: application/json.';
      return new UnreadableBody(new Problem('malformed_body', detail));
    }
    return isForm ? parseForm(text, { emptyIsNull: true }) : (JSON.parse(text) as unknown);
  } catch {
    const detail = `The body is not ${isForm ? 'a form' : 'JSON'} in UTF-8.`;
    return new UnreadableBody(new Problem('malformed_body', detail));
  }
}
