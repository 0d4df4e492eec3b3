import fc from 'fast-check';
import { networkOf, RateLimit } from '../../src/common/rate-limit';

const MINUTE = 60_000;

describe('a rate limit', () => {
  it('lets a caller make its requests at once, and then as many as a minute brings', () => {
    const limit = new RateLimit(60);
    for (let i = 59; i >= 0; i -= 1) {
      expect(limit.take('a', 0)).toEqual({
        allowed: true,
        headers: {
          'RateLimit-Policy': '"default";q=60;w=60',
          RateLimit: `"default";r=${i};t=${60 - i}`,
        },
      });
    }
    const refused = limit.take('a', 0);
    expect(refused.allowed).toBe(false);
    expect(refused.headers).toMatchObject({
      RateLimit: '"default";r=0;t=60',
      'Retry-After': '1',
    });
    expect(limit.take('a', 1000).allowed).toBe(true);
    expect(limit.take('a', 1000).allowed).toBe(false);
    expect(limit.take('b', 1000).allowed).toBe(true);
  });

  it('says after how many seconds to come again, and keeps its word', () => {
    const limit = new RateLimit(2);
    limit.take('a', 0);
    limit.take('a', 0);
    const wait = Number(limit.take('a', 0).headers['Retry-After']);
    expect(wait).toBe(30);
    expect(limit.take('a', wait * 1000 - 1).allowed).toBe(false);
    expect(limit.take('a', wait * 1000).allowed).toBe(true);
  });

  it('does not count what is given back', () => {
    const limit = new RateLimit(2);
    for (let i = 0; i < 10; i += 1) {
      expect(limit.take('a', 0).allowed).toBe(true);
      expect(limit.giveBack('a', 0).headers.RateLimit).toBe('"default";r=2;t=0');
    }
  });

  it('lets nobody make more requests in any time than that time brings and one bucket holds', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 200 }),
        fc.array(fc.integer({ min: 0, max: 3000 }), { maxLength: 400 }),
        (perMinute, pauses) => {
          const limit = new RateLimit(perMinute);
          const times: number[] = [];
          let now = 0;
          for (const pause of pauses) {
            now += pause;
            if (limit.take('a', now).allowed) times.push(now);
          }
          for (const [i, from] of times.entries()) {
            for (const [j, to] of times.entries()) {
              if (j < i) continue;
              expect(j - i + 1).toBeLessThanOrEqual(
                perMinute + ((to - from) / MINUTE) * perMinute + 1e-6,
              );
            }
          }
        },
      ),
      { numRuns: 50 },
    );
  });
});

it.each([
  ['192.0.2.7', '192.0.2.7'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:db8:1:2::6', '2001:db8:1:2::/64'],
  ['2001:db8::6', '2001:db8:0:0::/64'],
  ['1::2:3:4:5:6:7', '1:0:2:3::/64'],
  ['::1', '0:0:0:0::/64'],
])('%s is counted as %s', (address, network) => {
  expect(networkOf(address)).toBe(network);
});

it('takes those who have hung up, and have no address any more, for one', () => {
  expect(networkOf(undefined)).toBe('');
});
