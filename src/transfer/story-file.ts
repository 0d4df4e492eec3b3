import type { Readable } from 'node:stream';
import { unguarded } from '../http/csv';
import { Problem } from '../http/problem';
import { validate } from '../http/validation.pipe';
import { CreateStory, UpdateStory } from '../stories/story.dto';
import type { ImportedStory } from '../stories/story-import.service';
import { splitLabels } from '../stories/story-csv';
import { readCsv } from './csv';
import { InvalidFile } from './invalid-file';

/** The columns that a file of stories may have. */
export const FILE_COLUMNS = [
  'title',
  'description',
  'seq',
  'priority',
  'status',
  'points',
  'assignee',
  'labels',
  'external_id',
] as const satisfies readonly (keyof CreateStory)[];
export type StoryColumn = (typeof FILE_COLUMNS)[number];

/** Values of empty cells. In the other columns an empty cell is as if the column were missing. */
const EMPTY: Partial<Record<StoryColumn, null | []>> = {
  description: null,
  priority: null,
  points: null,
  assignee: null,
  labels: [],
  external_id: null,
};

const MAX_ROWS = 20_000;

export const isStoryColumn = (name: string): name is StoryColumn =>
  (FILE_COLUMNS as readonly string[]).includes(name);

interface StoryFileOptions {
  /** Columns of a story by the names that they have in the file, where these differ. */
  renamed: ReadonlyMap<string, StoryColumn>;
  /** Stories may exist already, and need an `external_id` instead of a title. */
  update: boolean;
  /** A cell with this text is empty. */
  nullText?: string;
}

/** The stories of a file, and the line on which each of them begins. */
export interface StoryFile {
  stories: ImportedStory[];
  lines: number[];
}

/**
 * Reads and validates the stories of a CSV file, whose first row names the columns.
 * @throws InvalidFile that names every error with its line
 */
export async function readStoryFile(
  input: Readable,
  options: StoryFileOptions,
): Promise<StoryFile> {
  const [header, ...rows] = await readCsv(input, MAX_ROWS);
  if (!header) throw new InvalidFile('The file is empty; its first line must name the columns.');
  const columns = columnsOf(header.cells, options);
  if (rows.length === 0) throw new InvalidFile('The file has a header, but no stories.');
  const errors = new LineErrors();
  const stories: ImportedStory[] = [];
  for (const { line, cells } of rows) {
    if (cells.length !== columns.length) {
      errors.add(line, `has ${cells.length} cells, but the header has ${columns.length}`);
      continue;
    }
    try {
      stories.push(await storyOf(columns, cells, options));
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      for (const { detail } of error.options.errors ?? []) errors.add(line, detail);
    }
  }
  errors.throwAny();
  return { stories, lines: rows.map(({ line }) => line) };
}

/** The column of a story that each cell of a row belongs to. @throws InvalidFile */
function columnsOf(
  header: readonly string[],
  { renamed, update }: StoryFileOptions,
): StoryColumn[] {
  const names = header.map((name) => name.trim());
  const missing = [...renamed.keys()].filter((name) => !names.includes(name));
  if (missing.length > 0) {
    throw new InvalidFile(
      `The file has no column ${missing.join(', ')}; it has ${names.join(', ')}.`,
    );
  }
  const columns = names.map((name) => renamed.get(name) ?? name);
  const unknown = names.filter((_, i) => !isStoryColumn(columns[i] ?? ''));
  if (unknown.length > 0) {
    throw new InvalidFile(
      `The first line must name the columns, but these are unknown: ${unknown.join(', ')}.\n` +
        `Known are ${FILE_COLUMNS.join(', ')}; other columns can be mapped to them.` +
        (names.length === 1 && /[;\t]/.test(names[0] ?? '') ? '\nCommas must separate them.' : ''),
    );
  }
  const repeated = columns.filter((name, i) => columns.indexOf(name) !== i);
  if (repeated.length > 0) {
    throw new InvalidFile(`More than one column is ${repeated.join(', ')}.`);
  }
  const [needed, reason] = update
    ? ['external_id', 'an update finds stories by their external_id']
    : ['title', 'a story must have a title'];
  if (!columns.includes(needed)) {
    throw new InvalidFile(`No column is ${needed}, but ${reason}; map another column to it.`);
  }
  return columns as StoryColumn[];
}

/** The story of a row, validated as a form. @throws Problem `invalid_request` */
function storyOf(
  columns: readonly StoryColumn[],
  cells: readonly string[],
  { update, nullText }: StoryFileOptions,
): Promise<ImportedStory> {
  const fields: Record<string, unknown> = {};
  columns.forEach((column, i) => {
    const cell = unguarded(cells[i] ?? '');
    if (cell === '' || cell === nullText) {
      if (column in EMPTY) fields[column] = EMPTY[column];
    } else {
      fields[column] = column === 'labels' ? splitLabels(cell) : cell;
    }
  });
  return validate<ImportedStory>(update ? UpdateStory : CreateStory, fields, { form: true });
}

/** The errors of a file, by the line on which the row begins. */
export class LineErrors {
  private readonly byLine = new Map<number, string[]>();

  add(line: number, error: string): void {
    this.byLine.set(line, [...(this.byLine.get(line) ?? []), error]);
  }

  /** @throws InvalidFile with all errors, if there are any */
  throwAny(hint = ''): void {
    if (this.byLine.size === 0) return;
    const lines = [...this.byLine].map(([line, errors]) => `line ${line}: ${errors.join('; ')}`);
    throw new InvalidFile([...lines, `Nothing was imported.${hint}`].join('\n'));
  }
}
