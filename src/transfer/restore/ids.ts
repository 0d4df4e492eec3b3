/** Ids that are collected before they are sorted. */
const RECENT = 65_536;

/**
 * The ids of a file in ascending order, and the ids that replace them: 16 bytes for each, because a
 * board may have had a million stories and tasks.
 */
export class Ids {
  private sorted = new Float64Array(0);
  private replaced = new Float64Array(0);
  private readonly recent = new Set<number>();

  /** Adds an id. @returns whether it is new */
  add(id: number): boolean {
    if (this.recent.has(id) || this.indexOf(id) >= 0) return false;
    this.recent.add(id);
    if (this.recent.size >= RECENT) this.sort();
    return true;
  }

  /** Ends the collection: no ids may be added afterwards. */
  freeze(): void {
    this.sort();
    this.replaced = new Float64Array(this.sorted.length);
  }

  get size(): number {
    return this.sorted.length;
  }

  /** Returns the index of an id in ascending order; -1 if it is unknown. */
  indexOf(id: number): number {
    const { sorted } = this;
    let low = 0;
    let high = sorted.length - 1;
    while (low <= high) {
      const middle = (low + high) >> 1;
      const found = sorted[middle] as number;
      if (found === id) return middle;
      if (found < id) low = middle + 1;
      else high = middle - 1;
    }
    return -1;
  }

  replace(index: number, id: number): void {
    this.replaced[index] = id;
  }

  /** Whether the id at an index has no replacement yet. */
  isFree(index: number): boolean {
    return this.replaced[index] === 0;
  }

  /** Returns the replacement of an id; undefined if the id is unknown. */
  get(id: number): number | undefined {
    return this.replaced[this.indexOf(id)];
  }

  private sort(): void {
    const all = new Float64Array(this.sorted.length + this.recent.size);
    all.set(this.sorted);
    all.set([...this.recent], this.sorted.length);
    this.sorted = all.sort();
    this.recent.clear();
  }
}
