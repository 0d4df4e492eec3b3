import type { ImportView } from '../transfer/import/import.dto';

const KINDS = ['sprints', 'stories', 'tasks'] as const;

/** Formats the counts of an import as a table. */
export function planTable({ format, created, updated, unchanged }: ImportView): string {
  const rows = [
    [`(${format})`, 'new', 'changed', 'unchanged'],
    ...KINDS.map((kind) => [kind, created[kind], updated[kind], unchanged[kind]].map(String)),
  ];
  return rows.map(([name = '', ...cells]) => name.padEnd(12) + right(cells)).join('\n');
}

const right = (cells: readonly string[]): string => cells.map((cell) => cell.padStart(11)).join('');

/** Describes what an import skipped, changed or could not map, a line for each code. */
export function notes({ format, skipped, warnings, unmapped }: ImportView): string[] {
  const unit = /csv|sprintline/.test(format) ? 'line' : 'entry';
  const byCode = new Map<string, typeof skipped>();
  for (const row of skipped) byCode.set(row.code, [...(byCode.get(row.code) ?? []), row]);
  return [
    ...[...byCode].map(([code, rows]) => {
      const examples = rows.slice(0, 3).map(({ line, detail }) => `${unit} ${line}: ${detail}`);
      return note('Skipped', code, rows.length, examples);
    }),
    ...warnings.map(({ code, count, examples }) =>
      note('Warning', code, count, examples.slice(0, 3)),
    ),
    ...(unmapped.statuses.length > 0
      ? [
          note(
            'Imported as to do',
            'unknown statuses',
            unmapped.statuses.length,
            unmapped.statuses.slice(0, 20).map(({ value, count }) => `${value} (${count})`),
          ),
        ]
      : []),
  ];
}

const note = (kind: string, code: string, count: number, examples: readonly string[]): string =>
  `${kind} (${code.replaceAll('_', ' ')}): ${count}` +
  (examples.length > 0 ? `, for example ${examples.join('; ')}` : '');

/** Describes in one sentence what an import did. */
export function summary(board: string, { created, updated, unchanged }: ImportView): string {
  const count = (number: number, one: string, many: string): string =>
    `${number} ${number === 1 ? one : many}`;
  const also = [
    created.sprints > 0 && count(created.sprints, 'sprint', 'sprints'),
    created.tasks > 0 && count(created.tasks, 'task', 'tasks'),
  ].filter((text) => text !== false);
  const stories = count(created.stories, 'story', 'stories');
  const all = also.length > 0 ? `${stories}, ${also.join(' and ')}` : stories;
  const total = (counts: ImportView['created']): number =>
    counts.sprints + counts.stories + counts.tasks;
  const others =
    total(updated) + total(unchanged) > 0
      ? `, ${total(updated)} updated, ${total(unchanged)} unchanged`
      : '';
  return `${board}: ${all} created${others}.`;
}
