import type { Warnings } from '../files/source';

/** The most names of fields that are kept; a warning shows five. Values of others are counted together. */
const MAX_NAMES = 1000;

/** Counts the values of a file that the import does not read, by the names of their fields. */
export class IgnoredFields {
  private readonly counts = new Map<string, number>();

  count(field: string, times = 1): void {
    if (times === 0) return;
    const isKept = this.counts.has(field) || this.counts.size < MAX_NAMES;
    const name = isKept ? field : 'other fields';
    this.counts.set(name, (this.counts.get(name) ?? 0) + times);
  }

  addTo(warnings: Warnings): void {
    for (const [field, count] of this.counts) {
      warnings.add('ignored_fields', `${field} (${count})`, count);
    }
  }
}
