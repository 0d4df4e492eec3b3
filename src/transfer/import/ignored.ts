import type { Warnings } from '../files/source';

/** Counts the values of a file that the import does not read, by the names of their fields. */
export class IgnoredFields {
  private readonly counts = new Map<string, number>();

  count(field: string, times = 1): void {
    if (times > 0) this.counts.set(field, (this.counts.get(field) ?? 0) + times);
  }

  addTo(warnings: Warnings): void {
    for (const [field, count] of this.counts) {
      warnings.add('ignored_fields', `${field} (${count})`, count);
    }
  }
}
