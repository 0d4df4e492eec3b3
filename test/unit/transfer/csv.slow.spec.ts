import { Readable } from 'node:stream';
import { readTable } from '../../../src/transfer/files/csv';
import { Warnings } from '../../../src/transfer/files/source';

it('tables have no more lines than a spreadsheet, even if they are empty', async () => {
  const lines = 1024 * 1024;
  const file = Readable.from([Buffer.from(`a\n1\n${'\n'.repeat(lines - 2)}2\n`)]);
  const read = readTable(
    file,
    new Warnings(),
    (names) => names,
    () => undefined,
  );
  await expect(read).rejects.toThrow(`The file must be split on line ${lines + 1}`);
});
