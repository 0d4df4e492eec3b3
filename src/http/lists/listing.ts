import type { FastifyReply, FastifyRequest } from 'fastify';
import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import type { Database } from '../../database/database';
import type { Parameter, Reader } from '../../database/reader';
import { Answer } from '../responses/answer';
import { BOARD_REVISION } from '../responses/board-revision';
import { notModified } from '../responses/etag';
import { inParts, PART_LENGTH, readInSnapshot } from '../responses/stream';
import { FIRST_ROWS, ItemLengths, PROBE_ROWS } from './item-lengths';
import type { Location, Row } from './keyset';
import { decodeCursor, encodeCursor, locationOf, withParameters } from './keyset';
import { ListReader } from './list-reader';
import type { BoardRevision, ListSource } from './list-source';
import type { ListWriter } from './list-writer';
import { csvWriter, jsonWriter } from './list-writer';
import type { PageQuery } from './page.dto';

const lengths = new ItemLengths();

const IN_SNAPSHOT = Symbol('in a snapshot');

/**
 * A list, or a page of it, as a response. The memory for it is bounded, even if its rows are long and the
 * client reads slowly. A page begins after the sort keys of the last row of the page before (keyset
 * pagination), so it is stable while rows are added and deleted.
 */
export class Listing extends Answer {
  private location: Location;
  /** The keys that the page begins after. */
  private after: Parameter[] | undefined;
  /** Maximum items of the page. */
  private most = Infinity;
  /** The key of `lengths`. */
  private path = '';
  private reply: FastifyReply;
  private writer: ListWriter;
  private rows: ListReader;

  constructor(
    private readonly database: Database,
    private source: ListSource,
    private readonly page: PageQuery,
  ) {
    super();
    this.use(source);
  }

  get etag(): string | undefined {
    return this.source.board && this.tagOf(this.source.board);
  }

  get revision(): number | undefined {
    return this.source.board?.revision;
  }

  async open(request: FastifyRequest, reply: FastifyReply): Promise<string | Readable> {
    const { limit = Infinity, count } = this.page;
    this.location = locationOf(request.url);
    this.reply = reply;
    this.most = limit;
    this.begin();
    const { path } = this.location;
    // Items of another format have another length.
    this.path = this.format === 'json' ? path : `${path} ${this.format}`;
    const { indexed, revision } = this.source;
    let mayBeShort = true;
    if (indexed === true && !revision && this.format === 'json' && !count) {
      const rows = await this.probe(this.database);
      if (rows !== undefined || this.fitsPart()) {
        const answer = await this.readAtOnce(this.database, rows);
        if (answer !== IN_SNAPSHOT && answer !== undefined) return answer;
        mayBeShort = answer === IN_SNAPSHOT;
      }
    }
    return readInSnapshot(this.database, request, (snapshot) => this.read(snapshot, mayBeShort));
  }

  /** The unpaginated list as CSV, in parts. */
  async *csv(snapshot: Reader): AsyncGenerator<string> {
    this.writer = await this.tableOf(snapshot);
    yield* this.parts(snapshot);
  }

  /** Returns the response if it is short, otherwise its parts. */
  private async read(
    snapshot: Reader,
    mayBeShort: boolean,
  ): Promise<string | AsyncGenerator<string>> {
    if (this.source.resolve) {
      this.use(await this.source.resolve(snapshot));
      this.begin();
    }
    if (this.format === 'csv') this.writer = await this.tableOf(snapshot);
    if (this.page.count) this.reply.header('X-Total-Count', await this.rows.total(snapshot));
    const rows = await this.probe(snapshot);
    if (mayBeShort && this.fitsPart()) {
      const answer = await this.readAtOnce(snapshot, rows);
      if (typeof answer === 'string') return answer;
    }
    await this.tag(snapshot);
    if (!this.source.board) {
      // Such a list has no revision, so it is read twice: for its tag, then for the response.
      const etag = await digestOfParts(this.parts(snapshot));
      if (notModified(this.reply, etag)) return '';
    }
    if (this.most !== Infinity) {
      const [last, next] = await this.rows.read(snapshot, this.after, 2, this.most - 1);
      if (last && next) this.link(last);
    }
    return this.parts(snapshot);
  }

  /** Whether the first rows are short enough to be read at once. */
  private fitsPart(): boolean {
    return Math.min(this.most, FIRST_ROWS) <= lengths.rowsOfPart(this.path);
  }

  private use(source: ListSource): void {
    this.source = source;
    this.rows = new ListReader(source);
    this.writer = jsonWriter(source);
  }

  /** Reads the cursor. @throws Problem `invalid_request` if it belongs to another list */
  private begin(): void {
    const { cursor } = this.page;
    this.location.sprintId = this.source.sprintId;
    if (cursor !== undefined) this.after = decodeCursor(this.source.order, cursor, this.location);
  }

  private async tableOf(reader: Reader): Promise<ListWriter> {
    const table = await this.source.table?.(reader);
    if (!table) throw new Error(`${this.path} is not a table`);
    return csvWriter(table);
  }

  private tagOf(board: BoardRevision): string {
    const tag = this.source.board?.tagOf(board) ?? '';
    return this.format === 'json' ? tag : tag.replace(/"$/, `.${this.format}"`);
  }

  /**
   * If the length of the items is unknown, reads a few rows to estimate it.
   * @returns these rows if they are all that the response needs
   */
  private async probe(reader: Reader): Promise<Row[] | undefined> {
    if (lengths.has(this.path)) return undefined;
    const rows = await this.rows.read(reader, this.after, Math.min(PROBE_ROWS, this.most + 1));
    lengths.measured(this.path, this.writer.writeAll(rows).length, rows.length);
    return rows.length < PROBE_ROWS ? rows : undefined;
  }

  /**
   * Reads the whole response if it is short; otherwise returns undefined, or `IN_SNAPSHOT` if the list and the
   * revision of its board must be read in one snapshot.
   * @param known all rows that follow, if they were read already
   */
  private async readAtOnce(
    reader: Reader,
    known?: Row[],
  ): Promise<string | typeof IN_SNAPSHOT | undefined> {
    const wanted = Math.min(this.most, FIRST_ROWS);
    const rows = known ?? (await this.rows.read(reader, this.after, wanted + 1));
    const { board, resolve } = this.source;
    if (reader === this.database && board?.find) {
      if (rows.length === 0) return IN_SNAPSHOT;
      if (resolve && rows[0]?.__revision !== board.revision) return IN_SNAPSHOT;
    }
    await this.tag(reader, rows[0]);
    const hasMore = rows.length > wanted;
    if (hasMore && wanted < this.most) return undefined;
    const shown = rows.slice(0, wanted);
    const text = this.writer.writeAll(shown);
    lengths.measured(this.path, text.length, shown.length);
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

  private parts(reader: Reader): AsyncGenerator<string> {
    const { most } = this;
    const { begin, separator, end, write } = this.writer;
    return inParts<Row>({
      read: this.rows.readInParts(reader, this.after, most),
      write,
      begin,
      separator,
      end: end && `${end}\n`,
      most,
      size: {
        rows: () => lengths.rowsOfPart(this.path),
        measured: (length, rows) => lengths.measured(this.path, length, rows),
      },
    });
  }
}

async function digestOfParts(parts: AsyncGenerator<string>): Promise<string> {
  const digest = createHash('sha1');
  for await (const part of parts) digest.update(part);
  return `"${digest.digest('base64url')}"`;
}
