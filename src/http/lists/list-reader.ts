import type { Parameter, Reader } from '../../database/reader';
import { countFitting, PART_LENGTH } from '../responses/parts';
import { MAX_ROWS } from './item-lengths';
import type { Row } from './keyset';
import { keyset } from './keyset';
import type { ListSource } from './list-source';

/** Ids that are read at once if no index has the rows of a list in its order. */
const SORTED_IDS = 20_000;

/** Reads at most `count` rows after a row, or the first ones. */
type ReadPart = (previous: Row | undefined, count: number) => Promise<Row[]>;

/** Reads the rows of a list. */
export class ListReader {
  private selection: [string, unknown[]] | undefined;

  /** @param after the sort keys of the row that the first ones follow */
  constructor(
    private readonly reader: Reader,
    private readonly source: ListSource,
    private readonly after?: Parameter[],
  ) {}

  /** Reads at most `count` rows after a row, or the first ones; by default whole rows. */
  read(
    previous: Row | undefined,
    count: number,
    offset = 0,
    [sql, parameters] = this.select(),
  ): Promise<Row[]> {
    const { order } = this.source;
    const after = previous ? order.map((key) => key.of(previous)) : this.after;
    const by = order.map((key) => key.sql + (key.descending ? ' DESC' : '')).join(', ');
    const limits = ` ORDER BY ${by} LIMIT ${count}${offset > 0 ? ` OFFSET ${offset}` : ''}`;
    const rest = after ? keyset(order, after) : { sql: '', parameters: [] };
    return this.reader.query<Row>(sql + rest.sql + limits, [...parameters, ...rest.parameters]);
  }

  /** The SELECT of whole rows; it ends with its conditions. */
  private select(): readonly [string, readonly unknown[]] {
    if (this.source.plain) return this.source.plain;
    if (!this.selection) {
      const query = this.source.query();
      if (this.source.board) {
        query.addSelect('b.revision', '__revision').addSelect('b.revision_tag', '__revision_tag');
      }
      this.selection = query.getQueryAndParameters();
    }
    return this.selection;
  }

  /** Returns how many of `count` rows may be read at once: fewer if their `bytes` are more than those of a part. */
  async fitting(previous: Row | undefined, count: number): Promise<number> {
    const { bytes } = this.source;
    if (bytes === undefined) return count;
    const select = this.source.query().select(bytes, 'bytes').getQueryAndParameters();
    const rows = await this.read(previous, count, 0, select);
    const fitting = countFitting(
      rows.map((row) => Number(row.bytes)),
      PART_LENGTH,
    );
    return fitting === rows.length ? count : fitting;
  }

  /** Counts the rows of all pages. */
  async total(): Promise<number> {
    const query = this.source.query().select('COUNT(*)', 'total');
    const [sql, parameters] = query.getQueryAndParameters();
    const [row] = await this.reader.query<{ total: number }>(sql, parameters);
    return row?.total ?? 0;
  }

  /** Returns a function that reads the rows of a long list one after the other. */
  readInParts(most: number): ReadPart {
    if (!this.source.indexed) return this.byIds(most);
    return (previous, count) => this.read(previous, count);
  }

  private get idColumn(): string {
    return `${this.source.query().alias}.id`;
  }

  /** Sorts the ids once; each part then reads its rows by id. */
  private byIds(most: number): ReadPart {
    const ids: number[] = [];
    let offset = 0;
    let next = 0;
    return async (previous, count): Promise<Row[]> => {
      if (previous) next = ids.indexOf(previous.id as number, Math.max(0, next - MAX_ROWS)) + 1;
      if (next + count > ids.length && offset === ids.length) {
        const onlyIds = this.source.query().select(this.idColumn, 'id').getQueryAndParameters();
        const limit = Math.min(SORTED_IDS, most - offset);
        const rows = await this.read(undefined, limit, offset, onlyIds);
        ids.push(...rows.map((row) => row.id as number));
        offset += SORTED_IDS;
      }
      const wanted = ids.slice(next, next + count);
      if (wanted.length === 0) return [];
      // The conditions have already selected the ids; with conditions both engines would read the whole board.
      const [sql, parameters] = this.source
        .query()
        .useIndex('PRIMARY')
        .where(`${this.idColumn} IN (${wanted.join(', ')})`)
        .getQueryAndParameters();
      const rows = await this.reader.query<Row>(sql, parameters);
      const byId = new Map(rows.map((row) => [row.id as number, row]));
      return wanted.map((id) => byId.get(id) as Row);
    };
  }
}
