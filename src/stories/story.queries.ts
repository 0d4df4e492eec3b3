import { toRfc3339 } from '../time/clock';
import type { ListSource, SortKey } from '../http/listing';
import { column } from '../http/listing';
import type { Parameter, Reader } from '../database/engine';
import type { Lookup } from '../database/lookup';
import type { Sortable, StoryListQuery, StoryView } from './story.dto';
import { wordsOf } from './story.dto';
import type { Status } from './story.entity';

/** A story's row; its columns bear the names, and stand in the order, of the representation. */
export interface StoryRow {
  id: number;
  board_name: string;
  sprint_id: number | null;
  title: string;
  description: string | null;
  seq: number;
  priority: number | null;
  status: Status;
  points: number | null;
  assignee: string | null;
  labels: string | string[];
  external_id: string | null;
  created_at: string;
  updated_at: string;
  done_at: string | null;
  version: number;
}

export const STORY_COLUMNS = `s.id, b.name AS board_name, s.sprint_id, s.title, s.description, s.seq, s.priority, s.status,
  s.points, s.assignee, s.labels, s.external_id, s.created_at, s.updated_at, s.done_at, s.version`;

export const STORY_TABLES = 'stories s JOIN boards b ON b.id = s.board_id';

// MySQL and MariaDB would rather go through a large board in its order until they meet enough stories of
// the list. To SQLite these hints are comments; of one list it does what it should.
/** Has the stories of a list found in their order by the index that has them so. */
export const BY_LIST = '/*! FORCE INDEX (ix_stories_list) */';
/** The same where a filter may be of more use than the order. */
const NOT_BY_BOARD = '/*! IGNORE INDEX FOR ORDER BY (ix_stories_board) */';
const hinted = (...hints: string[]): string =>
  hints.length === 0 ? STORY_TABLES : STORY_TABLES.replace(' s ', ` s ${hints.join(' ')} `);

/** Turns a row into the representation, in place: what is not the same already is put right. */
export function representStory(row: StoryRow): StoryView {
  row.labels = row.labels === '[]' ? [] : (JSON.parse(row.labels as string) as string[]);
  row.created_at = toRfc3339(row.created_at);
  row.updated_at = toRfc3339(row.updated_at);
  if (row.done_at !== null) row.done_at = toRfc3339(row.done_at);
  return row as StoryView;
}

const STORY = `SELECT ${STORY_COLUMNS} FROM ${STORY_TABLES} WHERE b.name IS NOT NULL AND s.id`;

export const STORY_BY_ID: Lookup = { sql: `${STORY} IN`, key: 'id' };
const ONE_STORY = `${STORY} = ?`;

export async function findStory(reader: Reader, id: number): Promise<StoryView | undefined> {
  const [row] = await reader.query<StoryRow>(ONE_STORY, [id]);
  return row && representStory(row);
}

/** The stories of a board that have one of these ids, in no order. */
export async function findStories(
  reader: Reader,
  board: { id: number },
  ids: readonly number[],
): Promise<StoryView[]> {
  if (ids.length === 0) return [];
  // Without the `+` SQLite would rather go through the whole board than look for more than a few ids.
  const rows = await reader.query<StoryRow>(
    `SELECT ${STORY_COLUMNS} FROM ${STORY_TABLES} WHERE +s.board_id = ? AND s.id IN (${ids.map(() => '?').join(', ')})`,
    [board.id, ...ids],
  );
  return rows.map(representStory);
}

/**
 * Labels as a JSON array with a line break around each, which no JSON text can contain: so a label is
 * found by the plain text of `labelNeedle`, on every engine, exactly.
 */
export function storedLabels(labels: readonly string[]): string {
  if (labels.length === 0) return '[]';
  return `[\n${labels.map((label) => JSON.stringify(label)).join('\n,\n')}\n]`;
}

const labelNeedle = (label: string): string => `\n${JSON.stringify(label)}\n`;

/** More combining marks than follow each other in any language (UAX #15, Stream-Safe Text Format). */
const LONG_RUN = /\p{M}{30}(?=\p{M})/gu;

/* eslint-disable-next-line no-control-regex -- these are the code points of ASCII */
const ASCII = /^[\x00-\x7f]*$/;

/** Joins what is on both sides of it, and shows nothing. */
const COMBINING_GRAPHEME_JOINER = '\u034f';

/** A text in the form in which `q` compares it: the same for all spellings in upper and lower case. */
export function folded(text: string): string {
  // Most texts are plain ASCII, which has no other spellings.
  if (ASCII.test(text)) return text.toUpperCase();
  // To put a run of marks in order takes the square of its length.
  return text.replace(LONG_RUN, `$&${COMBINING_GRAPHEME_JOINER}`).normalize('NFC').toUpperCase();
}

