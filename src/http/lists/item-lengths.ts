import { LRUCache } from 'lru-cache';
import type { Database } from '../../database/database';
import { PART_LENGTH } from '../responses/parts';

/** Rows of a list that are read at once while their length is unknown. */
export const FIRST_ROWS = 60;

/** Rows that are read to estimate the length of the items of a list. */
export const PROBE_ROWS = 4;

/** Maximum rows of a part. */
export const MAX_ROWS = 500;

/** The average length of the items of lists by path, for the number of rows of a part, whose length is bounded. */
export class ItemLengths {
  private readonly lengths = new LRUCache<string, number>({ max: 1000 });

  has(path: string): boolean {
    return this.lengths.has(path);
  }

  /** Returns the number of rows of a part. */
  rowsOfPart(path: string): number {
    const length = this.lengths.get(path);
    if (length === undefined) return FIRST_ROWS;
    return Math.max(1, Math.min(MAX_ROWS, Math.floor(PART_LENGTH / length)));
  }

  /**
   * Updates the average. Few items change it little, and many halve it at most: long items may follow short
   * ones, and every list of events begins with a short one.
   * @param length characters of all items
   */
  measured(path: string, length: number, items: number): void {
    if (items === 0) return;
    const before = this.lengths.get(path) ?? length / items;
    const average = (PROBE_ROWS * before + length) / (PROBE_ROWS + items);
    this.lengths.set(path, Math.max(average, before / 2));
  }
}

const byDatabase = new WeakMap<Database, ItemLengths>();

/** Returns the average lengths of the lists of a database. */
export function itemLengthsOf(database: Database): ItemLengths {
  const lengths = byDatabase.get(database) ?? new ItemLengths();
  byDatabase.set(database, lengths);
  return lengths;
}
