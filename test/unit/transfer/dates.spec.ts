import { Dates, OrderFinder } from '../../../src/transfer/import/dates';
import { InvalidFile } from '../../../src/transfer/files/invalid-file';

const orderOf = (...texts: string[]) => {
  const finder = new OrderFinder();
  texts.forEach((text, i) => finder.add(text, i + 2));
  return finder.order();
};

describe('a date', () => {
  it.each([
    ['2026-02-10', '2026-02-10'],
    ['2026/2/10', '2026-02-10'],
    ['2026-02-10 14:51', '2026-02-10'],
    ['2026-02-10T14:51:00.123', '2026-02-10'],
    ['10/Feb/26 2:51 PM', '2026-02-10'],
    ['10-Feb-2026', '2026-02-10'],
    ['2026-Feb-10', '2026-02-10'],
    ['Feb 10, 2026', '2026-02-10'],
    ['February 10, 2026 at 2:51 PM', '2026-02-10'],
    ['Tue, 10 Feb 2026 14:51:00 GMT', '2026-02-10'],
    ['Mon Feb 20 2023 05:00:00 GMT+0000 (GMT)', '2023-02-20'],
    ['10. Februar 2026', '2026-02-10'],
    ['3. März 2026, 14:51', '2026-03-03'],
    ['10/Mrz/26 14:51', '2026-03-10'],
    ['Di. 10. Dez. 2024', '2024-12-10'],
    ['10 févr. 2026 à 14:51', '2026-02-10'],
    ['mar. 10 févr. 2026', '2026-02-10'],
    ['1er août 2026', '2026-08-01'],
    ['10/ene/26 2:51 p. m.', '2026-01-10'],
    ['10 de febrero de 2026', '2026-02-10'],
    ['10/fev/26 14:51', '2026-02-10'],
    ['5 de março de 2026', '2026-03-05'],
    ['10/02/2026', '2026-02-10'],
    ['10.02.26 14:51', '2026-02-10'],
    ['1.2.1969', '1969-02-01'],
    ['1.2.70', '1970-02-01'],
    ['1.2.69', '2069-02-01'],
    ['29/02/2024', '2024-02-29'],
  ])('%s is %s', (text, day) => {
    expect(new Dates('dmy', 'Europe/Berlin').day(text)).toBe(day);
  });

  it.each([
    '',
    'soon',
    '2026-02-30',
    '29/02/2026',
    '31.04.2026',
    '13/13/2026',
    '10/Foo/26',
    '0999-01-01',
    '10000-01-01',
    '1/2/199',
    '2026-02-10 25:00',
    '2026-02-10 14:51 PST',
    '2026-02-10 and more',
    '45000',
    `2026-02-10${' '.repeat(100_000)}`,
  ])('is not %.40s', (text) => {
    expect(new Dates('dmy', 'UTC').day(text)).toBeNull();
    expect(new Dates('dmy', 'UTC').instant(text)).toBeNull();
  });

  it('is read in the order of day, month and year of the file', () => {
    const day = (order: 'dmy' | 'mdy' | 'ymd') => new Dates(order, 'UTC').day('01/02/03');
    expect([day('dmy'), day('mdy'), day('ymd')]).toEqual([
      '2003-02-01',
      '2003-01-02',
      '2001-02-03',
    ]);
    expect(new Dates('ymd', 'UTC').day('26/Feb/10')).toBe('2026-02-10');
    expect(new Dates('ymd', 'UTC').day('01/02/2003')).toBeNull();
  });

  it('of an instant is the date in the time zone', () => {
    const of = (zone: string) => new Dates('dmy', zone).day('2026-02-10T23:30:00Z');
    expect([of('UTC'), of('Europe/Berlin'), of('America/New_York')]).toEqual([
      '2026-02-10',
      '2026-02-11',
      '2026-02-10',
    ]);
    expect(new Dates('dmy', 'Asia/Tokyo').day('2026-02-10T23:30:00')).toBe('2026-02-10');
    expect(new Dates('dmy', 'Asia/Tokyo').day('9999-12-31T20:00:00Z')).toBeNull();
    expect(new Dates('dmy', 'America/New_York').day('1000-01-01T00:00:00Z')).toBeNull();
  });
});

