import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { generator } from './load';
import { ROOT } from './service';

export function median(values: number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const [low = NaN, high = NaN] = [sorted[Math.ceil(sorted.length / 2) - 1], sorted[middle]];
  return (low + high) / 2;
}

/** A table in Markdown, so that it can be read on a terminal and put in a document. */
export function table(head: string[], rows: string[][]): string {
  const widths = head.map((cell, i) =>
    Math.max(cell.length, ...rows.map((row) => row[i]?.length ?? 0)),
  );
  const line = (cells: string[]): string =>
    `| ${cells.map((cell, i) => (i === 0 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0))).join(' | ')} |`;
  const rule = widths.map((width, i) =>
    i === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`,
  );
  return [line(head), line(rule), ...rows.map(line)].join('\n');
}

/** What a number depends on besides the program. */
export function surroundings(): Record<string, string> {
  const [cpu] = cpus();
  return {
    date: new Date().toISOString(),
    node: process.version,
    processors: `${cpus().length} × ${cpu?.model.trim() ?? 'unknown'}`,
    generator,
  };
}

/** Keeps the numbers beside the table; returns the file. */
export function keep(name: string, content: object): string {
  const folder = join(ROOT, 'bench/results');
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `${name}.json`);
  writeFileSync(file, `${JSON.stringify(content, null, 2)}\n`);
  return file;
}
