import { readBatch } from '../../../src/transfer/batch/batch-form';
import { promised } from '../../support/faults';

it('a batch with millions of operations is rejected without reading them', async () => {
  const operations = Array(5_000_000).fill(1);
  const before = performance.now();
  await expect(readBatch({ operations })).rejects.toMatchObject({
    options: { errors: [{ pointer: '/operations', code: 'too_many' }] },
  });
  expect(performance.now() - before).toBeLessThan(promised(100));
});
