import { GrowingPartSize } from '../../src/http/responses/parts';

it('a part of a long response has at most twice as many rows as the previous part', () => {
  const size = new GrowingPartSize(500);
  // Short rows; long ones may follow.
  const rows = Array.from({ length: 8 }, () => {
    size.measured(100 * size.rows(), size.rows());
    return size.rows();
  });
  expect(rows).toEqual([4, 8, 16, 32, 64, 128, 256, 500]);
  size.measured(500 * 65_536, 500);
  expect(size.rows()).toBe(1);
});
