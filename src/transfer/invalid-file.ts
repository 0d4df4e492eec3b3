/** What is wrong with a row of a file, or with an entry of a JSON file. */
export interface LineError {
  line: number;
  code: string;
  detail: string;
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
