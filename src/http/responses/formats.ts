import accepts from 'accepts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { Pace } from '../../time/pace';
import { Problem } from '../problem';
import type { Format, Formats, Writing } from '../route';
import { MEDIA_TYPES } from '../route';
import { etagOf, notModified, REPRESENTATION } from './etag';

const PARAMETERS: Record<Format, string> = {
  json: '; charset=utf-8',
  // RFC 4180, section 3.
  csv: '; charset=utf-8; header=present',
  svg: '; charset=utf-8',
  png: '',
};

export const contentTypeOf = (format: Format): string => MEDIA_TYPES[format] + PARAMETERS[format];

/** Adds a request header to `Vary` (RFC 9110, section 12.5.5), once. */
export function vary(reply: FastifyReply, header: string): void {
  const others = String(reply.getHeader('Vary') ?? '');
  if (others.toLowerCase().split(', ').includes(header.toLowerCase())) return;
  reply.header('Vary', others === '' ? header : `${others}, ${header}`);
}

/**
 * Returns the format of a response: `?format=`, else the best match of `Accept`.
 * @throws Problem `not_acceptable`
 */
export function formatOf(request: FastifyRequest, formats: Formats): Format {
  const { format } = request.query as { format?: Format };
  // The validation pipe rejects other values.
  if (format !== undefined) return format;
  const offered = Object.keys(formats) as Format[];
  const type = requireAcceptable(
    request,
    offered.map((each) => MEDIA_TYPES[each]),
  );
  return offered.find((each) => MEDIA_TYPES[each] === type) as Format;
}

/**
 * Returns the best match of `Accept` among the media types of a route (RFC 9110, section 12.5.1). Parameters
 * are ignored: every response is in UTF-8.
 * @throws Problem `not_acceptable`
 */
export function requireAcceptable({ headers }: FastifyRequest, types: readonly string[]): string {
  if (headers.accept === undefined || headers.accept === '*/*') return types[0] as string;
  const accept = headers.accept
    .replace(/;\s*(?!q=)[\w-]+=("[^"]*"|[^;,]*)/gi, '')
    // Only parameters contain quotes. `accepts` takes quadratic time for them: at each comma it counts all before it.
    .replaceAll('"', '');
  const best = accepts({ headers: { accept } } as IncomingMessage).type([...types]);
  if (typeof best !== 'string') {
    const detail = `The resource has no format that \`Accept\` allows; it has ${types.join(', ')}.`;
    throw new Problem('not_acceptable', detail);
  }
  return best;
}

/**
 * Whether a browser requests a path outside the API that does not exist. Its response is the page instead of a problem,
 * and needs no token.
 */
export const isMissingPage = ({ is404, method, url, headers }: FastifyRequest): boolean =>
  is404 &&
  method === 'GET' &&
  headers.accept?.includes('text/html') === true &&
  !/^\/api\b/.test(url);

/** Writes a body in the requested format; a long one is streamed. */
export async function writeFormat(
  request: FastifyRequest,
  reply: FastifyReply,
  body: unknown,
): Promise<string | Buffer | Readable> {
  const { formats = {} } = request.routeOptions.config;
  const format = formatOf(request, formats);
  const { write, tagged, headers = {} } = formats[format] as Writing;
  reply.type(contentTypeOf(format)).headers(headers);
  const text = await write(body as never, request);
  if (typeof text === 'string') {
    const part = tagged?.(body as never);
    if (part) reply.header('ETag', `W/${etagOf(JSON.stringify(part))}`);
    return text;
  }
  const etag = etagOf(`${format} ${REPRESENTATION} ${text.tagged}`);
  if (notModified(reply, etag)) return '';
  if ('render' in text) return text.render();
  return Readable.from(withPauses(text.chunks), { objectMode: false, highWaterMark: 1 << 16 });
}

/** Lets other requests run between chunks, even if the client reads fast. */
async function* withPauses(chunks: Iterable<string>): AsyncGenerator<string> {
  const pace = new Pace();
  for (const chunk of chunks) {
    yield chunk;
    await pace.pause();
  }
}
