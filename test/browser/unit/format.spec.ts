import { formatDate, formatNumber } from '../../../web/src/util/format';

test('dates and numbers are shown if the browser passes on locales of the system, which are no language tags', () => {
  const languages = ['C', 'en-US@posix', 'en-GB'];
  Object.defineProperty(globalThis, 'navigator', { value: { languages }, configurable: true });
  expect(formatDate('2026-11-30')).toBe('30 Nov 2026');
  expect(formatNumber(1234.5)).toBe('1,234.5');
});
