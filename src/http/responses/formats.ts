import accepts from 'accepts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import type { Client } from '../client';
import { connectedClient } from '../client';
import { Problem } from '../problem';
import { etagOf, notModified, REPRESENTATION } from './etag';

/** The media types of responses, by the values of `?format=`. */
export const MEDIA_TYPES = {
  json: 'application/json',
  csv: 'text/csv',
  svg: 'image/svg+xml',
  png: 'image/png',
} as const;
export type Format = keyof typeof MEDIA_TYPES;

/** A response that is too long for memory, or takes long to render. */
export interface LongResponse {
  /** A short string that changes whenever the response does: its entity tag is a digest of it. */
  tagged: string;
  /** Called unless the client has the response. */
  content: (client: Client) => Readable | Promise<Buffer>;
}

type Written = string | LongResponse;

/** Writes a body in a format. */
interface Writing {
  write: (body: never, request: FastifyRequest) => Written | Promise<Written>;
  /**
   * The part of a body whose digest is the weak entity tag, if the rest differs in every response;
   * undefined if the tag is a digest of the whole body.
   */
  tagged?: (body: never) => object | undefined;
  /** Headers of responses in this format. */
  headers?: Record<string, string>;
}

/** The formats of a route, the preferred one first; `null` if an `Answer` writes it. */
export type Formats = Partial<Record<Format, Writing | null>>;

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

/** Whether a browser requests a page: a path outside the API. */
export const isOfPage = ({ method, url, headers }: FastifyRequest): boolean =>
  method === 'GET' && headers.accept?.includes('text/html') === true && !/^\/api\b/.test(url);

/** Whether a browser requests a page that does not exist. It gets the page that says so, and needs no token. */
export const isMissingPage = (request: FastifyRequest): boolean =>
  request.is404 && isOfPage(request);

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
  const content = await text.content(connectedClient(reply));
  // Fastify would read the stream to its end.
  return request.method === 'HEAD' && content instanceof Readable ? Readable.from([]) : content;
}
