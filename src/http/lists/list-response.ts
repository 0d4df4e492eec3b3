import type { FastifyReply } from 'fastify';
import { createHash } from 'node:crypto';
import type { Reader } from '../../database/reader';
import { BOARD_REVISION } from '../responses/board-revision';
import { notModified } from '../responses/etag';
import type { Format } from '../responses/formats';
import { inParts, PART_LENGTH } from '../responses/parts';
import type { ItemLengths } from './item-lengths';
import { FIRST_ROWS, PROBE_ROWS } from './item-lengths';
import type { Location, Row } from './keyset';
import { decodeCursor, encodeCursor, locationOf } from './keyset';
import { ListReader } from './list-reader';
import type { BoardRevision, ListSource } from './list-source';
import type { ListWriter } from './list-writer';
import type { PageQuery } from './page.dto';

/** The request for a list, and the reply that gets its headers. */
interface ListRequest {
  page: PageQuery;
  format: Format;
  reply: FastifyReply;
  lengths: ItemLengths;
}

/** Reads a list, or a page of it, and sets the headers of its response. */
export class ListResponse {
  private readonly rows: ListReader;
  private readonly location: Location;
  /** Under which `lengths` has the average of this list: its path and format. */
  private readonly key: string;
  /** Maximum items of the page. */
  private readonly most: number;

  /** @throws Problem `invalid_request` if the cursor belongs to another list */
  constructor(
    private readonly reader: Reader,
    private readonly source: ListSource,
    private readonly writer: ListWriter,
    private readonly request: ListRequest,
  ) {
    const { page, format, reply } = request;
    this.location = locationOf(reply.request.url, source.ownerId);
    const { path } = this.location;
    // Items of another format have another length.
    this.key = format === 'json' ? path : `${path} ${format}`;
    this.most = page.limit ?? Infinity;
    const { cursor } = page;
    const after =
      cursor === undefined ? undefined : decodeCursor(source.order, cursor, this.location);
    this.rows = new ListReader(reader, source, after);
  }

  /** Reads the response in a snapshot. Returns it if it is short, otherwise its parts. */
  async read(): Promise<string | AsyncGenerator<string>> {
    const { page, reply } = this.request;
    // An earlier attempt, whose connection was lost, may have found a next page.
    reply.removeHeader('Link');
    if (page.count) reply.header('X-Total-Count', await this.rows.total());
    const text = await this.readIfShort({ inSnapshot: true });
    if (text !== undefined) return text;
    await this.tag();
    if (!this.source.board) {
      // Such a list has no revision, so it is read twice: for its tag, then for the response.
      const etag = await digestOfParts(this.parts());
      if (notModified(reply, etag)) return '';
    }
    if (this.most !== Infinity) {
      const [last, next] = await this.rows.read(undefined, 2, this.most - 1);
      if (last && next) this.link(last);
    }
    return this.parts();
  }

  /**
   * Reads the whole response at once. Returns undefined if it is not short, or if the list and the revision of its
   * board must be read in one snapshot.
   */
  async readIfShort({ inSnapshot }: { inSnapshot: boolean }): Promise<string | undefined> {
    const { lengths } = this.request;
    const wanted = Math.min(this.most, FIRST_ROWS);
    let rows = await this.probe();
    if (!rows) {
      if (wanted > lengths.rowsOfPart(this.key)) return undefined;
      const fitting = await this.rows.fitting(undefined, wanted + 1);
      if (fitting <= wanted) return undefined;
      rows = await this.rows.read(undefined, wanted + 1);
    }
    const { board, resolve } = this.source;
    if (!inSnapshot && board?.find) {
      if (rows.length === 0) return undefined;
      if (resolve && rows[0]?.__revision !== board.revision) return undefined;
    }
    await this.tag(rows[0]);
    const hasMore = rows.length > wanted;
    if (hasMore && wanted < this.most) return undefined;
    const shown = rows.slice(0, wanted);
    const text = this.writer.writeAll(shown);
    lengths.measured(this.key, text.length, shown.length);
    if (text.length > PART_LENGTH) return undefined;
    if (hasMore) this.link(shown[wanted - 1] as Row);
    return text;
  }

  /**
   * If the length of the items is unknown, reads a few rows to estimate it.
   * @returns these rows if they are all that the response needs
   */
  private async probe(): Promise<Row[] | undefined> {
    const { lengths } = this.request;
    if (lengths.has(this.key)) return undefined;
    const rows = await this.rows.read(undefined, Math.min(PROBE_ROWS, this.most + 1));
    lengths.measured(this.key, this.writer.writeAll(rows).length, rows.length);
    return rows.length < PROBE_ROWS ? rows : undefined;
  }

  /** Sets the link to the page after a row. */
  private link(last: Row): void {
    const { location } = this;
    const { next, order } = this.source;
    const parameters = next?.(last as never) ?? { cursor: encodeCursor(order, last, location) };
    const query = new URLSearchParams(location.parameters);
    for (const [name, value] of Object.entries(parameters)) query.set(name, value);
    this.request.reply.header('Link', `<${location.path}?${query.toString()}>; rel="next"`);
  }

  /** Sets the headers of the revision at which the rows were read, and of its entity tag. */
  private async tag(row?: Row): Promise<void> {
    const { board, revision } = this.source;
    const { format, reply } = this.request;
    if (revision) {
      const now = await revision(this.reader);
      if (now !== undefined) reply.header(BOARD_REVISION, now);
    }
    if (!board) return;
    let now: BoardRevision = board;
    if (row && board.find) {
      const [revision, revision_tag] = [row.__revision as number, row.__revision_tag as string];
      now = { id: board.id, revision, revision_tag };
    } else if (board.find) {
      // Without a row, the list and its board are read in one snapshot.
      now = await board.find(this.reader);
    }
    const etag = tagIn(format, board.tagOf(now));
    reply.header('ETag', etag).header(BOARD_REVISION, now.revision);
  }

  private parts(): AsyncGenerator<string> {
    const { rows, writer, key, most } = this;
    return partsOfList(rows, writer, { lengths: this.request.lengths, key, most });
  }
}

/** A part of a list, and the average lengths with the key of this list. */
interface PartOfList {
  lengths: ItemLengths;
  key: string;
  most: number;
}

/** Reads and writes a list in parts of bounded length. */
export function partsOfList(
  rows: ListReader,
  { begin, separator, end, write }: ListWriter,
  { lengths, key, most }: PartOfList,
): AsyncGenerator<string> {
  return inParts<Row>({
    read: rows.readInParts(most),
    write,
    begin,
    separator,
    end: end && `${end}\n`,
    most,
    size: {
      rows: (last) => rows.fitting(last, lengths.rowsOfPart(key)),
      measured: (length, count) => lengths.measured(key, length, count),
    },
  });
}

/** Returns the entity tag of a list in a format. @param tag that of the JSON */
export const tagIn = (format: Format, tag: string): string =>
  format === 'json' ? tag : tag.replace(/"$/, `.${format}"`);

async function digestOfParts(parts: AsyncGenerator<string>): Promise<string> {
  const digest = createHash('sha1');
  for await (const part of parts) digest.update(part);
  return `"${digest.digest('base64url')}"`;
}
