import type { SelectQueryBuilder } from 'typeorm';
import type { BoardRow } from '../../database/board-row';
import type { Reader } from '../../database/reader';
import type { Cell } from '../responses/csv';
import type { SortKey } from './keyset';

/** The source of a list. */
export interface ListSource {
  /** Builds the SELECT without order, limit and offset. It has a column `id` unless the list is `indexed`. */
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- of any entity
  query: () => SelectQueryBuilder<any>;
  /**
   * The same SELECT in plain SQL, with all its conditions, for a list that is read often: building the query takes
   * 150 to 250 µs. With a `board` it has the columns `__revision` and `__revision_tag` of the board.
   */
  plain?: [sql: string, parameters: readonly unknown[]];
  order: SortKey[];
  /**
   * Whether an index has the rows in this order; `searched` if it has, but the conditions select few of
   * them. A list that is searched or sorted is read in a snapshot, which on SQLite does not block other
   * requests.
   */
  indexed: boolean | 'searched';
  /** SQL of the bytes of a row, if they vary so much that the average length does not bound a part. */
  bytes?: string;
  /** The representation of a row, without the columns of the board. */
  represent: (row: never) => object;
  /** Returns the list as CSV. Reads what it needs besides the rows from their snapshot. */
  table?: (reader: Reader) => Promise<Table>;
  /**
   * The board of the list, which `query` has joined as `b`, and the entity tag of the list at a revision of
   * the board. The tag of a response has the revision that was read with the items. If there are no items,
   * `find` reads the revision again, and throws if the board, sprint or story of the list was deleted since.
   * Without `find`, the source itself limits the items to this revision.
   */
  board?: BoardRevision & {
    tagOf: (board: BoardRevision) => string;
    find?: (reader: Reader) => Promise<BoardRevision>;
  };
  /** Reads the revision of the list if it belongs to several boards. Such a list is read in a snapshot. */
  revision?: (reader: Reader) => Promise<number | undefined>;
  /**
   * Builds the source again if the board has changed since: a word in the path, such as `current`, may
   * refer to another sprint, and the board may have another time zone and so another day.
   */
  resolve?: (reader: Reader) => Promise<ListSource>;
  /**
   * The id of the board or sprint whose list it is. A cursor is valid only for its list, because a name or a word in
   * the path may name another one later.
   */
  ownerId?: number;
  /** The query parameters of the page that follows a row; by default a cursor. */
  next?: (last: never) => Record<string, string>;
}

/** The revision of a board; the tag is random, so that a restored backup does not repeat it. */
export type BoardRevision = Pick<BoardRow, 'id' | 'revision' | 'revision_tag'>;

/** A list as CSV. */
export interface Table {
  columns: readonly string[];
  cells: (row: never) => Cell[];
}
