import { Readable } from 'node:stream';
import { readTable } from '../../../src/transfer/files/csv';
import { Warnings } from '../../../src/transfer/files/source';

it('tables have no more lines than a spreadsheet, even if they are empty', async () => {
  const read = async (file: string): Promise<number> => {
    let rows = 0;
    await readTable(
      Readable.from([Buffer.from(file)]),
      new Warnings(),
      (names) => names,
      () => (rows += 1),
    );
    return rows;
  };
  const lines = 1024 * 1024;
  expect(await read(`a\n1\n${'\n'.repeat(lines - 3)}2\n`)).toBe(2);
  await expect(read(`a\n1\n${'\n'.repeat(lines - 2)}2\n`)).rejects.toThrow(
    `The file must be split on line ${lines + 1}`,
  );
});
