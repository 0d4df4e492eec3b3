import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { SelectQueryBuilder } from 'typeorm';
import { Repository } from 'typeorm';
import { collectionTag, findBoard, whereVisible } from '../boards/board.queries';
import { Database } from '../database/database';
import type { Reader } from '../database/reader';
import type { Caller } from '../http/caller';
import { column } from '../http/lists/keyset';
import { Listing } from '../http/lists/listing';
import type { PageQuery } from '../http/lists/page.dto';
import { Problem } from '../http/problem';
import type { Cell } from '../http/responses/csv';
import { countFitting } from '../http/responses/parts';
import { toRfc3339 } from '../time/clock';
import type { Fields } from './event';
import type { EventView, FeedQuery } from './event.dto';
import { Event } from './event.entity';
import type { StoredEvent } from './event.queries';

/** Columns of an event `e` and its board `b`. The history is sorted by `entity_version`. */
const COLUMNS =
  'b.name AS board_name, e.revision, e.type, e.at, e.actor, e.entity, e.entity_id, e.entity_version, e.before, e.after';

/** The length of the JSON of an event, which has from 100 bytes to 400 kB. SQLite reads it without the JSON. */
const BYTES = 'COALESCE(OCTET_LENGTH(e.before), 0) + COALESCE(OCTET_LENGTH(e.after), 0)';

/** Events of a page of a stream at most. */
const PAGE = 100;
/**
 * Bytes of the events of a page, except for a longer event; far fewer than may wait for the client of a stream. A page
 * of 20 MB took 200 ms.
 */
const PAGE_BYTES = 128 * 1024;

interface EventRow extends Omit<StoredEvent, 'sprint_id'> {
  board_name: string;
}

/** Reads the log, which changes and restores write. */
@Injectable()
export class EventsService {
  constructor(
    @InjectRepository(Event) private readonly events: Repository<Event>,
    private readonly database: Database,
  ) {}

  /**
   * Lists the events of a board after a revision, up to the present revision, which is in the header of the
   * response: a client that has followed all links has every event up to it.
   * @throws Problem `board_not_found`
   */
  async feed(
    boardName: string,
    { after = 0, limit = 1000, format: _, ...filters }: FeedQuery,
  ): Promise<Listing> {
    const board = await findBoard(this.database, boardName);
    const query = this.select().where(
      'e.board_id = :board AND e.revision > :after AND e.revision <= :last',
      { board: board.id, after, last: board.revision },
    );
    const given = Object.entries(filters).filter(([, values]) => values !== undefined);
    for (const [name, values] of given) {
      // No event has an empty value.
      const known = values.filter((value) => value !== null);
      query.andWhere(known.length > 0 ? `e.${name} IN (:...${name})` : '1 = 0', { [name]: known });
    }
    return new Listing(
      this.database,
      {
        query: () => query.clone(),
        order: [column('revision', 'e', 'integer')],
        indexed: given.length === 0 || 'searched',
        bytes: BYTES,
        represent,
        table: () => Promise.resolve({ columns: CSV_COLUMNS, cells }),
        board: { tagOf: collectionTag, ...board },
        next: ({ revision }: EventRow) => ({ after: String(revision) }),
      },
      { limit },
    );
  }

  /**
   * Lists the events of a story on all boards that the caller may see, in the order of its versions. The
   * list has no tag of its own, because it changes with each of these boards.
   * @throws Problem `story_not_found` if no event of the story is left
   */
  async ofStory(caller: Caller, id: number, page: PageQuery): Promise<Listing> {
    const query = whereVisible(this.select(), caller).andWhere(
      "e.entity = 'story' AND e.entity_id = :id",
      { id },
    );
    if (!(await this.database.read(() => query.getExists()))) throw new Problem('story_not_found');
    // Each version of a story has one event, but a move to another board has two: the story
    // leaves a board (story.moved_out), then enters another (story.moved_in).
    const order = [column('entity_version', 'e', 'integer'), column('type', 'e', 'text', true)];
    // The response has the revision of the board on which the story was last.
    const last = query
      .clone()
      .select('b.revision', 'revision')
      .orderBy('e.entity_version', 'DESC')
      .addOrderBy('e.type', 'ASC')
      .limit(1)
      .getQueryAndParameters();
    const revision = async (reader: Reader): Promise<number | undefined> =>
      (await reader.query<{ revision: number }>(...last))[0]?.revision;
    return new Listing(
      this.database,
      { query: () => query.clone(), order, indexed: true, bytes: BYTES, represent, revision },
      page,
    );
  }

  /**
   * Reads the next events of a board after a revision, fewer if they are long; none only if there are none. A deleted
   * board has no name.
   */
  async page(boardId: number, after: number): Promise<EventView[]> {
    const next = this.select()
      .where('e.board_id = :boardId AND e.revision > :after', { boardId, after })
      .orderBy('e.revision');
    const bytes = next.clone().select(BYTES, 'bytes').limit(PAGE);
    const lengths = await this.database.read(() => bytes.getRawMany<{ bytes: number }>());
    if (lengths.length === 0) return [];
    const count = countFitting(
      lengths.map(({ bytes }) => Number(bytes)),
      PAGE_BYTES,
    );
    next.limit(count);
    return (await this.database.read(() => next.getRawMany<EventRow>())).map(represent);
  }

  private select(): SelectQueryBuilder<Event> {
    return this.events.createQueryBuilder('e').innerJoin('e.board', 'b').select(COLUMNS);
  }
}

/** `before` and `after` are JSON. */
const CSV_COLUMNS = [
  'board_name',
  'revision',
  'type',
  'at',
  'actor',
  'entity',
  'id',
  'before',
  'after',
] as const;

const cells = ({ at, entity_id: id, ...row }: EventRow): Cell[] => {
  const cellOf = { ...row, at: toRfc3339(at), id };
  return CSV_COLUMNS.map((column) => cellOf[column]);
};

function represent(row: EventRow): EventView {
  return {
    board_name: row.board_name,
    revision: row.revision,
    type: row.type,
    at: toRfc3339(row.at),
    actor: row.actor,
    entity: row.entity,
    id: row.entity_id,
    before: row.before === null ? null : (JSON.parse(row.before) as Fields),
    after: row.after === null ? null : (JSON.parse(row.after) as Fields),
  };
}
