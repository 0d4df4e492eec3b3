/** A value of a CSV file; null and undefined are empty. */
export type Cell = string | number | boolean | null | undefined;

/** A record of CSV (RFC 4180) with its line break. Values are not altered. */
export const csvLine = (cells: readonly Cell[]): string => `${cells.map(quoted).join(',')}\r\n`;

function quoted(cell: Cell): string {
  const value = String(cell ?? '');
  return /[",\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value;
}

/** The beginning of a formula in a spreadsheet; in some languages a full-width character begins one, too. */
const FORMULA = /^[=+\-@＝＋－＠\t\r]/;
/** A formula after any number of apostrophes: `guarded` adds one, and `unguarded` removes one. */
const WITH_APOSTROPHES = /^'*[=+\-@＝＋－＠\t\r]/;

/** Precedes a cell with an apostrophe if a spreadsheet would compute it as a formula. */
export const guarded = (cell: Cell): Cell =>
  WITH_APOSTROPHES.test(String(cell ?? '')) ? `'${String(cell)}` : cell;

/** Returns the value of a cell that `guarded` wrote. */
export const unguarded = (cell: string): string =>
  !FORMULA.test(cell) && WITH_APOSTROPHES.test(cell) ? cell.slice(1) : cell;
