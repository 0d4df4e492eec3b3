import type { FastifyReply, FastifyRequest } from 'fastify';
import { RateLimit } from '../../src/auth/rate-limit';
import { Problem } from '../../src/http/problem';

const reply = { headers: () => reply } as unknown as FastifyReply;
const request = (): FastifyRequest => ({ ip: '10.0.0.1' }) as FastifyRequest;

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

describe('the rate limit', () => {
  it('allows one more request after a refund', async () => {
    const limit = new RateLimit(1);
    const first = request();
    await limit.count(first, reply);
    await limit.refund(first, reply);
    await limit.count(request(), reply);
    await expect(limit.count(request(), reply)).rejects.toThrow(Problem);
  });

  it('asks a client to wait until its minute has ended, and for a second at least', async () => {
    const limit = new RateLimit(1);
    await limit.count(request(), reply);
    const retryAfter = async (): Promise<unknown> =>
      limit.count(request(), reply).catch((error: Problem) => error.headers['Retry-After']);
    expect(await retryAfter()).toBe('60');
    jest.advanceTimersByTime(59_700);
    expect(await retryAfter()).toBe('1');
  });

  it.each([0, 1])(
    'allows no more requests after a refund for an earlier minute: %i',
    async (before) => {
      const limit = new RateLimit(2);
      const first = request();
      await limit.count(first, reply);
      jest.advanceTimersByTime(60_000);
      for (let i = 0; i < before; i += 1) await limit.count(request(), reply);
      await limit.refund(first, reply);
      for (let i = before; i < 2; i += 1) await limit.count(request(), reply);
      await expect(limit.count(request(), reply)).rejects.toThrow(Problem);
    },
  );
});
