import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { LRUCache } from 'lru-cache';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { SelectQueryBuilder } from 'typeorm';
import type { Database } from '../../database/database';
import type { Parameter, Reader } from '../../database/reader';
import { clientOf } from '../access';
import { Answer } from '../responses/answer';
import { BOARD_REVISION } from '../responses/board-revision';
import type { Cell } from '../responses/csv';
import { csvLine, guarded } from '../responses/csv';
import { matchesNone } from '../responses/etag';
import type { Location, Row, SortKey } from './keyset';
import { decodeCursor, encodeCursor, keyset, locationOf, withParameters } from './keyset';
import { inParts, PART_LENGTH, streamParts } from '../responses/stream';
import { Doc, Optional } from '../validation/property';
import { IsFlag } from '../validation/choices';
import { IsInteger } from '../validation/numbers';
import { IsText } from '../validation/text';

/** Rows of a list that are read at once while their length is unknown. */
const FIRST_ROWS = 60;

/** Rows that are read to estimate the length of the items of a list. */
const PROBE_ROWS = 4;

/** Maximum rows of a part. */
const MAX_ROWS = 500;

/** The average length of the items by path, for the number of rows of a part, whose length is bounded. */
const itemLengths = new LRUCache<string, number>({ max: 1000 });

/** Ids that are read at once if no index has the rows of a list in its order. */
const SORTED_IDS = 20_000;

/** The query parameters of every list. */
export class PageQuery {
  @Doc({ description: 'The greatest number of items on a page. Default: all items.' })
  @Optional()
  @IsInteger(1, 1000)
  limit?: number;

  @Doc({ description: 'The beginning of a page, from the `Link` of the page before.' })
  @Optional()
  @IsText(4096, { blank: false })
  cursor?: string;

  @Doc({ description: 'Whether the response has `X-Total-Count`.' })
  @Optional()
  @IsFlag()
  count?: boolean;
}

const IN_SNAPSHOT = Symbol('in a snapshot');

/** The source of a list. */
export interface ListSource {
  /** Builds the SELECT without order, limit and offset. It has a column `id` unless the list is `indexed`. */
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- of any entity
  query: () => SelectQueryBuilder<any>;
  /**
   * The same SELECT in plain SQL, for a list that is read often: building the query takes 150 to 250 µs.
   * With a `board` it has the columns `__revision` and `__revision_tag` of the board.
   */
  plain?: [sql: string, parameters: readonly unknown[]];
  order: SortKey[];
  /**
   * Whether an index has the rows in this order; `searched` if it has, but the conditions select few of
   * them. A list that is searched or sorted is read in a snapshot, which on SQLite does not block other
   * requests.
   */
  indexed: boolean | 'searched';
  represent: (row: never) => object | undefined;
  /** Returns the list as CSV. Reads what it needs besides the rows from their snapshot. */
  table?: (reader: Reader) => Promise<Table>;
  /**
   * The board of the list, which `query` has joined as `b`, and the entity tag of the list at a revision of
   * the board. The tag of a response has the revision that was read with the items. If there are no items,
   * `find` reads the board again, and throws if it, or the sprint or the story of the list, was deleted since.
   * Without `find` the items are those of this revision, even if they are read after a change.
   */
  board?: BoardRevision & {
    tagOf: (board: BoardRevision) => string;
    find?: (reader: Reader) => Promise<BoardRevision>;
  };
  /** Reads the revision of the list if it belongs to several boards. Such a list is read in a snapshot. */
  revision?: (reader: Reader) => Promise<number | undefined>;
  /**
   * Builds the source again if the board has changed since: a word in the path, such as `current`, may
   * refer to another sprint.
   */
  resolve?: (reader: Reader) => Promise<ListSource>;
  /** The query parameters of the page that follows a row; by default a cursor. */
  next?: (last: never) => Record<string, string>;
}

/** The revision of a board; the tag is random, so that a restored backup does not repeat it. */
export interface BoardRevision {
  id: number;
  revision: number;
  revision_tag: string;
}

