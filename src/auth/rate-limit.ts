import type { FastifyReply, FastifyRequest } from 'fastify';
import type { RateLimiterRes } from 'rate-limiter-flexible';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import { clientKeyOf } from '../http/client';
import { Problem } from '../http/problem';

const WINDOW_SECONDS = 60;

/**
 * Limits the requests per minute of each token or, without one, of each address. @fastify/rate-limit
 * cannot refund a request, and 304 must not count.
 */
export class RateLimit {
  private readonly limiter: RateLimiterMemory;
  /** The end of the window in which a request was counted, in epoch milliseconds. */
  private readonly windowEnds = new WeakMap<FastifyRequest, number>();

  /** @param perMinute 0: no limit */
  constructor(private readonly perMinute: number) {
    this.limiter = new RateLimiterMemory({ points: perMinute, duration: WINDOW_SECONDS });
  }

  get isOn(): boolean {
    return this.perMinute > 0;
  }

  /** Counts a request. @throws Problem `too_many_requests` */
  async count(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    try {
      const state = await this.limiter.consume(clientKeyOf(request));
      this.windowEnds.set(request, Date.now() + state.msBeforeNext);
      this.describe(reply, state);
    } catch (rejection) {
      if (rejection instanceof Error) throw rejection;
      const state = rejection as RateLimiterRes;
      this.describe(reply, state);
      throw new Problem('too_many_requests', undefined, {
        headers: { 'Retry-After': String(Math.max(1, Math.ceil(state.msBeforeNext / 1000))) },
      });
    }
  }

  /** Refunds a request that does not count, unless its window has ended. */
  async refund(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    if (Date.now() >= (this.windowEnds.get(request) ?? 0)) return;
    this.describe(reply, await this.limiter.reward(clientKeyOf(request)));
  }

  /** Sets the headers of draft-ietf-httpapi-ratelimit-headers. */
  private describe(reply: FastifyReply, { remainingPoints, msBeforeNext }: RateLimiterRes): void {
    reply.headers({
      'RateLimit-Policy': `"default";q=${this.perMinute};w=${WINDOW_SECONDS}`,
      RateLimit: `"default";r=${Math.max(0, remainingPoints)};t=${Math.ceil(msBeforeNext / 1000)}`,
    });
  }
}
