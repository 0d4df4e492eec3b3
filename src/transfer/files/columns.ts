import type { Mapping } from '../import/import.dto';
import { comparable } from '../import/known-names';
import type { CsvRow } from './csv';
import { InvalidFile } from './invalid-file';
import { MAX_LABELS_READ, type SourceFile } from './source';

/** The most names of columns in an error, and the most characters of one. */
const MAX_SHOWN = 50;
const MAX_SHOWN_LENGTH = 100;

/** Lists names of columns, of which a file may have any number, of any length, for an error. */
export function listed(names: readonly string[]): string {
  const shown = names
    .slice(0, MAX_SHOWN)
    .map((name) =>
      name.length > MAX_SHOWN_LENGTH ? `${name.slice(0, MAX_SHOWN_LENGTH).toWellFormed()}…` : name,
    );
  const more = names.length - shown.length;
  return shown.join(', ') + (more > 0 ? ` and ${more} more` : '');
}

/**
 * Checks the columns of a mapping.
 * @param fields the fields that may have a column
 * @param normalize how names of columns are compared
 * @throws InvalidFile with every field and every column that is wrong
 */
export function requireColumns(
  { columns: mapped = {} }: Mapping,
  fields: readonly string[],
  header: readonly string[],
  normalize: (name: string) => string,
): void {
  const unknown = Object.keys(mapped).filter((field) => !fields.includes(field));
  const columns = Object.values(mapped);
  const names = columns.map(normalize);
  const present = new Set(header.map(normalize));
  const missing = columns.filter((_, i) => !present.has(names[i] ?? ''));
  const repeated = columns.filter((_, i) => names.indexOf(names[i] ?? '') !== i);
  const errors = [
    unknown.length > 0 &&
      `The mapping has unknown fields: ${unknown.join(', ')}; the fields are ${fields.join(', ')}.`,
    missing.length > 0 && `The file has no column ${missing.join(', ')}; it has ${listed(header)}.`,
    repeated.length > 0 &&
      `The mapping has more than one field for the column ${repeated.join(', ')}.`,
  ].filter((error) => error !== false);
  if (errors.length > 0) throw new InvalidFile(errors.join(' '));
}

/** Checks the columns of a mapping for a JSON file, in which only these fields can be mapped. @throws InvalidFile */
export function requireFields({ columns = {} }: Mapping, ...fields: string[]): void {
  const unknown = Object.keys(columns).filter((field) => !fields.includes(field));
  if (unknown.length === 0) return;
  const known = fields.length > 0 ? `only ${fields.join(', ')}` : 'no field';
  throw new InvalidFile(
    `The mapping has columns for ${unknown.join(', ')}; in this format, ${known} can be mapped.`,
  );
}

/** Splits the cells of a row into labels, up to the last one that is read. */
export function labelsIn(cells: readonly string[], separator: string | RegExp): string[] {
  const labels: string[] = [];
  for (const cell of cells) {
    if (labels.length >= MAX_LABELS_READ) break;
    labels.push(...cell.split(separator, MAX_LABELS_READ - labels.length));
  }
  return labels;
}

/** The fields of stories that a table may have no column for. */
const OPTIONAL = ['description', 'priority', 'points', 'assignee', 'labels'] as const;

/**
 * The columns of a table of another tool, by the field that is read from them. A field may have several columns.
 */
export class Columns<Field extends string> {
  private readonly cells = new Map<string, number[]>();
  private readonly fields: (Field | null)[];

  /**
   * @param known recognises a column by its name
   * @param mapped names of columns by their fields; no other columns are read as these fields
   * @throws InvalidFile as `requireColumns` does, or if there is no column for the title
   */
  constructor(
    private readonly header: readonly string[],
    known: (name: string) => Field | null,
    fields: readonly Field[],
    mapping: Mapping,
  ) {
    requireColumns(mapping, fields, header, comparable);
    const { columns: mapped = {} } = mapping;
    const named = new Map(
      Object.entries(mapped).map(([field, name]) => [comparable(name), field as Field]),
    );
    const names = header.map(comparable);
    this.fields = header.map((name, i) => {
      const field = named.get(names[i] ?? '') ?? known(name);
      const isTaken = field !== null && Object.hasOwn(mapped, field) && !named.has(names[i] ?? '');
      return isTaken ? null : field;
    });
    this.fields.forEach((field, i) => {
      if (!field) return;
      const cells = this.cells.get(field);
      if (cells) cells.push(i);
      else this.cells.set(field, [i]);
    });
    if (this.cells.has('title')) return;
    throw new InvalidFile(
      `The file has no column for the title; its columns are ${listed(header)}. Map one to it: ` +
        '{"columns": {"title": "…"}}.',
    );
  }

  has(field: Field): boolean {
    return this.cells.has(field);
  }

  /** The fields of stories that the table has no column for. */
  lacks(): NonNullable<SourceFile['lacks']> {
    return Object.fromEntries(OPTIONAL.map((field) => [field, !this.cells.has(field)]));
  }

  /** The cells of a field that are not empty, trimmed. */
  all({ cells }: CsvRow, field: Field): string[] {
    const found: string[] = [];
    for (const i of this.cells.get(field) ?? []) {
      // Thousands of short rows may have a header of thousands of columns.
      if (i >= cells.length) break;
      const cell = (cells[i] ?? '').trim();
      if (cell !== '') found.push(cell);
    }
    return found;
  }

  /** The first cell of a field that is not empty, untrimmed. */
  first({ cells }: CsvRow, field: Field): string | null {
    for (const i of this.cells.get(field) ?? []) {
      if (i >= cells.length) return null;
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
