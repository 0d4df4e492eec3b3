import type { EntityManager } from 'typeorm';
import type { EventEntity, EventType, Fields } from '../events/event';
import { maySee } from '../http/access';
import type { Caller } from '../http/caller';
import { Problem } from '../http/problem';
import type { Clock } from '../time/clock';
import { toStored } from '../time/clock';
import type { LockedBoard } from './board-row';
import { BOARD_COLUMNS, BOARD_OF, newRevisionTag } from './board-row';
import { Transaction } from './transaction';

/** Asks the unit of work to run the change again, with another board locked, too, if it names one. */
export class Restart extends Error {
  constructor(
    message: string,
    readonly board?: number,
  ) {
    super(message);
  }
}

/** The content of an event. `Change` adds the board, the revision, the time and the actor. */
interface NewEvent {
  type: EventType;
  entity: EventEntity;
  id: number;
  /** The version of the entity after the event; 0 if the event does not change the entity itself. */
  version: number;
  /** The sprint that a story is in after the event; reports find the events of a sprint by it. */
  sprint_id?: number | null;
  before: Fields | null;
  after: Fields | null;
}

/** Characters of events that a change keeps before it writes them. */
const MAX_LENGTH = 1_000_000;

/** One change: a transaction, the locks of its boards and the events to append. */
export class Change extends Transaction {
  /** Time of the change, read under the lock, so that it never precedes an earlier change of its boards. */
  instant: Date;
  private readonly boards = new Map<number, LockedBoard>();
  /** The rows of events that are not written yet. */
  private readonly events = new Map<LockedBoard, Record<string, unknown>[]>();
  /** Characters of `events`. */
  private length = 0;
  /** Ids of the boards whose logs were extended by `flush`. */
  readonly boardsWithEvents = new Set<number>();
  /** The board that the response is about, and its revision before the change. */
  private subject: { board: LockedBoard; before: number } | undefined;
  /**
   * @param restarted boards that an earlier attempt needed but had not locked
   * @param rest resolves when the change may go on after a pause
   */
  constructor(
    manager: EntityManager,
    /** A batch restricts it to one board, and sets the `ifMatch` of each operation. */
    public caller: Caller,
    private readonly clock: Pick<Clock, 'now'>,
    private readonly restarted: ReadonlySet<number> = new Set(),
    rest?: () => Promise<void>,
  ) {
    super(manager, rest);
    this.instant = clock.now();
  }

  /** Whether the change has locked a board. */
  get hasLocks(): boolean {
    return this.boards.size > 0;
  }

  /**
   * Locks a board, and all that earlier attempts needed, in the order of their ids, so that no two changes
   * deadlock. Call it before every read that a decision depends on.
   * @returns the board; undefined if it is deleted, or the caller may not see it
   */
  async lock(id: number): Promise<LockedBoard | undefined> {
    if (this.hasLocks) return this.lockedBoard(id);
    for (const each of [...new Set([id, ...this.restarted])].sort((a, b) => a - b)) {
      await this.lockWhere('b.id = ? AND b.name IS NOT NULL', each, true);
    }
    return this.boards.get(id);
  }

  /**
   * Locks the board that a row belongs to: in one statement if the caller may see all boards, otherwise after a check
   * that the caller may see it, because a lock delays the changes of others.
   * @returns the board; undefined if there is no such row, or the caller may not see its board
   */
  async lockBoardOf(key: keyof typeof BOARD_OF, id: number): Promise<LockedBoard | undefined> {
    if (this.hasLocks || this.restarted.size > 0 || this.caller.boards) {
      const [found] = await this.query<{ id: number; name: string | null }>(
        `SELECT b.id, b.name FROM boards b WHERE b.id = (${BOARD_OF[key]})`,
        [id],
      );
      return found && this.lockFound(found.id, found.name);
    }
    const board = await this.lockWhere(`b.id = (${BOARD_OF[key]}) AND b.name IS NOT NULL`, id);
    return board && this.setSubject(board);
  }

  /** Locks the board of a row that was read with the name of its board; otherwise as `lockBoardOf`. */
  async lockFound(id: number, name: string | null): Promise<LockedBoard | undefined> {
    if (name === null || !maySee(this.caller, name)) return undefined;
    const board = await this.lock(id);
    return board && this.setSubject(board);
  }