/** A list as CSV. */
interface Table {
  columns: readonly string[];
  cells: (row: never) => Cell[];
}

/** Writes the rows of a list. */
interface Writer {
  begin: string;
  separator: string;
  end: string;
  write: (row: Row) => string | undefined;
  /** Writes a whole list, without a final newline. */
  writeAll: (rows: Row[]) => string;
}

/**
 * A list, or a page of it, as a response. The memory for it is bounded, even if its rows are long and the
 * client reads slowly. A page begins after the sort keys of the last row of the page before (keyset
 * pagination), so it is stable while rows are added and deleted.
 */
export class Listing extends Answer {
  private path = '';
  private location: Location;
  private reply: FastifyReply;
  private writer: Writer = {
    begin: '[',
    separator: ',',
    end: ']',
    write: (row) => {
      const item = this.represent(row);
      return item && JSON.stringify(item);
    },
    // In one call: 50 stories take 70 instead of 100 µs.
    writeAll: (rows) =>
      JSON.stringify(rows.map((row) => this.represent(row)).filter((item) => item !== undefined)),
  };
  private selection: [string, unknown[]] | undefined;

  constructor(
    private readonly database: Database,
    private source: ListSource,
    private readonly page: PageQuery,
  ) {
    super();
  }

  get etag(): string | undefined {
    return this.source.board && this.tagOf(this.source.board);
  }

  get revision(): number | undefined {
    return this.source.board?.revision;
  }

  async open(request: FastifyRequest, reply: FastifyReply): Promise<string | Readable> {
    const location = locationOf(request.url);
    this.location = location;
    this.reply = reply;
    const { limit, cursor, count } = this.page;
    const { order } = this.source;
    const after = cursor === undefined ? undefined : decodeCursor(order, cursor, location);
    const most = limit ?? Infinity;
    const isHead = request.method === 'HEAD';
    // Items of another format have another length.
    this.path = this.format === 'json' ? location.path : `${location.path} ${this.format}`;
    const fitsPart = (): boolean => Math.min(most, FIRST_ROWS) <= this.rowsOfPart();
    let mayBeShort = true;
    const isTable = this.format === 'csv';
    const isDirect = this.source.indexed === true && !this.source.revision && !isTable;
    if (isDirect && !count) {
      const rows = await this.probe(this.database, after, most);
      if (rows !== undefined || fitsPart()) {
        const answer = await this.readAtOnce(this.database, after, most, rows);
        if (answer !== IN_SNAPSHOT && answer !== undefined) return answer;
        mayBeShort = answer === IN_SNAPSHOT;
      }
    }
    const snapshot = await this.database.openStream(clientOf(request));
    try {
      if (this.source.resolve) this.source = await this.source.resolve(snapshot);
      if (isTable) this.writer = await this.tableOf(snapshot);
      if (count) reply.header('X-Total-Count', await this.total(snapshot));
      const rows = await this.probe(snapshot, after, most);
      mayBeShort &&= fitsPart();
      const answer = mayBeShort && (await this.readAtOnce(snapshot, after, most, rows));
      if (typeof answer === 'string') {
        await snapshot.close();
        return answer;
      }
      await this.tag(snapshot);
      if (!this.source.board) {
        // Such a list has no revision, so it is read twice: for its tag, then for the response.
        const etag = await digestOfParts(this.parts(snapshot, after, most));
        reply.header('ETag', etag);
        if (matchesNone(request.headers['if-none-match'], etag)) {
          await snapshot.close();
          reply.code(304);
          return '';
        }
      }
      if (isHead && most === Infinity) {
        await snapshot.close();
        // No header of a long list depends on the rows that follow.
        return Readable.from([]);
      }
      if (most !== Infinity) {
        const [last, next] = await this.read(snapshot, after, 2, most - 1);
        if (last && next) this.link(last);
      }
    } catch (error) {
      await snapshot.close();
      throw error;
    }
    return streamParts(this.parts(snapshot, after, most), snapshot);
  }

