import type { IncomingHttpHeaders } from 'node:http';

/** The media type of a body, in lower case; undefined if the body is compressed or not in UTF-8. */
export function mediaTypeOf(headers: IncomingHttpHeaders): string | undefined {
  const [mediaType = '', ...parameters] = (headers['content-type'] ?? '')
    .toLowerCase()
    .split(';')
    .map((part) => part.trim());
  const charset = parameters.find((parameter) => parameter.startsWith('charset='));
  const isUtf8 = charset === undefined || /^charset="?utf-?8"?$/.test(charset);
  const isPlain = (headers['content-encoding'] ?? 'identity').toLowerCase() === 'identity';
  return isUtf8 && isPlain ? mediaType : undefined;
}
