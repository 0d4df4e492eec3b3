import { afterwards } from '../../support/faults';

jest.mock('openapi-fetch', () => jest.requireActual('./hosted-client'));

test('the page no longer says that the service cannot be reached once the session is known', async () => {
  jest.useFakeTimers();
  afterwards(() => jest.useRealTimers());
  const storage = { getItem: () => null, setItem: () => undefined, removeItem: () => undefined };
  Object.assign(globalThis, {
    addEventListener: () => undefined,
    window: new EventTarget(),
    localStorage: storage,
    sessionStorage: storage,
  });
  const { loadSession, session, sessionError } = await import('../../../web/src/state/session.ts');
  const lost = new TypeError('Failed to fetch');
  const known = { actor: 'Mei', scope: 'write', token_required: true };
  const fetched = jest
    .spyOn(globalThis, 'fetch')
    .mockRejectedValueOnce(lost)
    .mockResolvedValueOnce(new Response(JSON.stringify(known)));
  afterwards(() => fetched.mockRestore());
  const loading = loadSession();
  await jest.advanceTimersByTimeAsync(0);
  expect([session.value, sessionError.value]).toEqual([undefined, lost]);
  await jest.advanceTimersByTimeAsync(250);
  await loading;
  expect([session.value, sessionError.value]).toEqual([known, null]);
});
