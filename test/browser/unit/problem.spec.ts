import { ApiError, errorOf, isDisconnected, isUnauthorized } from '../../../web/src/api/problem';

describe('An error response', () => {
  test.each([401, 403, 404])('%s of a proxy counts as a lost connection', async (status) => {
    for (const body of ['<h1>No</h1>', '', '{"message": "No Route matched"}', '{"code": "not_fo']) {
      const error = await errorOf(new Response(body, { status }));
      expect([isDisconnected(error), isUnauthorized(error)]).toEqual([true, false]);
    }
  });

  test.each([401, 403, 404])('%s of the service is its error', async (status) => {
    const problem = { code: 'its_code', detail: 'Its detail.' };
    const error = await errorOf(new Response(JSON.stringify(problem), { status }));
    expect(error).toMatchObject({ status, code: 'its_code', message: 'Its detail.' });
    expect([isDisconnected(error), isUnauthorized(error)]).toEqual([false, status === 401]);
  });

  // A proxy rejects a body that is too long for it, and repeating the request would not help.
  test.each([413, 429, 503])('%s of a proxy keeps its status', async (status) => {
    const headers = { 'Retry-After': '2' };
    const error = await errorOf(new Response('<h1>No</h1>', { status, headers }));
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({ status, retryAfter: 2 });
  });
});
