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

/** A sprint as the column `sprint` names it. */
interface NamedSprint {
  id: number;
  name: string | null;
}

/** Reads the values of the column `sprint` of a board, by the id of the sprint. */
export const readSprintLabels = async (
  reader: Reader,
  boardId: number,
): Promise<Map<number, string>> =>
  sprintLabels(
    await reader.query<NamedSprint>('SELECT s.id, s.name FROM sprints s WHERE s.board_id = ?', [
      boardId,
    ]),
  );

/**
 * Returns the values of the column `sprint` for all sprints of a board, by id: the name of the sprint or, if that is
 * missing or not unique, `#` and the id. Names that differ only in white space at the ends count as equal, because
 * the import removes it.
 */
export function sprintLabels(sprints: readonly NamedSprint[]): Map<number, string> {
  const named = new Map<string, NamedSprint[]>();
  for (const sprint of sprints) {
    const name = sprint.name?.trim() ?? '';
    const same = named.get(name);
    if (same) same.push(sprint);
    else named.set(name, [sprint]);
  }
  const byId = new Set<number>();
  for (const [name, same] of named) {
    if (name !== '' && same.length === 1) continue;
    for (const { id: first } of same) {
      // A sprint with the name `#7` needs its id, too, if sprint 7 needs it, and so on.
      for (let id: number | undefined = first; id !== undefined && !byId.has(id);) {
        byId.add(id);
        id = named.get(`#${id}`)?.[0]?.id;
      }
    }
  }
  return new Map(
    sprints.map(({ id, name }) => [id, name === null || byId.has(id) ? `#${id}` : name]),
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
