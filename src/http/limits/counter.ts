/** Counts by key; a key whose count is 0 takes no memory. */
export class Counter {
  private readonly counts = new Map<string, number>();

  of(key: string): number {
    return this.counts.get(key) ?? 0;
  }

  add(key: string, by: number): void {
    const now = this.of(key) + by;
    if (now > 0) this.counts.set(key, now);
    else this.counts.delete(key);
  }
}
