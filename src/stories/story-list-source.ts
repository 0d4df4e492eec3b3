import type { Repository, SelectQueryBuilder } from 'typeorm';
import { wordsOf } from '../http/lists/filters';
import type { SortKey } from '../http/lists/keyset';
import { column } from '../http/lists/keyset';
import type { ListSource } from '../http/lists/list-source';
import type { PageQuery } from '../http/lists/page.dto';
import { fieldError, Problem } from '../http/problem';
import { fromRfc3339 } from '../time/clock';
import { CSV_COLUMNS, csvCells, readSprintLabels } from './story-csv';
import { folded, labelPattern } from './story-text';
import type { Sortable, StoryListQuery } from './story.dto';
import type { Story } from './story.entity';
import type { StoryRow } from './story.queries';
import { representStory, STORY_COLUMNS } from './story.queries';

/** The resource whose stories are listed: a board or, with `sprintId`, a sprint or the backlog. */
interface ListParent {
  boardId: number;
  /** Null: the backlog. */
  sprintId?: number | null;
}

/**
 * Selects the stories of a parent with the filters and the order of a query; by default by `seq`, then `id`.
 * @param isRecent whether few stories of the board pass the filter `updated_since`
 */
export function storyListSource(
  stories: Repository<Story>,
  { boardId, sprintId }: ListParent,
  query: StoryListQuery,
  isRecent: boolean,
): ListSource {
  const { fields, sort = ['seq'], external_id: externalIds, updated_since: since } = query;
  const sprints = sprintId === undefined ? query.sprint_id : [sprintId];
  const isOneList = sprints?.length === 1;
  const isOfSprints = !isOneList && sprints?.includes(null) === false;
  const isOfIds = externalIds?.includes(null) === false;

  const build = (): SelectQueryBuilder<Story> => {
    const builder = stories
      .createQueryBuilder('s')
      .select(STORY_COLUMNS)
      .innerJoin('s.board', 'b')
      .where('s.board_id = :boardId AND b.name IS NOT NULL', { boardId });
    if (sprintId === null) builder.andWhere('s.sprint_id IS NULL');
    else if (sprintId !== undefined) builder.andWhere('s.sprint_id = :sprintId', { sprintId });
    for (const name of FILTER_NAMES) {
      const value = query[name];
      if (value !== undefined) FILTERS[name](builder, value as never, isRecent);
    }
    // Without a hint, MySQL and MariaDB read a large board in its order to avoid sorting a few matching stories.
    if (isRecent) builder.useIndex('ix_stories_updated');
    else if (!isOfIds && (isOneList || isOfSprints)) builder.useIndex('ix_stories_list');
    else if (!isOfIds && since !== undefined) builder.useIndex('ix_stories_board');
    return builder;
  };
  // SQLite also reads a large board in its order, unless the order is by expressions.
  const order = sortKeys(sort).map((key) =>
    isOfIds || isOfSprints ? { ...key, sql: `+${key.sql}` } : key,
  );
  const isFiltered = FILTER_NAMES.some(
    // A filter by one sprint is served by the index of the order.
    (name) => query[name] !== undefined && !(name === 'sprint_id' && isOneList),
  );
  const isPlain = !isFiltered && query.sprint_id === undefined && sort.join() === 'seq';
  return {
    query: build,
    plain: isPlain ? plainList({ boardId, sprintId }) : undefined,
    order,
    indexed: sort.join() === 'seq' && (!isFiltered || isOfIds || isRecent),
    represent: (row: StoryRow) => {
      const story = representStory(row);
      if (!fields) return story;
      return Object.fromEntries(fields.map((name) => [name, story[name as keyof typeof story]]));
    },
    table: async (reader) => {
      if (fields) throw Problem.invalid([NO_FIELDS]);
      const sprints = await readSprintLabels(reader, boardId);
      return {
        columns: CSV_COLUMNS,
        cells: (row: StoryRow) => csvCells(representStory(row), sprints),
      };
    },
  };
}

const NO_FIELDS = fieldError(
  'parameter',
  'fields',
  'excluded',
  'cannot be combined with CSV, whose columns are those of the import',
);

