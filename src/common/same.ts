/** Whether two members are equal; lists are, when their items are. */
export function same(left: unknown, right: unknown): boolean {
  if (Array.isArray(left) && Array.isArray(right)) {
    return left.length === right.length && left.every((item, i) => same(item, right[i]));
  }
  return left === right;
}
