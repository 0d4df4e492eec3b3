import type { FieldError, FieldErrorCode } from '../../http/problem';
import { Problem } from '../../http/problem';

/** An error in a row of a table, or in an entry of a JSON file. */
export interface LineError extends Pick<FieldError, 'column' | 'value' | 'code' | 'detail'> {
  line: number;
}

/** A file cannot be imported; the message says why, and what can be done. */
export class InvalidFile extends Error {
  constructor(
    message: string,
    readonly code: 'invalid_file' | 'unknown_format' | 'ambiguous_dates' = 'invalid_file',
    readonly errors: readonly LineError[] = [],
  ) {
    super(message);
  }
}

/** A file with one error. @param message names the line, and may say what can be done */
export const invalidLine = (
  line: number,
  code: FieldErrorCode,
  detail: string,
  message = `Line ${line}: ${detail}.`,
): InvalidFile => new InvalidFile(message, 'invalid_file', [{ line, code, detail }]);

/** The error of a row for which there is no greater `seq`. */
export const noSeq = (line: number): LineError => ({
  line,
  code: 'seq_exhausted',
  detail: 'seq would exceed 2,147,483,647',
});

/** The most errors in a response. */
const MAX_ERRORS = 1000;

/** Converts the error to a problem, with the errors of the first lines. */
export function problemOf({ message, code, errors }: InvalidFile): Problem {
  if (errors.length === 0) return new Problem(code, message);
  const sorted = [...errors].sort((a, b) => a.line - b.line).slice(0, MAX_ERRORS);
  const [first] = sorted;
  const lines =
    errors.length === 1
      ? `Line ${first?.line}: ${first?.detail}.`
      : `There are ${errors.length} errors, the first on line ${first?.line}: ${first?.detail}.`;
  const isComplete =
    errors.length === 1 && new RegExp(`\\b(line|entry) ${first?.line}\\b`, 'i').test(message);
  const detail = isComplete ? message : `${message} ${lines}`;
  return new Problem(code, detail, { errors: sorted });
}
