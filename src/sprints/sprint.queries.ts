import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { SelectQueryBuilder } from 'typeorm';
import { Repository } from 'typeorm';
import { findBoard } from '../boards/board.queries';
import type { BoardRow, LockedBoard } from '../database/board-row';
import type { Change } from '../database/change';
import type { Reader } from '../database/reader';
import { externalIdTaken, Problem } from '../http/problem';
import type { SprintOfBody, SprintResolver } from '../stories/sprint-of-body';
import { calendarDate, toRfc3339 } from '../time/clock';
import type { SprintState, SprintView } from './sprint.dto';
import { Sprint } from './sprint.entity';

/** A row of `SprintQueries`: the sprint and what its state depends on; instants as stored. */
export interface SprintRow extends Omit<SprintView, 'state'> {
  board_id: number;
  time_zone: string;
  /** The revision of the board. */
  revision: number;
  /** The start of the next sprint of the board, by (start_date, id); null without one, or if there is an end date. */
  next_start: string | null;
}

/** The fields by which an import finds a sprint. */
export type SprintBrief = Pick<
  SprintRow,
  'id' | 'name' | 'external_id' | 'start_date' | 'end_date' | 'completed_at' | 'created_at'
>;

/** The words by which a path may name a sprint of a board. */
export const RELATIVE = ['current', 'next', 'previous'] as const;
export type Relative = (typeof RELATIVE)[number];

/** A sprint that a path names by a word and the name of its board. */
export interface RelativeReference {
  boardName: string;
  which: Relative;
}

/** A sprint as a path names it: by id, or by a word. */
export type SprintReference = number | RelativeReference;

/** The condition for the sprints `n` that follow a sprint `s` of their board. The first comparison is for the index. */
const FOLLOWS = `n.board_id = s.board_id AND n.start_date >= s.start_date
  AND (n.start_date > s.start_date OR n.id > s.id)`;

const NEXT_START = `(SELECT n.start_date FROM sprints n WHERE ${FOLLOWS}
  ORDER BY n.start_date, n.id LIMIT 1)`;

const SPRINT_COLUMNS = `s.*, b.name AS board_name, b.time_zone, b.revision,
  CASE WHEN s.end_date IS NULL THEN ${NEXT_START} END AS next_start`;

// Plain SQL, because every change of a sprint begins with it, and a batch has up to 1,000 of them.
const SPRINT_BY_ID = `SELECT ${SPRINT_COLUMNS} FROM sprints s JOIN boards b ON b.id = s.board_id
  WHERE s.id = ? AND b.name IS NOT NULL`;

const OPEN_AND_STARTED = 's.completed_at IS NULL AND s.start_date <= :today';
const NEXT_HAS_STARTED = `EXISTS (SELECT 1 FROM sprints n WHERE ${FOLLOWS} AND n.start_date <= :today)`;

/** `stateOn` as conditions in SQL. */
const IN_STATE: Record<SprintState, string> = {
  completed: 's.completed_at IS NOT NULL',
  planned: 's.completed_at IS NULL AND s.start_date > :today',
  active: `${OPEN_AND_STARTED} AND (s.end_date >= :today OR (s.end_date IS NULL AND NOT ${NEXT_HAS_STARTED}))`,
  ended: `${OPEN_AND_STARTED} AND (s.end_date < :today OR (s.end_date IS NULL AND ${NEXT_HAS_STARTED}))`,
};

/**
 * The state of a sprint on a day in the time zone of its board. A sprint without an end date ends when
 * the next one starts.
 */
function stateOn(today: string, sprint: SprintRow): SprintState {
  if (sprint.completed_at !== null) return 'completed';
  if (today < sprint.start_date) return 'planned';
  const hasEnded =
    sprint.end_date !== null
      ? sprint.end_date < today
      : sprint.next_start !== null && sprint.next_start <= today;
  return hasEnded ? 'ended' : 'active';
}

/** The representation of a sprint at an instant. */
export function representSprint(row: SprintRow, now: Date): SprintView {
  return {
    id: row.id,
    board_name: row.board_name,
    name: row.name,
    goal: row.goal,
    start_date: row.start_date,
    end_date: row.end_date,
    state: stateOn(calendarDate(now, row.time_zone), row),
    started_at: row.started_at && toRfc3339(row.started_at),
    completed_at: row.completed_at && toRfc3339(row.completed_at),
    external_id: row.external_id,
    created_at: toRfc3339(row.created_at),
    updated_at: toRfc3339(row.updated_at),
    version: row.version,
  };
}

/** Reads sprints from the database, in a snapshot or in a change. */
@Injectable()
export class SprintQueries implements SprintResolver {
  constructor(@InjectRepository(Sprint) private readonly sprints: Repository<Sprint>) {}

  /** Selects the sprints of a board; each row is a `SprintRow`. */
  ofBoard(boardId: number): SelectQueryBuilder<Sprint> {
    return this.sprints
      .createQueryBuilder('s')
      .innerJoin('s.board', 'b')
      .select(SPRINT_COLUMNS)
      .where('s.board_id = :boardId', { boardId });
  }

  /** Selects the sprints of a board by their state on a day in the board's time zone. */
  inState(boardId: number, state: SprintState, today: string): SelectQueryBuilder<Sprint> {
    return this.ofBoard(boardId).andWhere(IN_STATE[state], { today });
  }

  async find(reader: Reader, id: number): Promise<SprintRow | undefined> {
    return (await reader.query<SprintRow>(SPRINT_BY_ID, [id]))[0];
  }

