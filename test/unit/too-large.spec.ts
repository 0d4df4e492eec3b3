import { MysqlEngine } from '../../src/database/mysql.engine';

it.each([
  ['ER_NET_PACKET_TOO_LARGE', 1153],
  ['ER_WARN_ALLOWED_PACKET_OVERFLOWED', 1301],
  ['ER_DATA_TOO_LONG', 1406],
])('%s is a refusal of what was sent, and no defect', (code, errno) => {
  const engine = new MysqlEngine({}, 1, 1000);
  expect(engine.failure(Object.assign(new Error(code), { code, errno }))).toBe('too_large');
});