  /** The whole list as CSV, in parts. */
  async *csv(snapshot: Reader): AsyncGenerator<string> {
    this.writer = await this.tableOf(snapshot);
    yield* this.parts(snapshot, undefined, Infinity);
  }

  private async tableOf(reader: Reader): Promise<Writer> {
    const table = await this.source.table?.(reader);
    if (!table) throw new Error(`${this.path} is no table`);
    const write = (row: Row): string => csvLine(table.cells(row as never).map(guarded));
    const begin = csvLine(table.columns);
    const writeAll = (rows: Row[]): string => begin + rows.map(write).join('');
    return { begin, separator: '', end: '', write, writeAll };
  }

  /** The representation of a row, without the columns of the board: JSON leaves out undefined properties. */
  private represent(row: Row): object | undefined {
    const item = this.source.represent(row as never);
    return item && Object.assign(item, { __revision: undefined, __revision_tag: undefined });
  }

  private tagOf(board: BoardRevision): string {
    const tag = this.source.board?.tagOf(board) ?? '';
    return this.format === 'json' ? tag : tag.replace(/"$/, `.${this.format}"`);
  }

  /**
   * If the length of the items is unknown, reads a few rows to estimate it.
   * @returns these rows if they are all that the response needs
   */
  private async probe(
    reader: Reader,
    after: Parameter[] | undefined,
    most: number,
  ): Promise<Row[] | undefined> {
    if (itemLengths.has(this.path)) return undefined;
    const rows = await this.read(reader, after, Math.min(PROBE_ROWS, most + 1));
    this.measured(this.writer.writeAll(rows).length, rows.length);
    return rows.length < PROBE_ROWS ? rows : undefined;
  }

  /**
   * Reads the whole response if it is short; otherwise returns undefined, or `IN_SNAPSHOT` if the list and the
   * revision of its board must be read in one snapshot.
   * @param known all rows that follow, if they were read already
   */
  private async readAtOnce(
    reader: Reader,
    after: Parameter[] | undefined,
    most: number,
    known?: Row[],
  ): Promise<string | typeof IN_SNAPSHOT | undefined> {
    const wanted = Math.min(most, FIRST_ROWS);
    const rows = known ?? (await this.read(reader, after, wanted + 1));
    const { board, resolve } = this.source;
    if (reader === this.database && board?.find) {
      if (rows.length === 0) return IN_SNAPSHOT;
      if (resolve && rows[0]?.__revision !== board.revision) return IN_SNAPSHOT;
    }
    await this.tag(reader, rows[0]);
    const hasMore = rows.length > wanted;
    if (hasMore && wanted < most) return undefined;
    const shown = rows.slice(0, wanted);
    const text = this.writer.writeAll(shown);
    this.measured(text.length, shown.length);
    if (text.length > PART_LENGTH) return undefined;
    if (hasMore) this.link(shown[wanted - 1] as Row);
    return text;
  }

  /** Sets the link to the page after a row. */
  private link(last: Row): void {
    const { location } = this;
    const { next, order } = this.source;
    const parameters = next?.(last as never) ?? { cursor: encodeCursor(order, last, location) };
    const query = withParameters(location, parameters);
    this.reply.header('Link', `<${location.path}?${query}>; rel="next"`);
  }

  /** Sets the headers of the revision at which the rows were read, and of its entity tag. */
  private async tag(reader: Reader, row?: Row): Promise<void> {
    const { board, revision } = this.source;
    if (revision) {
      const now = await revision(reader);
      if (now !== undefined) this.reply.header(BOARD_REVISION, now);
    }
    if (!board) return;
    let now: BoardRevision = board;
    if (row && board.find) {
      const [revision, revision_tag] = [row.__revision as number, row.__revision_tag as string];
      now = { id: board.id, revision, revision_tag };
    } else if (board.find) {
      // Without a row, the list and its board are read in one snapshot.
      now = await board.find(reader);
    }
    this.reply.header('ETag', this.tagOf(now)).header(BOARD_REVISION, now.revision);
  }

  private async *parts(
    reader: Reader,
    after: Parameter[] | undefined,
    most: number,
  ): AsyncGenerator<string> {
    const { begin, separator, end, write } = this.writer;
    yield* inParts<Row>({
      read: this.source.indexed ? this.byKeyset(reader, after) : this.byIds(reader, after, most),
      write,
      begin,
      separator,
      end: end && `${end}\n`,
      most,
      size: {
        rows: () => this.rowsOfPart(),
        measured: (length, rows) => this.measured(length, rows),
      },
    });
  }

  /** Returns the number of rows of a part, by the average length of the items of the path. */
  private rowsOfPart(): number {
    const length = itemLengths.get(this.path);
    if (length === undefined) return FIRST_ROWS;
    return Math.max(1, Math.min(MAX_ROWS, Math.floor(PART_LENGTH / length)));
  }

  private byKeyset(
    reader: Reader,
    after: Parameter[] | undefined,
  ): (previous: Row | undefined, count: number) => Promise<Row[]> {
    return (previous, count) =>
      this.read(reader, previous ? this.source.order.map((key) => key.of(previous)) : after, count);
  }

  /** Sorts the ids once; each part then reads its rows by id. */
  private byIds(
    reader: Reader,
    after: Parameter[] | undefined,
    most: number,
  ): (previous: Row | undefined, count: number) => Promise<Row[]> {
    const ids: number[] = [];
    let offset = 0;
    let next = 0;
    return async (previous, count): Promise<Row[]> => {
      if (previous) next = ids.indexOf(previous.id as number, Math.max(0, next - MAX_ROWS)) + 1;
      if (next + count > ids.length && offset === ids.length) {
        const rows = await this.read(
          reader,
          after,
          Math.min(SORTED_IDS, most - offset),
          offset,
          true,
        );
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
      const rows = await reader.query<Row>(sql, parameters);
      const byId = new Map(rows.map((row) => [row.id as number, row]));
      return wanted.flatMap((id): Row[] => {
        const row = byId.get(id);
        return row ? [row] : [];
      });
    };
  }

  private get idColumn(): string {
    return `${this.source.query().alias}.id`;
  }

  private read(
    reader: Reader,
    after: Parameter[] | undefined,
    count: number,
    offset = 0,
    onlyIds = false,
  ): Promise<Row[]> {
    const { order } = this.source;
    const [sql, parameters] = onlyIds
      ? this.source.query().select(this.idColumn, 'id').getQueryAndParameters()
      : this.select();
    const by = order.map((key) => key.sql + (key.descending ? ' DESC' : '')).join(', ');
    const limits = ` ORDER BY ${by} LIMIT ${count}${offset > 0 ? ` OFFSET ${offset}` : ''}`;
    const rest = after ? keyset(order, after) : { sql: '', parameters: [] };
    return reader.query<Row>(sql + rest.sql + limits, [...parameters, ...rest.parameters]);
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

  /**
   * Updates the average length of the items of the path. Few rows change it little, and many halve it at
   * most: long rows may follow short ones, and every list of events begins with a short one.
   */
  private measured(length: number, items: number): void {
    if (items === 0) return;
    const before = itemLengths.get(this.path) ?? length / items;
    const average = (PROBE_ROWS * before + length) / (PROBE_ROWS + items);
    itemLengths.set(this.path, Math.max(average, before / 2));
  }

  private async total(reader: Reader): Promise<number> {
    const query = this.source.query().select('COUNT(*)', 'total');
    const [sql, parameters] = query.getQueryAndParameters();
    const [row] = await reader.query<{ total: number }>(sql, parameters);
    return row?.total ?? 0;
  }
}

async function digestOfParts(parts: AsyncGenerator<string>): Promise<string> {
  const digest = createHash('sha1');
  for await (const part of parts) digest.update(part);
  return `"${digest.digest('base64url')}"`;
}