/** What `q` searches of a story. */
export const searchable = (title: string, description: string | null): string =>
  folded(description === null ? title : `${title}\n${description}`);

/** The filter by time; with a `+` before it SQLite does not go by the index of it, and MySQL by this hint. */
const SINCE = 's.updated_at >= ?';
const NOT_BY_TIME = '/*! IGNORE INDEX (ix_stories_updated) */';

/** Some stories of a board, under the filters and in the order of the query; by default by `seq`, then `id`. */
export function storyList(
  board: { id: number },
  scope: { where: string; parameters: Parameter[]; oneList?: boolean },
  query: StoryListQuery,
): ListSource {
  const conditions = [scope.where];
  const parameters = [...scope.parameters];
  const add = (condition: string, ...values: Parameter[]): void => {
    conditions.push(condition);
    parameters.push(...values);
  };
  const filter = (name: string, values: readonly Parameter[] | undefined): void => {
    if (values === undefined) return;
    const given = values.filter((value) => value !== null);
    const alternatives = [
      ...(given.length > 0 ? [`s.${name} IN (${given.map(() => '?').join(', ')})`] : []),
      ...(given.length < values.length ? [`s.${name} IS NULL`] : []),
    ];
    add(`(${alternatives.join(' OR ')})`, ...given);
  };
  filter('status', query.status);
  filter('assignee', query.assignee);
  filter('priority', query.priority);
  filter('sprint_id', query.sprint_id);
  filter('external_id', query.external_id);
  if (query.label) {
    add(
      `(${query.label.map((label) => (label === null ? `s.labels = '[]'` : 'INSTR(s.labels, ?) > 0')).join(' OR ')})`,
      ...query.label.filter((label) => label !== null).map(labelNeedle),
    );
  }
  for (const word of wordsOf(query.q ?? '')) {
    add('INSTR(s.search, ?) > 0', folded(word));
  }
  const since = query.updated_since?.replace('T', ' ').slice(0, 23);
  if (since !== undefined) add(`+${SINCE}`, since);
  const { fields, sort = ['seq'], sprint_id: sprints = [] } = query;
  const order = storyOrder(sort);
  // Of several sprints both engines would rather go through the whole board in its order than sort.
  const several = sprints.length > 1 && !sprints.includes(null);
  const one = scope.oneList === true || sprints.length === 1;
  const where = conditions.join(' AND ');
  const hints = several ? [BY_LIST] : one ? [NOT_BY_BOARD] : [];
  return {
    columns: STORY_COLUMNS,
    from: hinted(...hints, ...(since === undefined ? [] : [NOT_BY_TIME])),
    where,
    parameters,
    ...(since !== undefined && {
      filtered: {
        from: hinted(...hints),
        where: where.replace(`+${SINCE}`, SINCE),
        found: `SELECT 1 AS one FROM stories s WHERE s.board_id = ? AND ${SINCE}`,
        parameters: [board.id, since],
      },
    }),
    // With a `+` SQLite cannot go by the order of the board either.
    order: several ? order.map((key) => ({ ...key, sql: `+${key.sql}` })) : order,
    ...(sort.join() !== 'seq' && { id: 's.id' }),
    represent: (row) => {
      const story = representStory(row as unknown as StoryRow);
      return fields ? Object.fromEntries(fields.map((name) => [name, story[name]])) : story;
    },
  };
}

const KINDS: Record<Sortable, SortKey['kind']> = {
  seq: 'integer',
  priority: 'integer',
  points: 'decimal',
  title: 'text',
  created_at: 'instant',
  updated_at: 'instant',
};

/** What has no value comes last, whichever way the rest goes. */
const FALLBACKS: Partial<Record<Sortable, number>> = { priority: 0, points: 0 };

function storyOrder(sort: string[]): SortKey[] {
  const keys = sort.flatMap((word): SortKey[] => {
    const descending = word.startsWith('-');
    const name = word.replace(/^-/, '') as Sortable;
    const fallback = FALLBACKS[name];
    const kind = KINDS[name];
    if (fallback === undefined) return [column(name, 's', kind, descending)];
    return [
      { sql: `(s.${name} IS NULL)`, kind: 'integer', of: (row) => Number(row[name] === null) },
      {
        sql: `COALESCE(s.${name}, ${fallback})`,
        kind,
        descending,
        of: (row) => (row[name] as number | null) ?? fallback,
      },
    ];
  });
  return [...keys, column('id', 's', 'integer')];
}