/** The hottest list, without filters, in plain SQL. */
function plainList({ boardId, sprintId }: ListParent): [string, readonly unknown[]] {
  const [index, where] =
    sprintId === undefined
      ? ['ix_stories_board', '']
      : [
          'ix_stories_list',
          sprintId === null ? ' AND s.sprint_id IS NULL' : ' AND s.sprint_id = ?',
        ];
  // Only MySQL and MariaDB execute the comment.
  const sql = `SELECT ${STORY_COLUMNS}, b.revision AS __revision, b.revision_tag AS __revision_tag
    FROM stories s /*! USE INDEX (${index}) */ JOIN boards b ON b.id = s.board_id
    WHERE s.board_id = ? AND b.name IS NOT NULL${where}`;
  return [sql, sprintId ? [boardId, sprintId] : [boardId]];
}

export type FilterName = Exclude<
  keyof StoryListQuery,
  keyof PageQuery | 'sort' | 'fields' | 'format'
>;
type Filter<Value> = (builder: SelectQueryBuilder<Story>, value: Value, isRecent: boolean) => void;

/** A filter for rows whose column has one of the values; null may be one of them. */
const oneOf =
  (name: string): Filter<readonly unknown[]> =>
  (builder, values) => {
    const given = values.filter((value) => value !== null);
    const conditions = [
      ...(given.length > 0 ? [`s.${name} IN (:...${name})`] : []),
      ...(given.length < values.length ? [`s.${name} IS NULL`] : []),
    ];
    builder.andWhere(`(${conditions.join(' OR ')})`, { [name]: given });
  };

const FILTERS: { [Name in FilterName]-?: Filter<NonNullable<StoryListQuery[Name]>> } = {
  status: oneOf('status'),
  assignee: oneOf('assignee'),
  priority: oneOf('priority'),
  sprint_id: oneOf('sprint_id'),
  external_id: oneOf('external_id'),
  label: (builder, labels) => {
    const conditions = labels.map((label, i) => {
      if (label === null) return `s.labels = '[]'`;
      builder.setParameter(`label${i}`, labelPattern(label));
      return `INSTR(s.labels, :label${i}) > 0`;
    });
    builder.andWhere(`(${conditions.join(' OR ')})`);
  },
  q: (builder, texts) => {
    let count = 0;
    const conditions = texts.map((text) => {
      const contained = wordsOf(text ?? '').map((word) => {
        count += 1;
        builder.setParameter(`word${count}`, folded(word));
        return `INSTR(s.search, :word${count}) > 0`;
      });
      return contained.join(' AND ');
    });
    // Every story has all of no words.
    if (!conditions.includes('')) builder.andWhere(`(${conditions.join(' OR ')})`);
  },
  updated_since: (builder, instant, isRecent) => {
    // The `+` makes it an expression, for which SQLite uses no index.
    builder.andWhere(`${isRecent ? '' : '+'}s.updated_at >= :since`, {
      since: fromRfc3339(instant),
    });
  },
};
const FILTER_NAMES = Object.keys(FILTERS) as FilterName[];

/** How the keys of a sort are compared. `ifNull` replaces null; a key before it puts null last. */
const SORT_KEYS: Record<Sortable, { kind: SortKey['kind']; ifNull?: number }> = {
  seq: { kind: 'integer' },
  priority: { kind: 'integer', ifNull: 0 },
  points: { kind: 'decimal', ifNull: 0 },
  title: { kind: 'text' },
  created_at: { kind: 'instant' },
  updated_at: { kind: 'instant' },
};

/** The keys of a sort, then the id. Null comes last in either direction. */
function sortKeys(sort: string[]): SortKey[] {
  const keys = sort.flatMap((word): SortKey[] => {
    const descending = word.startsWith('-');
    const name = word.replace(/^-/, '') as Sortable;
    const { kind, ifNull } = SORT_KEYS[name];
    const key = column(name, 's', kind, descending);
    if (ifNull === undefined) return [key];
    return [
      { sql: `(s.${name} IS NULL)`, kind: 'integer', of: (row) => Number(row[name] === null) },
      {
        ...key,
        sql: `COALESCE(s.${name}, ${ifNull})`,
        of: (row) => (row[name] ?? ifNull) as number,
      },
    ];
  });
  return [...keys, column('id', 's', 'integer')];
}
