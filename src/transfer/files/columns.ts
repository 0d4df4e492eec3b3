import type { CsvRow } from './csv';
import type { Mapping } from '../import/import.dto';
import { InvalidFile } from './invalid-file';
import { comparable } from '../import/known-names';

/** The columns of a table, by the field that is read from them. A field may have several columns. */
export class Columns<Field extends string> {
  private readonly cells = new Map<Field, number[]>();
  private readonly fields: (Field | null)[];

  /**
   * @param known recognises a column by its name
   * @param mapped names of columns by their fields; no other columns are read as these fields
   * @throws InvalidFile if the mapping names a field or a column that does not exist
   */
  constructor(
    private readonly header: readonly string[],
    known: (name: string) => Field | null,
    fields: readonly Field[],
    { columns: mapped = {} }: Mapping,
  ) {
    const unknown = Object.keys(mapped).filter((field) => !fields.includes(field as Field));
    if (unknown.length > 0) {
      const detail = `The mapping names ${unknown.join(', ')}; the columns are ${fields.join(', ')}.`;
      throw new InvalidFile(detail);
    }
    const named = new Map(
      Object.entries(mapped).map(([field, name]) => [comparable(name), field as Field]),
    );
    const names = header.map(comparable);
    const missing = Object.values(mapped).filter((name) => !names.includes(comparable(name)));
    if (missing.length > 0) {
      throw new InvalidFile(
        `The file has no column ${missing.join(', ')}; it has ${header.join(', ')}.`,
      );
    }
    this.fields = header.map((name, i) => {
      const field = named.get(names[i] ?? '') ?? known(name);
      const isTaken = field !== null && Object.hasOwn(mapped, field) && !named.has(names[i] ?? '');
      return isTaken ? null : field;
    });
    this.fields.forEach((field, i) => {
      if (field) this.cells.set(field, [...(this.cells.get(field) ?? []), i]);
    });
  }

  has(field: Field): boolean {
    return this.cells.has(field);
  }

  /** The cells of a field that are not empty, trimmed. */
  all({ cells }: CsvRow, field: Field): string[] {
    const indexes = this.cells.get(field) ?? [];
    return indexes.map((i) => (cells[i] ?? '').trim()).filter((cell) => cell !== '');
  }

  /** The first cell of a field that is not empty, untrimmed. */
  first({ cells }: CsvRow, field: Field): string | null {
    for (const i of this.cells.get(field) ?? []) {
      if ((cells[i] ?? '').trim() !== '') return cells[i] ?? null;
    }
    return null;
  }

  /** The field that each column was read as. */
  recognised(): Record<string, Field | null> {
    return Object.fromEntries(
      this.header.map((name, i) => [name, this.fields[i] ?? null] as const),
    );
  }
}
