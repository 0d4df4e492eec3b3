import { Readable } from 'node:stream';
import { linesOf } from '../../../src/transfer/export/export-lines';

it('a long line that arrives in small pieces is joined once', async () => {
  const file = Buffer.from(`{"format":"sprintline"}\n${'x'.repeat(4_000_000)}\nlast`);
  const pieces: Buffer[] = [];
  for (let at = 0; at < file.length; at += 1024) pieces.push(file.subarray(at, at + 1024));
  const concat = jest.spyOn(Buffer, 'concat');
  const read = async (): Promise<void> => {
    for await (const _ of linesOf(Readable.from(pieces)));
  };
  await expect(read()).rejects.toThrow('the file ends early');
  const copied = concat.mock.results.reduce((sum, { value }) => sum + (value as Buffer).length, 0);
  expect(copied).toBeLessThan(4 * file.length);
});
