import { PartSize } from '../../src/http/stream';

it('a part of a long response has at most twice as many rows as the one before', () => {
  const size = new PartSize(500);
  // Short rows, which long ones may follow.
  const rows = Array.from({ length: 8 }, () => {
    size.measured(100 * size.rows, size.rows);
    return size.rows;
  });
  expect(rows).toEqual([20, 40, 80, 160, 320, 500, 500, 500]);
  size.measured(500 * 131_072, 500);
  expect(size.rows).toBe(1);
});
