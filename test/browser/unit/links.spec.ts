import { linksIn } from '../../../web/src/util/links';

describe('the links in a text', () => {
  it.each([
    [
      'See https://example.org/spec, and http://example.org.',
      'https://example.org/spec http://example.org',
    ],
    [
      '(https://en.wikipedia.org/wiki/Sprint_(software))',
      'https://en.wikipedia.org/wiki/Sprint_(software)',
    ],
    [
      '“https://example.org/?a=1&b=[2]#c” https://example.org/?a=1&b=[2]#c',
      'https://example.org/?a=1&b=[2]#c',
    ],
    ['<https://example.org/ä> HTTPS://EXAMPLE.ORG', 'https://example.org/ä HTTPS://EXAMPLE.ORG'],
    ['javascript:alert(1) ftp://example.org https://', ''],
    ['http://example.org/a...b...', 'http://example.org/a...b'],
  ])('%s', (text, links) => {
    expect(linksIn(text).join(' ')).toBe(links);
  });
});