  /**
   * Reads the sprint that a path names at an instant.
   * @throws Problem `sprint_not_found`, `board_not_found`, `no_current_sprint`, …
   */
  async get(reader: Reader, reference: SprintReference, now: Date): Promise<SprintRow> {
    if (typeof reference !== 'number') {
      const board = await findBoard(reader, reference.boardName);
      return this.getRelative(reader, board, reference.which, now);
    }
    const row = await this.find(reader, reference);
    if (!row) throw new Problem('sprint_not_found');
    return row;
  }

  /**
   * Finds a sprint of a board by the day at an instant in its time zone. The current sprint is the last active one or,
   * without one, the last ended one; `next` is the first after it that is not completed, and `previous`
   * the last before it; by (start_date, id). Without a current sprint, `next` is the first planned one
   * and `previous` the last completed one.
   */
  async findRelative(
    reader: Reader,
    { id: boardId, time_zone: timeZone }: BoardRow,
    which: Relative,
    now: Date,
  ): Promise<SprintRow | undefined> {
    const today = calendarDate(now, timeZone);
    const current =
      (await this.findLastActive(reader, boardId, today)) ??
      (await first(reader, ordered(this.inState(boardId, 'ended', today), 'DESC')));
    if (which === 'current') return current;
    if (!current) {
      return which === 'next'
        ? first(reader, ordered(this.inState(boardId, 'planned', today), 'ASC'))
        : (await this.findCompleted(reader, boardId, 1))[0];
    }
    if (which === 'next') return this.findFollowing(reader, current, { open: true });
    const { start_date: start, id } = current;
    // These have all started, because the current sprint has.
    const before = 's.start_date <= :start AND (s.start_date < :start OR s.id < :id)';
    const earlier = this.ofBoard(boardId).andWhere(before, { start, id });
    return first(reader, ordered(earlier, 'DESC'));
  }

  /** The last active sprint of a board, by (start_date, id), on a day in its time zone. */
  findLastActive(reader: Reader, boardId: number, today: string): Promise<SprintRow | undefined> {
    return first(reader, ordered(this.inState(boardId, 'active', today), 'DESC'));
  }

  /**
   * The current, next or previous sprint of a board at an instant.
   * @throws Problem `no_current_sprint`, `no_next_sprint`, `no_previous_sprint`
   */
  async getRelative(
    reader: Reader,
    board: BoardRow,
    which: Relative,
    now: Date,
  ): Promise<SprintRow> {
    const sprint = await this.findRelative(reader, board, which, now);
    if (!sprint) throw new Problem(`no_${which}_sprint`);
    return sprint;
  }

  async idOf(
    change: Change,
    board: LockedBoard,
    sprint: SprintOfBody,
  ): Promise<number | null | undefined> {
    if (typeof sprint !== 'string') return sprint;
    return (await this.findRelative(change, board, sprint, change.instant))?.id;
  }

  /** Finds the first sprint after another, by (start_date, id), or with `open` the first that is not completed. */
  findFollowing(
    reader: Reader,
    { board_id: boardId, start_date: start, id }: Pick<SprintRow, 'board_id' | 'start_date' | 'id'>,
    { open = false } = {},
  ): Promise<SprintRow | undefined> {
    const after = 's.start_date >= :start AND (s.start_date > :start OR s.id > :id)';
    const following = this.ofBoard(boardId).andWhere(after, { start, id });
    if (open) following.andWhere('s.completed_at IS NULL');
    return first(reader, ordered(following, 'ASC'));
  }

  /** The sprints of a board after an id, in the order of their ids. */
  async findAfter(
    reader: Reader,
    boardId: number,
    id: number,
    limit: number,
  ): Promise<SprintRow[]> {
    const after = this.ofBoard(boardId).andWhere('s.id > :id', { id });
    return rowsOf(reader, after.orderBy('s.id').limit(limit));
  }

  /** @throws Problem `external_id_taken` if a sprint of the board has this `external_id` */
  async requireFreeExternalId(
    change: Change,
    boardId: number,
    externalId: string | null,
  ): Promise<void> {
    if (externalId === null) return;
    const sql = 'SELECT s.id FROM sprints s WHERE s.board_id = ? AND s.external_id = ? LIMIT 1';
    const [other] = await change.query(sql, [boardId, externalId]);
    if (other) throw externalIdTaken('sprint of the board', externalId);
  }

  /** All sprints of a board, in their order. */
  briefs(reader: Reader, boardId: number): Promise<SprintBrief[]> {
    const columns =
      's.id, s.name, s.external_id, s.start_date, s.end_date, s.completed_at, s.created_at';
    const sprints = this.sprints.createQueryBuilder('s').select(columns);
    return rowsOf(reader, ordered(sprints.where('s.board_id = :boardId', { boardId }), 'ASC'));
  }

  /** The last completed sprints of a board, oldest first. */
  async findCompleted(reader: Reader, boardId: number, limit: number): Promise<SprintRow[]> {
    const completed = this.ofBoard(boardId).andWhere(IN_STATE.completed).limit(limit);
    return (await rowsOf(reader, ordered(completed, 'DESC'))).reverse();
  }
}

const ordered = (
  query: SelectQueryBuilder<Sprint>,
  direction: 'ASC' | 'DESC',
): SelectQueryBuilder<Sprint> =>
  query.orderBy('s.start_date', direction).addOrderBy('s.id', direction);

const rowsOf = <Row = SprintRow>(
  reader: Reader,
  query: SelectQueryBuilder<Sprint>,
): Promise<Row[]> => reader.query<Row>(...query.getQueryAndParameters());

const first = async (
  reader: Reader,
  query: SelectQueryBuilder<Sprint>,
): Promise<SprintRow | undefined> => (await rowsOf(reader, query.limit(1)))[0];
