import type { FastifyReply } from 'fastify';
import type { Readable } from 'node:stream';
import type { Database } from '../../database/database';
import type { Reader } from '../../database/reader';
import { Answer } from '../responses/answer';
import { readInSnapshot } from '../responses/stream';
import { itemLengthsOf } from './item-lengths';
import { ListReader } from './list-reader';
import { ListResponse, partsOfList, tagIn } from './list-response';
import type { ListSource } from './list-source';
import type { ListWriter } from './list-writer';
import { csvWriter, jsonWriter } from './list-writer';
import type { PageQuery } from './page.dto';

/**
 * A list, or a page of it, as a response. The memory for it is bounded, even if its rows are long and the
 * client reads slowly. A page begins after the sort keys of the last row of the page before (keyset
 * pagination), so it is stable while rows are added and deleted.
 */
export class Listing extends Answer {
  constructor(
    private readonly database: Database,
    private readonly source: ListSource,
    private readonly page: PageQuery,
  ) {
    super();
  }

  get etag(): string | undefined {
    const { board } = this.source;
    return board && tagIn(this.format, board.tagOf(board));
  }

  get revision(): number | undefined {
    return this.source.board?.revision;
  }

  async open(reply: FastifyReply): Promise<string | Readable> {
    const { database, source, page, format } = this;
    const asked = { page, format, reply, lengths: itemLengthsOf(database) };
    // A short list needs no snapshot if one statement reads all that its response depends on.
    if (source.indexed === true && !source.revision && format === 'json' && !page.count) {
      const response = new ListResponse(database, source, jsonWriter(source), asked);
      const text = await response.readIfShort({ inSnapshot: false });
      if (text !== undefined) return text;
    }
    return readInSnapshot(database, reply, async (snapshot) => {
      const current = (await source.resolve?.(snapshot)) ?? source;
      const writer = format === 'csv' ? await tableOf(current, snapshot) : jsonWriter(current);
      return new ListResponse(snapshot, current, writer, asked).read();
    });
  }

  /** The unpaginated list as CSV, in parts. */
  async *csv(snapshot: Reader): AsyncGenerator<string> {
    const { database, source } = this;
    const writer = await tableOf(source, snapshot);
    const part = { key: 'csv', most: Infinity, lengths: itemLengthsOf(database) };
    yield* partsOfList(new ListReader(snapshot, source), writer, part);
  }
}

async function tableOf(source: ListSource, snapshot: Reader): Promise<ListWriter> {
  const table = await source.table?.(snapshot);
  if (!table) throw new Error('the list is not a table');
  return csvWriter(table);
}