  /** Locks the board with this name. @throws Problem `board_not_found` */
  async lockNamed(name: string): Promise<LockedBoard> {
    const board = maySee(this.caller, name) && (await this.lockWhere('b.name = ?', name));
    if (!board) throw new Problem('board_not_found');
    return this.setSubject(board);
  }

  /**
   * Locks the board with this name, and creates it if it does not exist. Concurrent creations wait at the
   * unique name, so that one of them creates it.
   * @returns the board; its revision is 0 if this change created it
   * @throws Problem `board_not_found` if the caller may not see a board with this name
   */
  async lockOrCreate(name: string, timeZone: string, workingDays: string): Promise<LockedBoard> {
    if (!maySee(this.caller, name)) throw new Problem('board_not_found');
    const existing = await this.lockWhere('b.name = ?', name);
    if (existing) return this.setSubject(existing);
    const now = toStored(this.instant);
    await this.query(
      `INSERT INTO boards (name, time_zone, working_days, revision, revision_tag, created_at, updated_at, version)
       VALUES (?, ?, ?, 0, '', ?, ?, 1) ${
         this.isSqlite ? 'ON CONFLICT DO NOTHING' : 'ON DUPLICATE KEY UPDATE id = id'
       }`,
      [name, timeZone, workingDays, now, now],
    );
    return this.lockNamed(name);
  }

  /** Returns a locked board. @throws Restart if it is not locked */
  lockedBoard(id: number): LockedBoard {
    const board = this.boards.get(id);
    if (!board) throw new Restart(`board ${id} is not locked`, id);
    return board;
  }

  /**
   * Sets the board that the response is about, whose revision it gets, and returns the board. The methods
   * that lock a board by a row or a name set it.
   */
  setSubject(board: LockedBoard): LockedBoard {
    // A change may write events, which raise the revision, before it is finished.
    if (this.subject?.board !== board) this.subject = { board, before: board.revision };
    return board;
  }

  /** The revision of the board that the response is about, after `flush` and before the change. */
  get revisions(): { after?: number; before?: number } {
    return { after: this.subject?.board.revision, before: this.subject?.before };
  }

  /** Appends an event to the log of a locked board. */
  record(board: LockedBoard, event: NewEvent): void {
    const rows = this.events.get(board) ?? [];
    const before = event.before && JSON.stringify(event.before);
    const after = event.after && JSON.stringify(event.after);
    rows.push({
      board_id: board.id,
      revision: board.revision + rows.length + 1,
      type: event.type,
      at: toStored(this.instant),
      actor: this.caller.actor,
      entity: event.entity,
      entity_id: event.id,
      entity_version: event.version,
      sprint_id: event.sprint_id ?? null,
      before,
      after,
    });
    this.length += (before?.length ?? 0) + (after?.length ?? 0);
    this.events.set(board, rows);
  }

  /** Between the steps of a long change: writes long events, so that they do not fill the memory, and pauses. */
  async betweenSteps(): Promise<void> {
    if (this.length > MAX_LENGTH) await this.flush();
    await this.pause();
  }

  /** Writes the events that are not written yet, and the revisions of their boards. */
  async flush(): Promise<void> {
    for (const [board, rows] of [...this.events].sort(([a], [b]) => a.id - b.id)) {
      board.revision += rows.length;
      board.revision_tag = newRevisionTag();
      await this.query('UPDATE boards SET revision = ?, revision_tag = ? WHERE id = ?', [
        board.revision,
        board.revision_tag,
        board.id,
      ]);
      await this.insertMany('events', rows);
      this.boardsWithEvents.add(board.id);
    }
    this.events.clear();
    this.length = 0;
  }

  private async lockWhere(
    condition: string,
    parameter: string | number,
    isFirst = this.boards.size === 0,
  ): Promise<LockedBoard | undefined> {
    const [board] = await this.query<LockedBoard>(
      `SELECT ${BOARD_COLUMNS} FROM boards b WHERE ${condition}${this.forUpdate}`,
      [parameter],
    );
    // Read again, because a change that waited for the lock must not precede the change that released it.
    // If this change created the board, its time is that of the creation.
    if (isFirst && board?.revision !== 0) this.instant = this.clock.now();
    if (!board || !maySee(this.caller, board.name)) return undefined;
    // A board that is locked already keeps its object, which its pending events refer to.
    const locked = this.boards.get(board.id) ?? board;
    this.boards.set(board.id, locked);
    return locked;
  }
}
