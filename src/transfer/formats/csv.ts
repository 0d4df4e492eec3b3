import type { Readable } from 'node:stream';
import { unguarded } from '../../http/responses/csv';
import { isLonger } from '../../http/validation/text';
import { tryValidate } from '../../http/validation/validation.pipe';
import { addDays } from '../../reports/calendar';
import { CSV_COLUMNS, splitLabels } from '../../stories/story-csv';
import { UpdateStory } from '../../stories/story.dto';
import { calendarDate } from '../../time/clock';
import { withPauses } from '../../time/time-slice';
import { listed, requireColumns } from '../files/columns';
import type { CsvRow } from '../files/csv';
import { readTable } from '../files/csv';
import type { LineError } from '../files/invalid-file';
import { InvalidFile } from '../files/invalid-file';
import { Warnings } from '../files/source';
import type { Mapping } from '../import/import.dto';
import { byName, inLowerCase, MAX_NAME, priorityOf, statusOf } from '../import/known-names';
import type { ImportPlan, PlanContext, PlannedSprint, PlannedStory } from '../import/plan';
import { assumedStart, naturally, requireFewSprints, SPRINT_DAYS } from '../import/sprint-plan';

type Column = (typeof CSV_COLUMNS)[number];

/** The most characters of a cell of labels: 20 labels of 50 characters, each escaped, and white space. */
const MAX_LABELS_CELL = 10_000;

/** The meaning of words that no mapping defines. */
const KNOWN = { status: statusOf, priority: priorityOf };

/** Columns whose empty cells are ignored; in the others, an empty cell clears the field. */
const KEPT: readonly Column[] = ['title', 'status', 'seq'];

/**
 * Plans the import of our own CSV. It is strict: a value that the API would reject is an error.
 * @throws InvalidFile with every error of every row, or if there are too many sprints
 */
export async function planCsv(
  file: Readable,
  mapping: Mapping,
  context: PlanContext,
): Promise<ImportPlan> {
  const warnings = new Warnings();
  const rows: CsvRow[] = [];
  const errors: LineError[] = [];
  const header = await readTable(
    file,
    warnings,
    (names) => names,
    (row) => rows.push(row),
    (line) => errors.push({ line, code: 'too_many', detail: 'has more cells than the header' }),
  );
  const columns = columnsOf(header, mapping, warnings);
  const reader = new RowReader(columns, mapping, context, warnings, errors);
  const stories: PlannedStory[] = [];
  for await (const { line, cells } of withPauses(rows)) {
    const story = await reader.read(line, cells);
    if (story) stories.push(story);
  }
  if (errors.length > 0) {
    throw new InvalidFile('Some rows are invalid.', 'invalid_file', errors);
  }
  const names = columns.flatMap((column, i) => (column ? [[column, header[i] ?? '']] : []));
  return {
    sprints: planSprints(reader.sprints, mapping, context),
    stories,
    skipped: [],
    warnings,
    unmapped: new Map(),
    mapping: {
      ...mapping,
      ...(reader.meanings as Pick<Mapping, 'status' | 'priority'>),
      columns: Object.fromEntries(names) as Record<string, string>,
    },
  };
}

/** The field that each column is read as; null for unknown columns. */
function columnsOf(
  names: readonly string[],
  mapping: Mapping,
  warnings: Warnings,
): (Column | null)[] {
  requireColumns(mapping, CSV_COLUMNS, names, (name) => name.trim());
  const { columns: mapped = {} } = mapping;
  const ours = new Map(Object.entries(mapped).map(([column, name]) => [name.trim(), column]));
  const columns = names.map((name): Column | null => {
    const column = ours.get(name) ?? name.toLowerCase();
    return isColumn(column) ? column : null;
  });
  const repeated = columns.filter((name, i) => name && columns.indexOf(name) !== i);
  const isNamed = columns.includes('title') || columns.includes('external_id');
  const errors = [
    repeated.length > 0 && `More than one column is ${[...new Set(repeated)].join(', ')}.`,
    !isNamed &&
      `The file has no column title; its columns are ${listed(names)}. ` +
        `The known columns are ${CSV_COLUMNS.join(', ')}; others can be mapped to them.`,
  ].filter((error) => error !== false);
  if (errors.length > 0) throw new InvalidFile(errors.join(' '));
  columns.forEach((column, i) => {
    if (column === null) warnings.add('unknown_column', names[i] ?? '');
  });
  return columns;
}

const isColumn = (name: string): name is Column =>
  (CSV_COLUMNS as readonly string[]).includes(name);

/** Reads rows, and collects the sprints that they name and their errors. */
class RowReader {
  /** The names of sprints, by the trimmed names. */
  readonly sprints = new Map<string, string>();
  private readonly ids = new Set<string>();
  /** Whether its columns have our names. Only then may an apostrophe be one that our export has added. */
  private readonly isOurs: boolean;
  private readonly words: Partial<Record<Column, Map<string, string | number>>>;
  /** By column, if the file has words in their usual meaning: the meanings of these words, and those of the mapping. */
  readonly meanings: Partial<Record<Column, Record<string, string | number>>> = {};

