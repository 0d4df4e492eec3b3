/** The quantile of sorted numbers: `part` of them, between 0 and 1, are less. */
export const quantile = (sorted: number[], part: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? NaN;

export const median = (values: number[]): number =>
  quantile(
    [...values].sort((a, b) => a - b),
    0.5,
  );

/** Formats milliseconds, with decimals below 10. */
export const ms = (value: number): string =>
  Number.isNaN(value) ? '–' : `${value.toFixed(value < 10 ? 2 : 0)} ms`;

/** Prints a table in Markdown. */
export function printTable(title: string, head: string[], rows: string[][]): void {
  const all = [head, head.map(() => ''), ...rows];
  const widths = head.map((_, i) => Math.max(...all.map((row) => row[i]?.length ?? 0)));
  const line = (cells: string[]): string =>
    `| ${widths.map((width, i) => (i ? (cells[i] ?? '').padStart(width) : (cells[i] ?? '').padEnd(width))).join(' | ')} |`;
  const rule = widths.map((width, i) => (i ? `${'-'.repeat(width - 1)}:` : '-'.repeat(width)));
  console.log(`\n**${title}**\n\n${[line(head), line(rule), ...rows.map(line)].join('\n')}`);
}
