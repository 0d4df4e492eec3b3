import { Logger } from '@nestjs/common';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Readable } from 'node:stream';
import { Problem } from '../problem';
import { Answer } from './answer';
import { BOARD_REVISION, revisionOf } from './board-revision';
import { etagOf, notModified } from './etag';
import { contentTypeOf, formatOf, writeFormat } from './formats';

const logger = new Logger('Request');

/**
 * Writes responses: objects as JSON, an `Answer` as its content, lists and reports in the requested format.
 * Adds entity tags, and answers 304 if the client has the content. It uses hooks of the server, because the
 * first interceptor of Nest costs a request 57 µs and a hook 7.
 */
export function writeResponses(server: FastifyInstance): void {
  server.addHook('preSerialization', (request, reply, payload, done) => {
    const { location, formats } = request.routeOptions.config;
    if (payload instanceof Answer && formats) payload.format = formatOf(request, formats);
    const revision = payload instanceof Answer ? payload.revision : revisionOf(payload);
    if (revision !== undefined) reply.header(BOARD_REVISION, revision);
    if (payload instanceof Answer || (formats && reply.statusCode === 200)) {
      write(request, reply, payload).then((content) => done(null, content), done);
      return;
    }
    if (location && reply.statusCode === 201) {
      reply.header('Location', location(payload as { id: number; name: string }));
    }
    done(null, payload);
  });
  server.addHook<unknown>('onSend', (request, reply, payload, done) => {
    const isText = typeof payload === 'string' && payload !== '';
    if (isText && hasEntityTag(request, reply)) {
      const etag = (reply.getHeader('etag') as string | undefined) ?? etagOf(payload);
      if (isRead(request)) notModified(reply, etag);
      else reply.header('ETag', etag);
    }
    if (reply.statusCode === 304) {
      reply.removeHeader('content-type').removeHeader('content-length');
      done(null, '');
      return;
    }
    // JSON ends with a newline, for terminals and files. Entity tags are digests of the JSON without it;
    // responses that are cached or streamed have it already.
    const isJson = isText && String(reply.getHeader('content-type')).includes('json');
    done(null, isJson && !payload.endsWith('\n') ? `${payload}\n` : payload);
  });
}

const isRead = ({ method }: FastifyRequest): boolean => method === 'GET' || method === 'HEAD';

/** Whether a response is the representation of a resource. The response to a change has the tag of a later GET. */
function hasEntityTag(request: FastifyRequest, { statusCode }: FastifyReply): boolean {
  if (statusCode !== 200) return statusCode === 201;
  const { method, routeOptions } = request;
  const { tagged = false } = routeOptions.config;
  return isRead(request) || method === 'PUT' || method === 'PATCH' || tagged;
}

/** Returns the content of a response. If the client has it, answers 304 and does not read it. */
async function write(
  request: FastifyRequest,
  reply: FastifyReply,
  payload: unknown,
): Promise<string | Buffer | Readable> {
  reply.serializer((content: unknown) => content as string);
  let content: string | Buffer | Readable;
  if (payload instanceof Answer) {
    reply.type(contentTypeOf(payload.format));
    if (payload.etag !== undefined && notModified(reply, payload.etag)) return '';
    content = await payload.open(reply);
  } else content = await writeFormat(request, reply, payload);
  if (content instanceof Readable) {
    content.once('error', (error: Error) => {
      // The client has disconnected.
      if (reply.raw.destroyed) return;
      const text = 'a streamed response was cut off';
      // `Database` logs why it is unavailable.
      if (error instanceof Problem) logger.warn({ request_id: request.id, code: error.code }, text);
      else logger.error({ request_id: request.id, err: error }, text);
    });
    if (reply.raw.destroyed) content.destroy();
  }
  return content;
}
