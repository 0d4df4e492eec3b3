import type { FastifyInstance, FastifyRequest } from 'fastify';
import { clientOf } from './access';
import { Problem } from './problem';
import { sendProblem } from './problem.filter';

const MIB = 1024 * 1024;
/** Limits on the bytes of the bodies that are arriving, in total and of one client. */
const MAX_BYTES = 256 * MIB;
const MAX_BYTES_OF_ONE_CLIENT = 128 * MIB;

/**
 * Limits the memory for bodies that are arriving: each is kept until it is complete, so one client that sends
 * slowly on many connections could use all of the memory. A single body always fits.
 */
export function limitArrivingBodies(server: FastifyInstance): void {
  let total = 0;
  const ofClients = new Map<string, number>();
  const add = (client: string, bytes: number): void => {
    total += bytes;
    const now = (ofClients.get(client) ?? 0) + bytes;
    if (now > 0) ofClients.set(client, now);
    else ofClients.delete(client);
  };
  server.addHook('preParsing', (request, reply, payload, done) => {
    const bytes = bytesOf(request);
    const client = clientOf(request);
    const own = ofClients.get(client) ?? 0;
    const fits =
      (own === 0 || own + bytes <= MAX_BYTES_OF_ONE_CLIENT) &&
      (total === 0 || total + bytes <= MAX_BYTES);
    if (bytes > 0 && !fits) {
      sendProblem(request, reply, new Problem('overloaded'));
      return;
    }
    if (bytes > 0) {
      add(client, bytes);
      // When the body has arrived, or the connection is closed.
      request.raw.once('close', () => add(client, -bytes));
    }
    done(null, payload);
  });
}

/** The bytes that a body may occupy; none if it is not read at once. */
function bytesOf({ headers, routeOptions }: FastifyRequest): number {
  const { bodyLimit, config } = routeOptions;
  if (config.file) return 0;
  if (headers['transfer-encoding'] !== undefined) return bodyLimit;
  const length = Number(headers['content-length'] ?? 0);
  // A longer body is rejected before it is read.
  return length <= bodyLimit ? length : 0;
}
