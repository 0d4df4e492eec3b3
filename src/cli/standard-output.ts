import { pipeline } from 'node:stream/promises';
import { ExpectedError } from '../logging/expected-error';

/** Writes to standard output. @throws ExpectedError if it cannot be written */
export async function toStandardOutput(
  parts: Iterable<string> | AsyncIterable<string | Uint8Array>,
): Promise<void> {
  await pipeline(parts, process.stdout, { end: false }).catch((error: unknown) => {
    throw toWriteError('Standard output', error);
  });
}

/** Converts an error of writing to one that says what cannot be written. */
export function toWriteError(file: string, error: unknown): unknown {
  const { syscall, message } = error as NodeJS.ErrnoException;
  if (syscall !== 'write') return error;
  return new ExpectedError(`${file} cannot be written: ${message}.`, { cause: error });
}
