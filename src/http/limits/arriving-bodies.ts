import type { FastifyInstance } from 'fastify';
import { Transform } from 'node:stream';
import { clientKeyOf } from '../client';
import { Problem } from '../problem';
import { sendProblem } from '../problem.filter';
import { Counter } from './counter';

const MIB = 1024 * 1024;
/** Limits on the bytes of the bodies that are arriving, in total and of one client. */
const MAX_BYTES = 256 * MIB;
const MAX_BYTES_OF_ONE_CLIENT = 128 * MIB;

/**
 * Limits the memory for bodies that are arriving. Each is kept in memory until it is complete, so without a
 * limit one client could use all of the memory with many slow requests. A single body always fits.
 */
export function limitArrivingBodies(server: FastifyInstance): void {
  const overloaded = new Problem('overloaded');
  let total = 0;
  const ofClients = new Counter();
  const add = (client: string, bytes: number): void => {
    total += bytes;
    ofClients.add(client, bytes);
  };
  server.addHook('preParsing', (request, reply, payload, done) => {
    const { headers, raw, routeOptions } = request;
    // A file is read by its handler, and a body that is longer than its limit is rejected before it is read.
    const length = Number(headers['content-length'] ?? 0);
    const isRead = !routeOptions.config.file && length <= routeOptions.bodyLimit;
    const isChunked = headers['transfer-encoding'] !== undefined;
    // The connection may have been closed during the authentication; then no `close` follows.
    if (!isRead || raw.destroyed || (length === 0 && !isChunked)) {
      done(null, payload);
      return;
    }
    const client = clientKeyOf(request);
    let counted = 0;
    const count = (bytes: number): boolean => {
      const own = ofClients.of(client);
      const fits =
        (own === counted || own + bytes <= MAX_BYTES_OF_ONE_CLIENT) &&
        (total === counted || total + bytes <= MAX_BYTES);
      if (fits) {
        counted += bytes;
        add(client, bytes);
      }
      return fits;
    };
    if (!count(length)) {
      sendProblem(request, reply, overloaded);
      return;
    }
    // The body has arrived, or the connection was closed.
    raw.once('close', () => add(client, -counted));
    if (!isChunked) {
      done(null, payload);
      return;
    }
    const chunks = countedBy(count, overloaded);
    payload.once('error', (error) => chunks.destroy(error));
    // Nothing else listens for an error if the body is not read, or not to its end.
    chunks.on('error', () => undefined);
    done(null, payload.pipe(chunks));
  });
}

/** Counts the bytes of a body of unknown length as they arrive. */
const countedBy = (count: (bytes: number) => boolean, overloaded: Problem): Transform =>
  new Transform({
    transform(chunk: Buffer, _encoding, done) {
      if (count(chunk.length)) done(null, chunk);
      else done(overloaded);
    },
  });
