import type { FastifyReply, FastifyRequest } from 'fastify';

/** How often it is looked whether a reader takes anything, within the time that it has. */
const LOOKS = 3;

/**
 * Closes the connection of a reader that has taken nothing of its answer for so long, and that of no
 * other. Node tells of a time in which nothing was taken no sooner than after the next one; so it is
 * given a part of the time, and has to tell so several times running.
 */
export function cutWhereNothingIsTaken(
  request: FastifyRequest,
  reply: FastifyReply,
  limitMs: number,
): void {
  const { socket } = request.raw;
  const step = Math.ceil(limitMs / LOOKS);
  let looks = 0;
  let last = 0;
  // Whoever listens to it is asked to close the connection; Node does so by itself where nobody does.
  reply.raw.on('timeout', () => {
    const now = performance.now();
    if (now - last > 1.5 * step) looks = 0;
    last = now;
    looks += 1;
    if (looks === LOOKS) socket.destroy();
    else socket.setTimeout(step);
  });
  // For the next request Node takes its own limit again.
  socket.setTimeout(step);
}
