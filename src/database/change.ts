import { maySee } from '../http/access';
import type { Caller } from '../http/caller';
import type { Clock } from '../time/clock';
import { stored } from '../time/clock';
import { Problem } from '../http/problem';
import type { EventEntity, EventType, Members } from '../events/event';
import type { BacklogTotals, Weighed } from './backlog-totals';
import { BACKLOG_COLUMNS, countBacklog, weigh } from './backlog-totals';
import type { Engine, Parameter, Row, Writer } from './engine';
import { forUpdate } from './engine';

/** A row moved to another board before its board was locked: begin again. */
export class Restart extends Error {
  /** What the next try holds from its beginning, too, so that a row cannot elude it for ever. */
  readonly boards: readonly number[];

  constructor(message: string, ...boards: number[]) {
    super(message);
    this.boards = boards;
  }
}

/** What the tries of one change know of each other. */
export interface Tries {
  /** Boards that an earlier one met. */
  readonly met: ReadonlySet<number>;
  /** Told of each board whose row is held; throws where it should not be, for others are before. */
  holds(board: number): void;
}

/** A board's row, but for what is reckoned. */
export interface BoardRow {
  id: number;
  name: string;
  time_zone: string;
  revision: number;
  created_at: string;
  updated_at: string;
  version: number;
}

/** A board's row, held until the change is committed or undone. */
export type LockedBoard = BoardRow & BacklogTotals;

/** What happened to a row; `Change.record` adds the rest. */
export interface Happening {
  type: EventType;
  entity: EventEntity;
  id: number;
  /** The row's version after it; 0 where the event is about others, and the row stays as it is. */
  version: number;
  before: Members | null;
  after: Members | null;
  /** For a story: what it was on this board before, and what it is here afterwards. */
  was?: Weighed;
  is?: Weighed;
}

const EVENT_COLUMNS = [
  'board_id',
  'revision',
  'type',
  'at',
  'actor',
  'entity',
  'entity_id',
  'entity_version',
  'sprint_id',
  'from_sprint_id',
  'before',
  'after',
];

const BOARD = `id, name, time_zone, revision, created_at, updated_at, version, ${BACKLOG_COLUMNS}`;

/** Rows that one INSERT may carry: SQLite takes 32,766 parameters. */
const MOST_ROWS = 500;
/** Characters after which an INSERT is long enough: servers limit what they take in one piece. */
const LONG = 500_000;

/** The parts of an INSERT of many rows, and that of a single one, of which most changes make one. */
interface Insertion {
  insert: string;
  row: string;
  one: string;
}

const insertions = new WeakMap<readonly string[], Insertion>();

