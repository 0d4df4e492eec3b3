import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { invalidLine } from '../files/invalid-file';
import { Utf8Check } from '../files/utf8';
import { readLastLine } from './export-format';

/** Some lines of a file, but never its last one. */
interface Lines {
  /** The number of the first of them, from 1. */
  first: number;
  texts: string[];
}

/** The maximum bytes of a line; the event that moves a story with 1,000 tasks has fewer. */
const MAX_LINE_BYTES = 4 * 1024 * 1024;

const NEWLINE = 10;
/** A byte order mark, which an editor may have added. It does not count for the checksum. */
const MARK = Buffer.from('\ufeff');

/**
 * Reads the lines of an export except the last one, which has the checksum of the others.
 * @throws InvalidFile if the file was cut or changed; it may have yielded lines before
 */
export async function* linesOf(file: AsyncIterable<Buffer>): AsyncGenerator<Lines> {
  const hash = createHash('sha256');
  let first = 1;
  // Begin with the last complete line, which may be the last of the file: that one is not part of the checksum.
  let parts: Buffer[] = [];
  let length = 0;
  for await (const chunk of file) {
    parts.push(chunk);
    length += chunk.length;
    // Joined once there is a further line: to join each small chunk of a long line takes quadratic time.
    if (length <= 2 * MAX_LINE_BYTES && !chunk.includes(NEWLINE)) continue;
    const bytes = Buffer.concat(parts);
    const end = bytes.lastIndexOf(NEWLINE);
    const start = end > 0 ? bytes.lastIndexOf(NEWLINE, end - 1) + 1 : 0;
    const rest = bytes.subarray(start);
    parts = [rest];
    length = rest.length;
    if (length > 2 * MAX_LINE_BYTES) throw invalidLine(first, 'too_long', 'it is too long');
    if (start === 0) continue;
    const confirmed = bytes.subarray(0, start);
    const hasMark = first === 1 && confirmed.subarray(0, MARK.length).equals(MARK);
    const unmarked = hasMark ? confirmed.subarray(MARK.length) : confirmed;
    hash.update(unmarked);
    const texts = decode(unmarked, first).split('\n').slice(0, -1);
    yield { first, texts };
    first += texts.length;
    // Lets other requests run: reading from memory or a fast disk does not.
    await setImmediate();
  }
  const last = Buffer.concat(parts).toString();
  const end = readLastLine(last);
  if (end?.lines === first - 1 && end.sha256 === hash.digest('hex')) return;
  if (end) {
    throw invalidLine(first, 'changed', 'the file was changed: its checksum does not match');
  }
  const line = /\n./.test(last) ? first + 1 : first;
  throw invalidLine(line, 'cut', 'the file ends early: this is not the last line of an export');
}

/** @throws InvalidFile that names the line which is not UTF-8 */
function decode(bytes: Buffer, first: number): string {
  if (!isUtf8(bytes)) new Utf8Check(first).write(bytes);
  return bytes.toString();
}
