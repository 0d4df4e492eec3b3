import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Parameter, Reader } from '../database/engine';
import { Answer } from './answer';
import { calendarDay, flag, integer, Member, text } from './fields';
import { Problem } from './problem';

/** Rows that are read, and turned into text, in one go. */
const CHUNK = 500;

/** The same of a long list, between which others have their turn. */
const SLICE = 200;

/** Rows that are sooner sorted than looked for in an order. */
const FEW = 1000;

/** Opting into pages; every list takes these. */
export class PageQuery {
  @Member(integer(1, 1000), { description: 'Opts into pages of at most so many.' })
  limit?: number;

  @Member(text(4096, { blank: false }), {
    description: 'Where a page begins; taken from the `Link` of the page before.',
  })
  cursor?: string;

  @Member(flag, { description: 'Asks for `X-Total-Count`.' })
  count?: boolean;
}

/** A row with the columns that it is sorted by. */
type Row = Record<string, unknown>;

/** What a database can compare with a column of each kind: exactly what it may hold. */
const TAKEN = {
  integer: Number.isSafeInteger,
  decimal: Number.isFinite,
  text: (value: unknown) => typeof value === 'string',
  date: (value: unknown) => typeof value === 'string' && isDay(value),
  instant: (value: unknown) =>
    typeof value === 'string' && isDay(value.slice(0, 10)) && TIME_OF_DAY.test(value.slice(10)),
} as const satisfies Record<string, (value: unknown) => boolean>;