  constructor(
    private readonly columns: readonly (Column | null)[],
    private readonly mapping: Mapping,
    private readonly context: PlanContext,
    private readonly warnings: Warnings,
    private readonly errors: LineError[],
  ) {
    const { columns: mapped = {}, status, priority } = mapping;
    this.isOurs = Object.entries(mapped).every(
      ([ours, theirs]) => theirs.trim().toLowerCase() === ours,
    );
    this.words = { status: byName(status), priority: byName(priority) };
  }

  /** The story of a row; undefined if it has errors. */
  async read(line: number, cells: readonly string[]): Promise<PlannedStory | undefined> {
    const { columns, errors } = this;
    const before = errors.length;
    const fields: Record<string, unknown> = {};
    let sprints: string[] | undefined;
    columns.forEach((column, i) => {
      if (column === null) return;
      const cell = this.isOurs ? unguarded(cells[i] ?? '') : (cells[i] ?? '');
      const isEmpty = cell === '' || cell === this.context.nullText;
      // An export writes no blank name, but an editor may leave a space.
      if (column === 'sprint')
        sprints = isEmpty || cell.trim() === '' ? [] : this.sprint(line, cell);
      else if (!isEmpty) fields[column] = this.valueOf(column, cell, line);
      else if (!KEPT.includes(column)) fields[column] = column === 'labels' ? [] : null;
    });
    // Cells are strings, which validation does not change.
    const { title, external_id = null } = fields as Pick<UpdateStory, 'title' | 'external_id'>;
    if (external_id === null) {
      if (title === undefined) errors.push({ line, code: 'required', detail: 'title is required' });
    } else if (this.ids.has(external_id)) {
      errors.push({ line, code: 'duplicate', detail: `external_id ${external_id} occurs twice` });
    } else if (!isLonger(external_id, 100)) this.ids.add(external_id);
    const { dto: story, errors: invalid } = await tryValidate(UpdateStory, fields, { form: true });
    for (const { pointer = '', code, detail } of invalid) {
      errors.push({ line, ...this.unknownWord(pointer.slice(1), fields), code, detail });
    }
    if (!story || errors.length > before) return undefined;
    if (external_id === null) this.warnings.add('no_external_id', `line ${line}: ${title ?? ''}`);
    return {
      line,
      ...(story as Omit<PlannedStory, 'line' | 'external_id'>),
      external_id,
      ...(sprints && { sprints }),
    };
  }

  /** The column and the text of an invalid cell if the mapping can define its meaning. */
  private unknownWord(
    column: string,
    fields: Record<string, unknown>,
  ): Pick<LineError, 'column' | 'value'> {
    const value = String(fields[column]).trim();
    return column in this.words && !isLonger(value, MAX_NAME) ? { column, value } : {};
  }

  private valueOf(column: Column, cell: string, line: number): unknown {
    if (column === 'labels') {
      if (cell.length <= MAX_LABELS_CELL) return splitLabels(cell);
      const detail = `labels must have at most ${MAX_LABELS_CELL} characters`;
      this.errors.push({ line, code: 'too_long', detail });
      return [];
    }
    if (column !== 'status' && column !== 'priority') return cell;
    const word = cell.trim();
    const mapped = this.words[column]?.get(inLowerCase(word));
    if (mapped !== undefined) return String(mapped);
    const usual = isLonger(word, MAX_NAME) ? undefined : KNOWN[column](word);
    if (usual === null) return null;
    if (usual === undefined || usual === word) return cell;
    const meanings = (this.meanings[column] ??= { ...this.mapping[column] });
    meanings[word] = usual;
    return String(usual);
  }

  private sprint(line: number, cell: string): string[] {
    const key = cell.trim();
    if (isLonger(cell, 100)) {
      const detail = 'sprint must have at most 100 characters';
      this.errors.push({ line, code: 'too_long', detail });
    } else if (!this.sprints.has(key)) this.sprints.set(key, cell);
    requireFewSprints(this.sprints.size);
    return [key];
  }
}

/** The sprints that the rows name. Those without dates are consecutive from next Monday on. */
function planSprints(
  names: ReadonlyMap<string, string>,
  { sprints: mapped }: Mapping,
  { now, timeZone }: PlanContext,
): PlannedSprint[] {
  const given = byName(mapped);
  const today = calendarDate(now, timeZone);
  let undated = 0;
  return [...names]
    .sort(([a], [b]) => naturally.compare(a, b))
    .map(([key, name]) => {
      const days = given.get(inLowerCase(key));
      const start_date = days?.start_date ?? assumedStart(today, undated);
      if (!days) undated += 1;
      return {
        key,
        label: key,
        external_id: null,
        name,
        goal: null,
        start_date,
        completed_at: null,
        end_date: days ? (days.end_date ?? null) : addDays(start_date, SPRINT_DAYS - 1),
        ...(!days && { assumed: true, follows: true }),
      };
    });
}
