import { invalidLine } from './invalid-file';

/** The encodings that a byte order mark names, by its bytes. */
const MARKS: Record<string, string> = { '\xff\xfe': 'utf-16le', '\xfe\xff': 'utf-16be' };

/** The encoding of a file that begins with a byte order mark of UTF-16, as Excel and PowerShell write it. */
export const utf16Of = (head: Buffer): string | undefined =>
  MARKS[head.subarray(0, 2).toString('latin1')];

/** Converts a file to UTF-8. @throws InvalidFile that names the first line that is not UTF-16 */
export async function* fromUtf16(
  chunks: AsyncIterable<Buffer>,
  encoding: string,
): AsyncGenerator<Buffer> {
  const strict = new TextDecoder(encoding, { fatal: true });
  /** Marks what is invalid, which `strict` only rejects. */
  const lenient = new TextDecoder(encoding);
  let line = 1;
  for await (const chunk of chunks) {
    const text = lenient.decode(chunk, { stream: true });
    try {
      strict.decode(chunk, { stream: true });
    } catch {
      throw notUtf16(line + breaks(text.split('\ufffd', 1)[0] ?? ''));
    }
    line += breaks(text);
    if (text !== '') yield Buffer.from(text);
  }
  try {
    strict.decode();
  } catch {
    throw notUtf16(line);
  }
}

const breaks = (text: string): number => text.split('\n').length - 1;

function notUtf16(line: number) {
  const message = `The file is not in UTF-16: line ${line} has invalid bytes.`;
  return invalidLine(line, 'invalid_text', 'has bytes that are not UTF-16', message);
}