const isDay = (text: string): boolean => text.length === 10 && 'value' in calendarDay.read(text);
const TIME_OF_DAY = /^ ([01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}$/;

/** One of the keys that a list is sorted by; together they are unique. */
export interface SortKey {
  /** The expression in SQL, never null. */
  sql: string;
  kind: keyof typeof TAKEN;
  descending?: boolean;
  /** Its value in a row that was read. */
  of: (row: Row) => Parameter;
}

export const column = (
  name: string,
  alias: string,
  kind: SortKey['kind'],
  descending = false,
): SortKey => ({
  sql: `${alias}.${name}`,
  kind,
  descending,
  of: (row) => row[name] as Parameter,
});

/** Everything that a list is; `Listing` does the rest. */
export interface ListSource {
  /** `SELECT … FROM … WHERE …` in parts. */
  columns: string;
  from: string;
  where: string;
  parameters: Parameter[];
  /** Where a filter has an index of its own, which is of use as long as it leaves few rows to sort. */
  filtered?: FilteredSource;
  order: SortKey[];
  /**
   * The id of a row, a column of that name, where no index has the rows in this order: those of a
   * whole list are then put in order once, and not the rest of them for each chunk.
   */
  id?: string;
  represent: (row: Row) => object | undefined;
}

export interface FilteredSource {
  /** `FROM … WHERE …` in the words that let a database go by the index. */
  from: string;
  where: string;
  /** What the index finds, and how it is asked for that. */
  found: string;
  parameters: Parameter[];
}

type Database = Reader & { stream<T>(work: (reader: Reader) => Promise<T>): Promise<T> };

/**
 * A list that is about to be answered: whole, in bounded memory however long it is, or a page of it.
 * A page begins after the sort keys of the last row of the one before (a keyset), so that it stays
 * where it is while rows come and go.
 */
export class Listing extends Answer {
  constructor(
    private readonly database: Database,
    private source: ListSource,
    private readonly page: PageQuery,
    /** Changes whenever the list does; it may change more often. */
    readonly etag?: string,
  ) {
    super();
  }

  /** The JSON text of the answer, or a stream of it. */
  async open(request: FastifyRequest, reply: FastifyReply): Promise<string | Readable> {
    const { limit, cursor, count } = this.page;
    await this.choose();
    const place = placeOf(request.url);
    const after = cursor === undefined ? undefined : this.decode(cursor, place);
    if (count) reply.header('X-Total-Count', await this.total());
    if (limit === undefined) {
      const first = await this.read(this.database, after, CHUNK + 1);
      if (first.length <= CHUNK) return this.represent(first);
      const chunks = this.stream(after);
      // What refuses the whole list does so before the answer has begun.
      let begun: Promise<IteratorResult<string>> | undefined = Promise.resolve(await chunks.next());
      const rest: AsyncIterableIterator<string> = {
        next: () => {
          const next = begun ?? chunks.next();
          begun = undefined;
          return next;
        },
        return: () => chunks.return(undefined),
        [Symbol.asyncIterator]: () => rest,
      };
      return Readable.from(rest, { objectMode: false, highWaterMark: 1 << 16 });
    }
    const rows = await this.read(this.database, after, limit + 1);
    if (rows.length > limit) {
      rows.pop();
      const last = rows[rows.length - 1] as Row;
      const next = new URLSearchParams(place.parameters);
      next.set('cursor', this.encode(last, place));
      reply.header('Link', `<${place.path}?${next.toString()}>; rel="next"`);
    }
    return this.represent(rows);
  }

  /** Goes by the index of a filter where that leaves few rows, else by that of the order. */
  private async choose(): Promise<void> {
    const { filtered, ...source } = this.source;
    if (!filtered) return;
    const [more] = await this.database.query(
      `${filtered.found} LIMIT 1 OFFSET ${FEW}`,
      filtered.parameters,
    );
    const { from, where } = filtered;
    this.source = more ? source : { ...source, from, where };
  }

  /** All of it, one chunk after the other, from one snapshot. */
  private async *stream(after: Parameter[] | undefined): AsyncGenerator<string> {
    const chunks = new Channel<string>();
    const reading = this.database
      .stream(async (reader) => {
        let separator = '[';
        for await (const rows of this.chunks(reader, after)) {
          const text = this.represent(rows).slice(1, -1);
          if (text === '') continue;
          if (!(await chunks.put(separator + text))) return;
          separator = ',';
        }
        await chunks.put(separator === '[' ? '[]' : ']');
      })
      .then(
        () => chunks.end(),
        (error: unknown) => chunks.end(error),
      );
    try {
      yield* chunks;
    } finally {
      chunks.abandon();
      await reading;
    }
  }

  /** The rows in their order, so many at a time. */
  private async *chunks(reader: Reader, after: Parameter[] | undefined): AsyncGenerator<Row[]> {
    const { columns, from, order, id } = this.source;
    if (id !== undefined) {
      const ids = (await this.read(reader, after, undefined, id)).map((row) => row.id as number);
      for (let start = 0; start < ids.length; start += SLICE) {
        // Nothing here need wait for anything, so others would never have their turn.
        await nextTurn();
        const chunk = ids.slice(start, start + SLICE);
        const rows = await reader.query<Row>(
          `SELECT ${columns} FROM ${from} WHERE ${id} IN (${chunk.map(() => '?').join(', ')})`,
          chunk,
        );
        const places = new Map(chunk.map((one, place) => [one, place]));
        const placeOf = (row: Row): number => places.get(row.id as number) ?? 0;
        yield rows.sort((a, b) => placeOf(a) - placeOf(b));
      }
      return;
    }
    for (let position = after, more = true; more;) {
      await nextTurn();
      const rows = await this.read(reader, position, SLICE);
      more = rows.length === SLICE;
      const last = rows[rows.length - 1];
      if (last) position = order.map((key) => key.of(last));
      yield rows;
    }
  }

  private read(
    reader: Reader,
    after: Parameter[] | undefined,
    most: number | undefined,
    columns = this.source.columns,
  ): Promise<Row[]> {
    const { from, where, order, parameters } = this.source;
    const limit = most === undefined ? '' : ` LIMIT ${most}`;
    const rest = after ? keyset(order, after) : { sql: '', parameters: [] };
    const by = order.map((key) => key.sql + (key.descending ? ' DESC' : '')).join(', ');
    return reader.query<Row>(
      `SELECT ${columns} FROM ${from} WHERE ${where}${rest.sql} ORDER BY ${by}${limit}`,
      [...parameters, ...rest.parameters],
    );
  }

  private represent(rows: Row[]): string {
    return JSON.stringify(rows.map(this.source.represent).filter((item) => item !== undefined));
  }

  private async total(): Promise<number> {
    const { from, where, parameters } = this.source;
    const [row] = await this.database.query<{ total: number }>(
      `SELECT COUNT(*) AS total FROM ${from} WHERE ${where}`,
      parameters,
    );
    return row?.total ?? 0;
  }

  private encode(row: Row, place: Place): string {
    const keys = this.source.order.map((key) => key.of(row));
    return Buffer.from(JSON.stringify([bound(place), ...keys])).toString('base64url');
  }

  private decode(cursor: string, place: Place): Parameter[] {
    const { order } = this.source;
    try {
      const [to, ...keys] = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as unknown[];
      // They come back from outside.
      const valid = order.every(({ kind }, i) => TAKEN[kind](keys[i]));
      if (to === bound(place) && keys.length === order.length && valid) return keys as Parameter[];
    } catch {
      // Not one of ours, like a cursor of another list.
    }
    throw Problem.invalid([
      {
        parameter: 'cursor',
        code: 'invalid_cursor',
        detail: 'cursor does not belong to this list with these filters and this sort',
      },
    ]);
  }
}

/** Where a list was asked for: its path as it was sent, and its parameters. */
interface Place {
  path: string;
  parameters: URLSearchParams;
}

function placeOf(url: string): Place {
  const [path = '', query] = url.split(/[?#](.*)/s);
  return { path, parameters: new URLSearchParams(query) };
}

/** What a cursor is bound to: the path and the parameters, those of paging apart. */
function bound({ path, parameters }: Place): string {
  const others = [...parameters]
    .filter(([name]) => !['limit', 'cursor', 'count'].includes(name))
    .map((pair) => pair.join('='))
    .sort();
  return createHash('sha1')
    .update([path.replace(/\/$/, ''), ...others].join('\n'))
    .digest('base64url')
    .slice(0, 12);
}

/** The condition for rows that come after one with these keys. */
function keyset(order: SortKey[], keys: Parameter[]): { sql: string; parameters: Parameter[] } {
  const parameters: Parameter[] = [];
  const alternatives = order.map((key, i) => {
    const equal = order.slice(0, i).map((previous, j) => {
      parameters.push(keys[j] as Parameter);
      return `${previous.sql} = ? AND `;
    });
    parameters.push(keys[i] as Parameter);
    return `(${equal.join('')}${key.sql} ${key.descending ? '<' : '>'} ?)`;
  });
  const [first] = order as [SortKey];
  // Follows from the alternatives, but neither engine finds the range of an index in those.
  const range = ` AND ${first.sql} ${first.descending ? '<=' : '>='} ?`;
  return {
    sql: `${range} AND (${alternatives.join(' OR ')})`,
    parameters: [keys[0] as Parameter, ...parameters],
  };
}

/** Hands items from a producer to a consumer, one at a time, so that neither runs ahead. */
class Channel<T> implements AsyncIterable<T> {
  private item: { value: T } | undefined;
  private finished: { error?: unknown } | undefined;
  private abandoned = false;
  private wake: () => void = () => undefined;
  private taken: (wanted: boolean) => void = () => undefined;

  /** Fulfilled once the item is taken: false when nobody wants another. */
  put(value: T): Promise<boolean> {
    if (this.abandoned) return Promise.resolve(false);
    this.item = { value };
    this.wake();
    return new Promise((resolve) => (this.taken = resolve));
  }

  end(error?: unknown): void {
    this.finished = error === undefined ? {} : { error };
    this.wake();
  }

  abandon(): void {
    this.abandoned = true;
    this.taken(false);
  }

  async *[Symbol.asyncIterator](): AsyncIterator<T> {
    for (;;) {
      if (this.item) {
        const { value } = this.item;
        this.item = undefined;
        yield value;
        this.taken(true);
      } else if (this.finished) {
        if ('error' in this.finished) throw this.finished.error;
        return;
      } else {
        await new Promise<void>((resolve) => (this.wake = resolve));
      }
    }
  }
}