describe('an instant', () => {
  it.each([
    ['2020-06-12T08:13:13.360+0800', '2020-06-12T00:13:13.360Z'],
    ['2020-06-12T08:13:13.36-03:30', '2020-06-12T11:43:13.360Z'],
    ['Mon Feb 20 2023 05:00:00 GMT+0100 (CET)', '2023-02-20T04:00:00.000Z'],
    ['10/Feb/26 2:51 PM', '2026-02-10T13:51:00.000Z'],
    ['10/Jul/26 12:01 AM', '2026-07-09T22:01:00.000Z'],
    ['10/Jul/26 12:01 PM', '2026-07-10T10:01:00.000Z'],
    // The clocks skip 02:30, and show 02:30 twice.
    ['2026-03-29 02:30', '2026-03-29T01:30:00.000Z'],
    ['2026-10-25 02:30', '2026-10-25T01:30:00.000Z'],
    ['2026-02-10', '2026-02-10T22:59:59.999Z'],
    ['9999-12-31', '9999-12-31T22:59:59.999Z'],
  ])('%s is %s', (text, instant) => {
    expect(new Dates('dmy', 'Europe/Berlin').instant(text)?.toISOString()).toBe(instant);
  });

  it('is invalid if its offset moves it out of the years 1000 to 9999', () => {
    expect(new Dates('dmy', 'UTC').instant('9999-12-31T23:00:00-05:00')).toBeNull();
    expect(new Dates('dmy', 'UTC').day('1000-01-01T00:00:00+05:00')).toBeNull();
  });
});

describe('the order of dates', () => {
  it('is the only one in which all dates are possible', () => {
    expect(orderOf('01/02/2026', '13/02/2026')).toBe('dmy');
    expect(orderOf('01/02/2026', '02/13/2026')).toBe('mdy');
    expect(orderOf('26-02-13', '26-02-01', '99-01-01')).toBe('ymd');
    expect(orderOf('05/06/07', '14:00', 'never', '25/06/07', '05/06/2007')).toBe('dmy');
  });

  it('does not matter if no date depends on it', () => {
    expect(() => orderOf()).not.toThrow();
    expect(() => orderOf('2026-02-10', 'Feb 2, 2026', '2/Feb/26 2:51 PM')).not.toThrow();
    expect(() => orderOf('02/02/2026', '3.3.2026')).not.toThrow();
    expect(new Dates(orderOf('2/Feb/26', '10/Feb/26 2:51 PM'), 'UTC').day('10/Feb/26')).toBe(
      '2026-02-10',
    );
  });

  it.each([
    [['01/02/2026'], /"01\/02\/2026" is 2026-02-01 or 2026-01-02.*to dmy or mdy\./],
    [['03.04.2026', '05.05.2026'], /"03\.04\.2026" is/],
    [['01/02/03'], /2003-02-01 or 2003-01-02 or 2001-02-03.*dmy or mdy or ymd/],
    [['13/02/26', '12/02/26'], /"13\/02\/26" is 2026-02-13 or 2013-02-26/],
    [['13/02/2026', '02/13/2026'], /No order of day, month and year fits all/],
  ])('must be set if it is ambiguous: %p', (texts, message) => {
    const find = () => orderOf(...texts);
    expect(find).toThrow(message);
    try {
      find();
    } catch (error) {
      expect(error).toBeInstanceOf(InvalidFile);
      expect((error as InvalidFile).code).toBe('ambiguous_dates');
      const { errors = [] } = (error as InvalidFile).options;
      expect(errors[0]).toMatchObject({ line: 2, code: 'ambiguous_date' });
      expect(new Set(errors.map(({ line }) => line)).size).toBe(errors.length);
    }
  });
});
