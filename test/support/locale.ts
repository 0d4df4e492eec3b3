import { afterwards } from './faults';

/** Formats dates of all locales as in one, as ICU does that lacks their data, until the current test has ended. */
export function withLocale(locale: string): void {
  const { DateTimeFormat } = Intl;
  const format = jest
    .spyOn(Intl, 'DateTimeFormat')
    .mockImplementation((_locales, options) => new DateTimeFormat(locale, options));
  afterwards(() => format.mockRestore());
}
