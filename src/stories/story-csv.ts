import type { Reader } from '../database/reader';
import type { Cell } from '../http/responses/csv';
import type { StoryView } from './story.dto';

/** The columns of a list of stories as CSV, which the import reads. */
export const CSV_COLUMNS = [
  'external_id',
  'title',
  'description',
  'status',
  'priority',
  'points',
  'assignee',
  'labels',
  'seq',
  'sprint',
] as const;

/** The cells of a story. @param sprints from `readSprintLabels` */
export const csvCells = (story: StoryView, sprints: ReadonlyMap<number, string>): Cell[] =>
  CSV_COLUMNS.map((column) => {
    if (column === 'labels') return joinLabels(story.labels);
    if (column !== 'sprint') return story[column];
    return story.sprint_id === null ? null : sprints.get(story.sprint_id);
  });

/** Reads the values of the column `sprint` by id: the name of the sprint, or `#` and its id if that is ambiguous. */
export async function readSprintLabels(
  reader: Reader,
  boardId: number,
): Promise<Map<number, string>> {
  const sprints = await reader.query<{ id: number; name: string | null }>(
    'SELECT s.id, s.name FROM sprints s WHERE s.board_id = ?',
    [boardId],
  );
  const counts = new Map<string | null, number>();
  for (const { name } of sprints) counts.set(name, (counts.get(name) ?? 0) + 1);
  return new Map(
    sprints.map(({ id, name }) => {
      // A name such as `#7` would be read as an id.
      const isName = name !== null && counts.get(name) === 1 && !/^\s*(#\d+\s*)?$/.test(name);
      return [id, isName ? name : `#${id}`];
    }),
  );
}

/** Joins labels with commas; a backslash escapes commas, backslashes, and white space at the ends of a label. */
export const joinLabels = (labels: readonly string[]): string =>
  // The import removes white space around a label.
  labels.map((label) => label.replace(/[\\,]|^\s|\s$/g, '\\$&')).join(',');

/**
 * A label with the white space around it, up to a comma or the end; the group has no unescaped white space at its
 * end.
 */
const LABEL = /\s*((?:\\[\\,\s]|[^,\s]|\s+(?=[^,\s]))*)\s*(?:,|$)/g;

/** Splits a cell into labels, without the white space around them. */
export const splitLabels = (cell: string): string[] =>
  Array.from(cell.matchAll(LABEL), ([, label = '']) => label.replace(/\\([\\,\s])/g, '$1')).filter(
    (label) => label !== '',
  );
