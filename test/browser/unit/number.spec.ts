import { parseInteger, parseNumber } from '../../../web/src/util/number';

describe('A typed number', () => {
  test.each([
    ['0', 0],
    [' 13 ', 13],
    ['1000', 1000],
    ['0.5', 0.5],
    ['1,5', 1.5],
    ['2.25', 2.25],
  ])('%j is %d', (text, value) => {
    expect(parseNumber(text)).toBe(value);
  });

  test.each([
    '',
    '1,000',
    '1.000',
    '1 000',
    '1e2',
    '0x10',
    '-1',
    '+1',
    '.5',
    '1.',
    '1.125',
    '1,5,5',
    'many',
  ])('%j is not one', (text) => {
    expect(parseNumber(text)).toBeNaN();
  });
});

describe('A typed integer', () => {
  test.each([
    ['0', 0],
    [' 13 ', 13],
    ['-2', -2],
    ['+2', 2],
  ])('%j is %d', (text, value) => {
    expect(parseInteger(text)).toBe(value);
  });

  test.each(['', '1.0', '1,000', '1e3', '0x10', 'many'])('%j is not one', (text) => {
    expect(parseInteger(text)).toBeNaN();
  });
});