/** @param columns always those of the same table */
function insertion(table: string, columns: readonly string[]): Insertion {
  let found = insertions.get(columns);
  if (!found) {
    const insert = `INSERT INTO ${table} (${columns.map((name) => `\`${name}\``).join(', ')}) VALUES `;
    const row = `(${columns.map(() => '?').join(', ')})`;
    insertions.set(columns, (found = { insert, row, one: insert + row }));
  }
  return found;
}

/**
 * One change while it is made: statements, the locks of its boards, the events to append. Lives as
 * long as its transaction.
 */
export class Change {
  /** The instant of the change; none of those before it on its boards is later. */
  instant: Date;
  /** The same, as the databases hold it: every time it writes is this one. */
  now: string;
  private readonly boards = new Map<number, LockedBoard>();
  private readonly happenings = new Map<LockedBoard, Happening[]>();

  constructor(
    private readonly writer: Writer,
    private readonly dialect: Engine['dialect'],
    readonly caller: Caller,
    private readonly clock: Pick<Clock, 'now'>,
    private readonly tries: Tries = { met: new Set(), holds: () => undefined },
  ) {
    this.instant = clock.now();
    this.now = stored(this.instant);
  }

  query<R = Row>(sql: string, parameters?: readonly Parameter[]): Promise<R[]> {
    return this.writer.query<R>(sql, parameters);
  }

  async first<R = Row>(sql: string, parameters?: readonly Parameter[]): Promise<R | undefined> {
    return (await this.writer.query<R>(sql, parameters))[0];
  }

  /** Inserts a row and returns its id. */
  async insert(table: string, row: Record<string, Parameter>): Promise<number> {
    const columns = Object.keys(row);
    const { id } = await this.writer.run(
      `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`,
      Object.values(row),
    );
    return id;
  }

  /** Inserts many rows in few statements; their ids are not told, for not every server counts on. */
  async insertMany(
    table: string,
    columns: readonly string[],
    rows: Iterable<readonly Parameter[]>,
  ): Promise<void> {
    const { insert, row, one } = insertion(table, columns);
    let values: Parameter[] = [];
    let count = 0;
    let length = 0;
    const send = async (): Promise<void> => {
      const sql = count === 1 ? one : insert + Array(count).fill(row).join(', ');
      if (count > 0) await this.writer.run(sql, values);
      [values, count, length] = [[], 0, 0];
    };
    for (const cells of rows) {
      values.push(...cells);
      count += 1;
      for (const cell of cells) length += typeof cell === 'string' ? cell.length : 0;
      if (count === MOST_ROWS || length >= LONG) await send();
    }
    await send();
  }

  /** Changes the named columns of a row, and no other, and raises its version by one. */
  async update(table: string, id: number, columns: Record<string, Parameter>): Promise<void> {
    const assignments = Object.keys(columns).map((column) => `${column} = ?, `);
    await this.writer.run(
      `UPDATE ${table} SET ${assignments.join('')}updated_at = ?, version = version + 1 WHERE id = ?`,
      [...Object.values(columns), this.now, id],
    );
  }

  async run(sql: string, parameters?: readonly Parameter[]): Promise<number> {
    return (await this.writer.run(sql, parameters)).rows;
  }

  /**
   * Takes the rows of all boards that the change is about, at once and in the order of their ids, so
   * that no two changes wait for each other. Must come before anything else is read for a decision.
   * @returns the boards by id; one that is deleted, or that the caller may not see, is missing
   */
  async lock(...ids: number[]): Promise<Map<number, LockedBoard>> {
    const first = this.boards.size === 0;
    const missing = [...new Set(first ? [...ids, ...this.tries.met] : ids)]
      .filter((id) => !this.boards.has(id))
      .sort((a, b) => a - b);
    if (missing.length > 0 && !first) throw new Restart('a board more than was held', ...missing);
    for (const id of missing) {
      const board = await this.first<LockedBoard>(
        `SELECT ${BOARD} FROM boards WHERE id = ? AND name IS NOT NULL${this.forUpdate}`,
        [id],
      );
      this.tries.holds(id);
      if (board && maySee(this.caller, board.name)) this.boards.set(id, board);
    }
    if (first) this.begin();
    return this.boards;
  }

  /** Takes the board of this name. @throws Problem `board_not_found` */
  async lockNamed(name: string): Promise<LockedBoard> {
    if (!maySee(this.caller, name)) throw new Problem('board_not_found');
    const board = await this.first<LockedBoard>(
      `SELECT ${BOARD} FROM boards WHERE name = ?${this.forUpdate}`,
      [name],
    );
    if (!board) throw new Problem('board_not_found');
    this.tries.holds(board.id);
    // A board that this change has made had nobody before it.
    if (this.boards.size === 0 && board.revision > 0) this.begin();
    this.boards.set(board.id, board);
    return board;
  }

  /**
   * Takes the board of this name, and makes it where there is none: once, however many come at the
   * same time, for the others wait at the unique name and then find it.
   * @returns the board, whose revision is 0 when this change made it
   * @throws Problem `board_not_found` where the caller may not see a board of this name
   */
  async lockOrCreate(name: string, timeZone: string): Promise<LockedBoard> {
    if (!maySee(this.caller, name)) throw new Problem('board_not_found');
    const existing = await this.lockNamed(name).catch((error: unknown) => {
      if (error instanceof Problem) return undefined;
      throw error;
    });
    if (existing) return existing;
    await this.writer.run(
      `INSERT INTO boards (name, time_zone, revision, created_at, updated_at, version) VALUES (?, ?, 0, ?, ?, 1) ` +
        (this.dialect === 'sqlite' ? 'ON CONFLICT DO NOTHING' : 'ON DUPLICATE KEY UPDATE id = id'),
      [name, timeZone, this.now, this.now],
    );
    return this.lockNamed(name);
  }

  /**
   * Whoever held the board before may have come later and been let in first: only now that it waits for
   * nobody does the change have its instant, so that what is read since an instant lacks nothing.
   */
  private begin(): void {
    this.instant = this.clock.now();
    this.now = stored(this.instant);
  }

  /** A board that `lock` has taken. */
  held(id: number): LockedBoard {
    const board = this.boards.get(id);
    if (!board) throw new Restart(`board ${id} is not held`, id);
    return board;
  }

  /** Appends an event to the board's log, in the order of the calls; returns its revision. */
  record(board: LockedBoard, happening: Happening): number {
    const pending = this.happenings.get(board) ?? [];
    pending.push(happening);
    this.happenings.set(board, pending);
    weigh(board, happening.was, -1);
    weigh(board, happening.is, 1);
    return board.revision + pending.length;
  }

  /**
   * Writes the boards' revisions, with what is reckoned as of them, and the events that are not written
   * yet: the last thing before the commit, and wherever a change reads the log that it makes.
   */
  async flush(): Promise<void> {
    const boards = [...this.happenings.keys()].sort((a, b) => a.id - b.id);
    for (const board of boards) {
      const happenings = this.happenings.get(board) ?? [];
      const revision = board.revision + happenings.length;
      if (board.backlog_revision !== board.revision) {
        Object.assign(board, await countBacklog(this, board.id, revision));
      }
      board.backlog_revision = revision;
      await this.writer.run(
        `UPDATE boards SET revision = ?, backlog_revision = ?, backlog_count = ?, backlog_estimated = ?,
           backlog_hundredths = ? WHERE id = ?`,
        [
          revision,
          revision,
          board.backlog_count,
          board.backlog_estimated,
          board.backlog_hundredths,
          board.id,
        ],
      );
      await this.insertMany(
        'events',
        EVENT_COLUMNS,
        happenings.map((event, i) => [
          board.id,
          board.revision + i + 1,
          event.type,
          this.now,
          this.caller.actor,
          event.entity,
          event.id,
          event.version,
          event.is?.sprint_id ?? null,
          event.was?.sprint_id ?? null,
          event.before && JSON.stringify(event.before),
          event.after && JSON.stringify(event.after),
        ]),
      );
      board.revision = revision;
    }
    this.happenings.clear();
  }

  /** What keeps the rows of a SELECT as they are until the change is over. */
  get forUpdate(): string {
    return forUpdate(this.dialect);
  }
}
