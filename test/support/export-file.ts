import { createHash } from 'node:crypto';
import { lastLine } from '../../src/transfer/export/export-format';

/** The lines of an export but for the last one. */
export const linesOf = (file: string): string[] => file.trimEnd().split('\n').slice(0, -1);

/** An export of these lines, with the checksum of these. */
export function signed(lines: string[]): string {
  const text = lines.map((line) => `${line}\n`).join('');
  return text + lastLine(lines.length, createHash('sha256').update(text).digest('hex'));
}

/** An export without fields that are null, as of a version that did not have these fields. */
export function asOfEarlierVersion(file: string): string {
  const lines = linesOf(file);
  const earlier = lines.map((line) =>
    line.replace(/,"(?:external_id|started_at|assignee|goal)":null/g, ''),
  );
  const changed = earlier.filter((line, i) => line !== lines[i]).map((line) => line.slice(0, 8));
  expect(new Set(changed)).toEqual(
    new Set(['{"sprint', '{"story"', '{"task":', '{"event"'].filter((kind) => file.includes(kind))),
  );
  return signed(earlier);
}
