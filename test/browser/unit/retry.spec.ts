import { ApiError } from '../../../web/src/api/problem';
import { delayAfter } from '../../../web/src/util/retry';

const rejected = (retryAfter: number) => new ApiError(503, 'overloaded', '', undefined, retryAfter);

describe('The time before the next attempt', () => {
  test.each([
    [1, 1000],
    [60, 60_000],
    // A timer of more than 2,147,483 s would end at once.
    [86_400, 300_000],
    [3_000_000, 300_000],
  ])('after Retry-After: %s is %s ms, at most five minutes', (seconds, ms) => {
    expect(delayAfter(rejected(seconds), 0)).toBe(ms);
  });

  test('without Retry-After grows to 4 s', () => {
    const delays = [0, 1, 2, 3, 4, 5, 20].map((attempt) => delayAfter(new TypeError(), attempt));
    const greatest = [250, 500, 1000, 2000, 4000, 4000, 4000];
    delays.forEach((delay, i) => {
      expect(delay).toBeGreaterThanOrEqual(greatest[i]! / 2);
      expect(delay).toBeLessThanOrEqual(greatest[i]!);
    });
  });
});
