import { invalidLine } from './invalid-file';

/** Checks that the bytes of a file are UTF-8. */
export class Utf8Check {
  private readonly decoder = new TextDecoder('utf-8', { fatal: true });

  /** @param line the number of the first line, later that of the current one */
  constructor(public line = 1) {}

  /** @throws InvalidFile that names the first line that is not UTF-8 */
  write(chunk: Buffer): void {
    for (let start = 0; start < chunk.length;) {
      const end = chunk.indexOf(10, start) + 1 || chunk.length;
      this.decode(chunk.subarray(start, end));
      if (chunk[end - 1] === 10) this.line += 1;
      start = end;
    }
  }

  /** @throws InvalidFile if the file ends within a character */
  end(): void {
    this.decode();
  }

  private decode(bytes?: Buffer): void {
    try {
      this.decoder.decode(bytes, { stream: bytes !== undefined });
    } catch {
      const detail = 'has bytes that are not UTF-8';
      const message = `The file is not in UTF-8: line ${this.line} has invalid bytes. Convert it first.`;
      throw invalidLine(this.line, 'invalid_text', detail, message);
    }
  }
}

/** Yields the chunks unchanged. @throws InvalidFile at the first line that is not UTF-8 or has a NUL byte */
export async function* requireText(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void> {
  const check = new Utf8Check();
  for await (const chunk of chunks) {
    const nul = chunk.indexOf(0);
    check.write(nul === -1 ? chunk : chunk.subarray(0, nul));
    if (nul !== -1) {
      const message = `The file is not text: line ${check.line} has a NUL byte.`;
      throw invalidLine(check.line, 'invalid_text', 'has a NUL byte', message);
    }
    yield chunk;
  }
  check.end();
}
