import { QueryFailedError } from 'typeorm';
import { failureOf } from '../../src/database/errors';

it.each([
  ['ER_NET_PACKET_TOO_LARGE', 1153],
  ['ER_WARN_ALLOWED_PACKET_OVERFLOWED', 1301],
  ['ER_DATA_TOO_LONG', 1406],
])('%s is an error of the client, not of the service', (code, errno) => {
  const error = Object.assign(new Error(code), { code, errno });
  expect(failureOf(new QueryFailedError('INSERT', [], error))).toBe('too_large');
});
