import { ApiError } from '../../../web/src/api/problem';
import { RepeatedRequests } from '../../../web/src/util/repeated-requests';

const mockSignIn: { done: () => void } = { done: () => undefined };
jest.mock('../../../web/src/state/session', () => ({
  signedIn: () => new Promise<void>((resolve) => (mockSignIn.done = resolve)),
}));

const rejected = (status: number, code: string): ApiError => new ApiError(status, code, code);
const lost = new TypeError('Failed to fetch');

/** A request that fails with these errors, one after the other, and then succeeds. */
const failing = (...errors: Error[]): jest.Mock<Promise<string>> => {
  const request = jest.fn(async () => 'answer');
  for (const error of errors) request.mockRejectedValueOnce(error);
  return request;
};

beforeEach(() => {
  jest.useFakeTimers();
  Object.assign(globalThis, { window: new EventTarget() });
});
afterEach(() => jest.useRealTimers());

test('a request is repeated after temporary errors, which are reported first', async () => {
  const request = failing(lost, rejected(503, 'overloaded'));
  const failures: unknown[] = [];
  const answer = new RepeatedRequests().untilAnswered(
    request,
    (error) => void failures.push(error),
  );
  await jest.advanceTimersByTimeAsync(10_000);
  expect(await answer).toBe('answer');
  expect(failures).toEqual([lost, rejected(503, 'overloaded')]);
});

test('a request is repeated after 401, but only once the user has signed in', async () => {
  const request = failing(rejected(401, 'unauthorized'));
  const answer = new RepeatedRequests().untilAnswered(request);
  await jest.advanceTimersByTimeAsync(600_000);
  expect(request).toHaveBeenCalledTimes(1);
  mockSignIn.done();
  await jest.advanceTimersByTimeAsync(10_000);
  expect(await answer).toBe('answer');
});

test('a request is not repeated after another error', async () => {
  const request = failing(rejected(409, 'no_current_sprint'));
  const failure = new RepeatedRequests().untilAnswered(request).catch((error: unknown) => error);
  await jest.advanceTimersByTimeAsync(10_000);
  expect(await failure).toEqual(rejected(409, 'no_current_sprint'));
  expect(request).toHaveBeenCalledTimes(1);
});

test('a request is repeated at once when the browser is online again', async () => {
  const request = failing(lost);
  void new RepeatedRequests().untilAnswered(request);
  await jest.advanceTimersByTimeAsync(0);
  expect(request).toHaveBeenCalledTimes(1);
  window.dispatchEvent(new Event('online'));
  await jest.advanceTimersByTimeAsync(0);
  expect(request).toHaveBeenCalledTimes(2);
});

test.each([
  ['an answer', []],
  ['a temporary error', [lost]],
  ['another error', [rejected(409, 'no_current_sprint')]],
])('%s that arrives after the stop has no effect', async (_, errors) => {
  const requests = new RepeatedRequests();
  const called = jest.fn();
  const request = failing(...errors);
  requests.untilAnswered(request, called).then(called, called);
  requests.stop();
  await jest.advanceTimersByTimeAsync(600_000);
  expect(called).not.toHaveBeenCalled();
  expect(request).toHaveBeenCalledTimes(1);
});
