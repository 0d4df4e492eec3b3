import type { FieldError, FieldErrorCode } from '../../http/problem';
import { MAX_ERRORS, Problem } from '../../http/problem';

/** An error in a row of a table, or in an entry of a JSON file. */
export interface LineError extends Pick<FieldError, 'column' | 'value' | 'code' | 'detail'> {
  line: number;
}

/** What the numbers of rows are: lines of a table, or entries of a JSON file. */
export type Unit = 'line' | 'entry';

/** A file cannot be imported; the message says why, and what can be done. It has the errors of the first lines. */
export class InvalidFile extends Problem {
  constructor(
    message: string,
    code: 'invalid_file' | 'unknown_format' | 'ambiguous_dates' = 'invalid_file',
    errors: readonly LineError[] = [],
    unit: Unit = 'line',
  ) {
    const sorted = errors.toSorted((a, b) => a.line - b.line).slice(0, MAX_ERRORS);
    const [first] = sorted;
    super(
      code,
      first ? detailOf(message, first, errors.length, unit) : message,
      first && { errors: sorted },
    );
  }
}

function detailOf(message: string, { line, detail }: LineError, count: number, unit: Unit): string {
  if (count > 1) {
    const first = unit === 'line' ? `on line ${line}` : `in entry ${line}`;
    return `${message} There are ${count} errors, the first ${first}: ${detail}.`;
  }
  const isComplete = new RegExp(`\\b(line|entry) ${line}\\b`, 'i').test(message);
  return isComplete
    ? message
    : `${message} ${unit === 'line' ? 'Line' : 'Entry'} ${line}: ${detail}.`;
}

/** A file with one error. @param message names the line, and may say what can be done */
export const invalidLine = (
  line: number,
  code: FieldErrorCode,
  detail: string,
  message = `Line ${line}: ${detail}.`,
): InvalidFile => new InvalidFile(message, 'invalid_file', [{ line, code, detail }]);

/** A file with an error in an entry. */
export const invalidEntry = (entry: number, code: FieldErrorCode, detail: string): InvalidFile =>
  invalidLine(entry, code, detail, `Entry ${entry}: ${detail}.`);

/** The error of a row for which there is no greater `seq`. */
export const noSeq = (line: number): LineError => ({
  line,
  code: 'seq_exhausted',
  detail: 'seq would exceed 2,147,483,647',
});
