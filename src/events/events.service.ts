import { Injectable } from '@nestjs/common';
import { createHash } from 'node:crypto';
import { findBoard } from '../boards/board.queries';
import { visible } from '../http/access';
import type { Caller } from '../http/caller';
import { toRfc3339 } from '../time/clock';
import type { PageQuery } from '../http/listing';
import { column, Listing } from '../http/listing';
import { Problem } from '../http/problem';
import { Database } from '../database/database';
import type { Members } from './event';
import type { EventView, FeedQuery } from './event.dto';

const COLUMNS =
  'b.name AS board_name, e.board_id, e.revision, e.type, e.at, e.actor, e.entity, e.entity_id, e.entity_version, e.`before`, e.`after`';
const TABLES = 'events e JOIN boards b ON b.id = e.board_id';

interface EventRow {
  board_name: string;
  revision: number;
  type: EventView['type'];
  at: string;
  actor: string;
  entity: EventView['entity'];
  entity_id: number;
  before: string | null;
  after: string | null;
}

function represent(row: EventRow): EventView {
  return {
    board_name: row.board_name,
    revision: row.revision,
    type: row.type,
    at: toRfc3339(row.at),
    actor: row.actor,
    entity: row.entity,
    id: row.entity_id,
    before: row.before === null ? null : (JSON.parse(row.before) as Members),
    after: row.after === null ? null : (JSON.parse(row.after) as Members),
  };
}

/** Reads the log. Everything that tells of the past reads it; nothing but a change writes it. */
@Injectable()
export class EventsService {
  constructor(private readonly database: Database) {}

  /** The events of a board after a revision, at most 1,000. @throws Problem `board_not_found` */
  async feed(boardName: string, { after = 0, limit = 1000 }: FeedQuery): Promise<EventView[]> {
    const board = await findBoard(this.database, boardName);
    const rows = await this.database.query<EventRow>(
      `SELECT ${COLUMNS} FROM ${TABLES} WHERE e.board_id = ? AND e.revision > ?
       ORDER BY e.revision LIMIT ${limit}`,
      [board.id, after],
    );
    return rows.map(represent);
  }

  /**
   * What happened to a story, on whatever boards it was that the caller may see, in the order of its
   * versions.
   * @throws Problem `story_not_found` where there never was one, or its board's log is gone
   */
  async ofStory(caller: Caller, id: number, page: PageQuery): Promise<Listing> {
    const { sql, parameters } = visible(caller);
    const where = `e.entity = 'story' AND e.entity_id = ? AND ${sql}`;
    const order = [
      column('entity_version', 'e', 'integer'),
      // It leaves one board before it comes to the other; both are one change.
      {
        sql: `(e.type = 'story.moved_in')`,
        kind: 'integer' as const,
        of: (row: Record<string, unknown>) => Number(row.type === 'story.moved_in'),
      },
      column('board_id', 'e', 'integer'),
      column('revision', 'e', 'integer'),
    ];
    // Each board that it was on may get another name, or go with its part of the history.
    const boards = await this.database.query<{ id: number; name: string; last: number }>(
      `SELECT b.id, b.name, MAX(e.revision) AS last FROM ${TABLES} WHERE ${where}
       GROUP BY b.id, b.name ORDER BY b.id`,
      [id, ...parameters],
    );
    if (boards.length === 0) throw new Problem('story_not_found');
    const tag = createHash('sha1').update(JSON.stringify(boards.map(Object.values)));
    return new Listing(
      this.database,
      {
        columns: COLUMNS,
        from: TABLES,
        where,
        parameters: [id, ...parameters],
        order,
        represent: (row) => represent(row as unknown as EventRow),
      },
      page,
      `"${tag.digest('base64url')}"`,
    );
  }
}
