import type { FastifyReply, FastifyRequest } from 'fastify';

/** Milliseconds between two looks at who is late. */
const LOOK_EVERY = 250;

/**
 * Sees to it that every request is answered in time, whatever keeps it: requests are told to it for
 * as long as it is ours to answer, which it is not while their bodies arrive, and those whose answer has not begun when their time is over are
 * handed out, to be refused.
 */
export class Punctuality {
  private readonly pending = new Map<FastifyReply, number>();
  private readonly timer: NodeJS.Timeout;

  constructor(
    private readonly limitMs: number,
    private readonly late: (request: FastifyRequest, reply: FastifyReply) => void,
  ) {
    this.timer = setInterval(() => this.look(), LOOK_EVERY).unref();
  }

  /** @param waited milliseconds of its time that are over already */
  began(reply: FastifyReply, waited = 0): void {
    this.pending.set(reply, Date.now() - waited);
  }

  ended(reply: FastifyReply): void {
    this.pending.delete(reply);
  }

  stop(): void {
    clearInterval(this.timer);
  }

  private look(): void {
    const latest = Date.now() - this.limitMs;
    for (const [reply, since] of this.pending) {
      if (since > latest) continue;
      this.pending.delete(reply);
      if (!reply.raw.headersSent) this.late(reply.request, reply);
    }
  }
}
