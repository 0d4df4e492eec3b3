import { QueryFailedError } from 'typeorm';
import { failureOf } from '../../src/database/errors';

it.each([
  ['ER_NET_PACKET_TOO_LARGE', 1153],
  ['ER_WARN_ALLOWED_PACKET_OVERFLOWED', 1301],
  ['ER_DATA_TOO_LONG', 1406],
])('%s rejects what a client sent, and is not a defect', (code, errno) => {
  const error = Object.assign(new Error(code), { code, errno });
  expect(failureOf(new QueryFailedError('INSERT', [], error))).toBe('too_large');
});
