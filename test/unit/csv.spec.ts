import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { csvLine, guarded, unguarded } from '../../src/http/responses/csv';
import { joinLabels, splitLabels } from '../../src/stories/story-csv';

/** Generates strings of characters with a meaning in CSV, in spreadsheets or in the column of labels. */
const text = fc.string({
  unit: fc.constantFrom(...'=+-@＝＋－＠\t\r\n\'",;\\# a\u00a0é😀'),
  maxLength: 12,
});

describe('a cell of CSV', () => {
  it.each([
    '=1+1',
    '+1',
    '-1',
    '@A1',
    '\t=1',
    '\r=1',
    "'=1",
    "''=1",
    '＝1+1',
    '＋1',
    '－1',
    '＠A1',
    "'＝1",
  ])('that a spreadsheet would run as a formula gets an apostrophe: %j', (value) => {
    expect(guarded(value)).toBe(`'${value}`);
    expect(unguarded(`'${value}`)).toBe(value);
  });

  it.each(["'quoted'", "'", 'a=1', '', '7'])(
    'that is not a formula is not changed: %j',
    (value) => {
      expect(guarded(value)).toBe(value);
      expect(unguarded(value)).toBe(value);
    },
  );

  it('is never a formula, and is read back unchanged', () => {
    fc.assert(
      fc.property(fc.array(text, { minLength: 2, maxLength: 4 }), (values) => {
        const line = csvLine(values.map(guarded));
        const [read]: string[][] = parse(line);
        expect(read?.filter((cell) => /^[=+\-@＝＋－＠\t\r]/.test(cell))).toEqual([]);
        expect(read?.map(unguarded)).toEqual(values);
      }),
    );
  });
});

describe('labels in one cell', () => {
  it('are read back unchanged', () => {
    const label = text.filter((one) => one.trim() !== '');
    fc.assert(
      fc.property(fc.array(label, { maxLength: 5 }), (labels) => {
        expect(splitLabels(joinLabels(labels))).toEqual(labels);
      }),
    );
  });

  it('may have white space around them, and backslashes that escape nothing', () => {
    expect(splitLabels(' api , late mail,, C:\\temp ,\\')).toEqual([
      'api',
      'late mail',
      'C:\\temp',
      '\\',
    ]);
  });
});
