import { Columns, labelsIn } from '../files/columns';
import type { CsvRow } from '../files/csv';
import { readTable } from '../files/csv';
import type { SourceReader, SourceSprint, SourceStory } from '../files/source';
import { Warnings } from '../files/source';
import { comparable } from '../import/known-names';

/** The field that each column is read into. */
const NAMES = {
  id: 'external_id',
  team: 'team',
  title: 'title',
  description: 'description',
  status: 'status',
  estimate: 'points',
  priority: 'priority',
  assignee: 'assignee',
  labels: 'labels',
  'cycle number': 'cycle_number',
  'cycle name': 'cycle_name',
  'cycle start': 'cycle_start',
  'cycle end': 'cycle_end',
  completed: 'done_at',
  canceled: 'canceled_at',
  archived: 'archived',
  'parent issue': 'parent',
} as const;
type Field = (typeof NAMES)[keyof typeof NAMES];

const FIELDS = new Map<string, Field>(Object.entries(NAMES));

const fieldOf = (name: string): Field | null => FIELDS.get(comparable(name)) ?? null;

/** Linear issues, exported as CSV. */
export const linearCsv: SourceReader = async (file, mapping) => {
  const warnings = new Warnings('line');
  const stories: SourceStory[] = [];
  const cycles = new Map<string, SourceSprint>();
  const columns = await readTable(
    file,
    warnings,
    (header) => new Columns(header, fieldOf, Object.values(NAMES), mapping),
    (row, columns) => {
      const cycle = cycleOf(row, columns);
      if (cycle && !cycles.has(cycle.key)) cycles.set(cycle.key, cycle);
      stories.push(storyOf(row, columns, cycle));
      const parent = columns.first(row, 'parent');
      // Linear sub-issues have all fields of issues, so they become stories, too.
      if (parent) warnings.at('parent_ignored', row.line, `${parent} is its parent`);
    },
  );
  return {
    sprints: [...cycles.values()],
    stories,
    skipped: [],
    warnings,
    columns: columns.recognised(),
    lacks: {
      ...columns.lacks(),
      sprints: !columns.has('cycle_name') && !columns.has('cycle_number'),
    },
  };
};

/** Returns the cycle of an issue. Its id has the team, because each team numbers its own cycles. */
function cycleOf(row: CsvRow, columns: Columns<Field>): SourceSprint | null {
  const cell = (field: Field): string | null => columns.first(row, field)?.trim() ?? null;
  const number = cell('cycle_number');
  const name = cell('cycle_name') ?? (number === null ? null : `Cycle ${number}`);
  if (name === null) return null;
  const team = cell('team');
  const id = number === null ? null : team === null ? number : `${team}:${number}`;
  return {
    key: id ?? name,
    external_id: id === null ? null : `linear:cycle:${id}`,
    name,
    goal: null,
    start: cell('cycle_start'),
    end: cell('cycle_end'),
    endsBefore: true,
    closed: false,
    closesItself: true,
    completed: null,
  };
}

function storyOf(row: CsvRow, columns: Columns<Field>, cycle: SourceSprint | null): SourceStory {
  const cell = (field: Field): string | null => columns.first(row, field)?.trim() ?? null;
  const id = cell('external_id');
  const status = cell('status');
  const canceled = cell('canceled_at');
  const done = cell('done_at') ?? canceled;
  return {
    line: row.line,
    external_id: id === null ? null : `linear:${id}`,
    title: columns.first(row, 'title') ?? '',
    description: columns.first(row, 'description'),
    // A team may give its statuses any name, but only finished issues have a time of completion or cancellation.
    status: status === null ? null : { name: status, ...(done !== null && { category: 'done' }) },
    priority: cell('priority'),
    points: cell('points'),
    assignee: cell('assignee'),
    labels: labelsIn(columns.all(row, 'labels'), ','),
    epic: null,
    sprints: cycle ? [cycle.key] : [],
    done,
    archived: cell('archived') !== null,
    parent: null,
    tasks: [],
  };
}
