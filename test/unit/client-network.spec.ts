import { networkOf } from '../../src/http/client';

it.each([
  ['192.0.2.7', '192.0.2.7'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:db8:1:2::6', '2001:db8:1:2::/64'],
  ['2001:db8::6', '2001:db8:0:0::/64'],
  ['1::2:3:4:5:6:7', '1:0:2:3::/64'],
  ['::1', '0:0:0:0::/64'],
  // Some proxies add the port.
  ['192.0.2.7:50123', '192.0.2.7'],
  ['[2001:DB8:1:2::6]:50123', '2001:db8:1:2::/64'],
  ['1:2:3:4:5:6:7:8:9::1', '1:2:3:4:5:6:7:8:9::1'],
  ['unknown', 'unknown'],
])('the rate limit counts %s as %s', (address, network) => {
  expect(networkOf(address)).toBe(network);
});

it('the rate limit counts all closed connections as one client, because they have no address', () => {
  expect(networkOf(undefined)).toBe('');
});
