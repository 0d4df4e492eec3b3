import { Readable } from 'node:stream';

/** Returns a file that arrives in chunks of a few bytes. */
export function fileOf(content: string | Buffer, chunk = 7): Readable {
  const bytes = Buffer.from(content);
  return Readable.from(
    (function* () {
      for (let at = 0; at < bytes.length; at += chunk) yield bytes.subarray(at, at + chunk);
    })(),
  );
}

export const jsonFile = (value: unknown, chunk?: number): Readable =>
  fileOf(JSON.stringify(value, null, 1), chunk);
