/** The ids of a file, and the ids that replace them. */
export class Ids {
  /** By the id in the file; 0 until its replacement is known. */
  private readonly replacements = new Map<number, number>();
  /** The ids in ascending order, once all are added. */
  ascending = new Float64Array(0);

  /** Adds an id. @returns whether it is new */
  add(id: number): boolean {
    if (this.replacements.has(id)) return false;
    this.replacements.set(id, 0);
    return true;
  }

  /** Ends the collection: no ids may be added afterwards. */
  freeze(): void {
    this.ascending = Float64Array.from(this.replacements.keys()).sort();
  }

  replace(id: number, newId: number): void {
    this.replacements.set(id, newId);
  }

  /** Returns the replacement of an id, 0 if it has none yet; undefined if the id is unknown. */
  get(id: number): number | undefined {
    return this.replacements.get(id);
  }
}
