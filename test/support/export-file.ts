import { createHash } from 'node:crypto';
import { lastLine } from '../../src/transfer/export/export-format';

/** Returns the lines of an export without the last one, which has the checksum. */
export const linesOf = (file: string): string[] => file.trimEnd().split('\n').slice(0, -1);

/** Returns an export of these lines, with their checksum as its last line. */
export function signed(lines: string[]): string {
  const text = lines.map((line) => `${line}\n`).join('');
  const sha256 = createHash('sha256').update(text).digest('hex');
  return text + lastLine({ lines: lines.length, sha256 });
}

/** Returns the export as an earlier version may have written it: rows without fields that are null, events without some. */
export function asOfEarlierVersion(file: string): string {
  const lines = linesOf(file);
  const earlier = lines.map((line) =>
    line.startsWith('{"event"')
      ? line.replace(/,"(?:external_id|started_at|assignee|goal)":null/g, '')
      : line.replace(/,"\w+":null/g, ''),
  );
  const changed = earlier.filter((line, i) => line !== lines[i]).map((line) => line.slice(0, 8));
  expect(new Set(changed)).toEqual(
    new Set(['{"sprint', '{"story"', '{"task":', '{"event"'].filter((kind) => file.includes(kind))),
  );
  return signed(earlier);
}
