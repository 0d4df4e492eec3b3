import type { Warnings } from '../files/source';

/** Counts what a file has and the import does not read, by the name of its field. */
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
