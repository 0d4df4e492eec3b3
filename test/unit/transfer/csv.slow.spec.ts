import { Readable } from 'node:stream';
import { readTable } from '../../../src/transfer/files/csv';
import { Warnings } from '../../../src/transfer/files/source';

it('tables have no more lines than a spreadsheet, even if they are empty', async () => {
  const lines = 1024 * 1024;
  const file = `a\n1\n${'\n'.repeat(lines - 3)}last\n2\n`;
  const rows: string[] = [];
  const reading = readTable(
    Readable.from([Buffer.from(file)]),
    new Warnings(),
    (names) => names,
    ({ cells }) => rows.push(...cells),
  );
  await expect(reading).rejects.toThrow(`The file must be split on line ${lines + 1}`);
  expect(rows).toEqual(['1', 'last']);
});
