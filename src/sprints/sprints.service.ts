import { Injectable } from '@nestjs/common';
import { boardNamed, findBoard, collectionTag } from '../boards/board.queries';
import { boardForCreation } from '../boards/boards.service';
import { requireUnchanged, requireVersion } from '../http/read-only';
import type { Caller } from '../http/caller';
import { calendarDate, Clock } from '../time/clock';
import { requireMatch } from '../http/etag';
import { column, Listing } from '../http/listing';
import type { FieldError } from '../http/problem';
import { Problem } from '../http/problem';
import type { BoardRow, Change, LockedBoard } from '../database/change';
import { Database } from '../database/database';
import type { Parameter, Reader } from '../database/engine';
import { UnitOfWork } from '../database/unit-of-work';
import { changes, differences } from '../events/differences';
import type { EventType } from '../events/event';
import { arrange } from '../stories/arrange';
import { seatedIn } from '../stories/reseat';
import type {
  CreateSprint,
  SprintDeleted,
  SprintListQuery,
  SprintView,
  UpdateSprint,
} from './sprint.dto';
import { WRONG_ORDER } from './sprint.dto';
import { MISSING } from './full-sprints';
import type { Relative, SprintName, SprintRow } from './sprint.queries';
import {
  findRelative,
  findSprint,
  representSprint,
  SPRINT_COLUMNS,
  SPRINT_TABLES,
} from './sprint.queries';

@Injectable()
export class SprintsService {
  constructor(
    private readonly database: Database,
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: Clock,
  ) {}

  /** The sprints of a board. @throws Problem `board_not_found` */
  async list(boardName: string, query: SprintListQuery): Promise<Listing> {
    const board = await findBoard(this.database, boardName);
    const now = this.clock.now();
    const today = calendarDate(now, board.time_zone);
    return new Listing(
      this.database,
      {
        columns: SPRINT_COLUMNS,
        from: SPRINT_TABLES,
        ...inState(board.id, query.state, today),
        order: [column('start_date', 's', 'date'), column('id', 's', 'integer')],
        represent: (row) => representSprint(row as unknown as SprintRow, now),
      },
      query,
      collectionTag(board, today),
    );
  }

  async show(id: number): Promise<SprintView> {
    const row = await findSprint(this.database, id);
    if (!row) throw new Problem('sprint_not_found');
    return representSprint(row, this.clock.now());
  }

  /** The id of the sprint that is called so today. @throws Problem `no_current_sprint`, … */
  async idOf(name: SprintName): Promise<number> {
    if (typeof name === 'number') return name;
    const board = await boardNamed(this.database, name.board);
    return meant(this.database, board, name.which, this.clock.now());
  }

  /** Creates a sprint, and its board where it is not there yet. */
  async create(caller: Caller, boardName: string, body: CreateSprint): Promise<SprintView> {
    return this.unitOfWork.run(caller, async (change) => {
      const board = await boardForCreation(change, boardName);
      const id = await change.insert('sprints', {
        board_id: board.id,
        name: body.name ?? null,
        goal: body.goal ?? null,
        start_date: body.start_date,
        end_date: body.end_date ?? null,
        completed_at: null,
        created_at: change.now,
        updated_at: change.now,
        version: 1,
      });
      const after = await stored(change, id);
      change.record(board, {
        type: 'sprint.created',
        entity: 'sprint',
        id,
        version: 1,
        before: null,
        after: { ...after },
      });
      return after;
    });
  }

  async update(caller: Caller, id: number, body: UpdateSprint): Promise<SprintView> {
    return this.unitOfWork.run(caller, async (change) => {
      const { board, before } = await takeSprint(change, id);
      requireMatch(caller, before);
      requireVersion(body, before);
      const wanted = { ...before, ...body };
      const changed = differences(before, wanted)?.after as Record<string, Parameter> | undefined;
      if (changed && before.completed_at !== null) {
        if ('start_date' in changed || 'end_date' in changed) throw new Problem('sprint_completed');
      }
      requireUnchanged(body, before, faultsOfOrder(wanted, body));
      if (!changed) return before;
      return changeSprint(change, board, before, 'sprint.updated', changed);
    });
  }

  /** Deletes a sprint; its stories go to the end of the backlog in their order. */
  delete(caller: Caller, id: number, force: boolean): Promise<SprintDeleted> {
    return this.unitOfWork.run(caller, async (change) => {
      const { board, before } = await takeSprint(change, id);
      requireMatch(caller, before);
      if (before.completed_at !== null && !force) throw new Problem('sprint_completed');
      const stories = await seatedIn(change, board, id);
      await arrange(change, board, stories, { board, sprintId: null }, 'last');
      await change.run('DELETE FROM sprints WHERE id = ?', [id]);
      change.record(board, {
        type: 'sprint.deleted',
        entity: 'sprint',
        id,
        version: before.version + 1,
        before: { ...before },
        after: null,
      });
      return { deleted: true, id, stories_moved_to_backlog: stories.length };
    });
  }
}

/** As `idOf`, for a change: it holds the board of which a word is said. */
export async function takeNamed(change: Change, name: SprintName): Promise<number> {
  if (typeof name === 'number') return name;
  return meant(change, await change.lockNamed(name.board), name.which, change.instant);
}

/** The id of the sprint that a word means. @throws Problem `no_current_sprint`, … */
async function meant(reader: Reader, board: BoardRow, which: Relative, now: Date): Promise<number> {
  const sprint = await findRelative(reader, board, which, calendarDate(now, board.time_zone));
  if (!sprint) throw new Problem(MISSING[which]);
  return sprint.id;
}

/**
 * Holds the board of a sprint and reads the sprint, which never leaves its board.
 * @throws Problem `sprint_not_found`
 */
export async function takeSprint(
  change: Change,
  id: number,
): Promise<{ board: LockedBoard; before: SprintView }> {
  const found = await change.first<{ board_id: number }>(
    'SELECT board_id FROM sprints WHERE id = ?',
    [id],
  );
  const board = found && (await change.lock(found.board_id)).get(found.board_id);
  const row = board && (await findSprint(change, id));
  if (!row) throw new Problem('sprint_not_found');
  return { board, before: representSprint(row, change.instant) };
}

/** Changes the named columns of a sprint, tells it, and returns the sprint as it is then. */
export async function changeSprint(
  change: Change,
  board: LockedBoard,
  before: SprintView,
  type: EventType,
  columns: Record<string, Parameter>,
): Promise<SprintView> {
  const { id } = before;
  await change.update('sprints', id, columns);
  const after = await stored(change, id);
  const { version } = after;
  change.record(board, { type, entity: 'sprint', id, version, ...changes(before, after) });
  return after;
}

async function stored(change: Change, id: number): Promise<SprintView> {
  const row = await findSprint(change, id);
  if (!row) throw new Error(`sprint ${id} is not there after it was written`);
  return representSprint(row, change.instant);
}

/** The condition of `stateOn`, for a database. */
function inState(
  boardId: number,
  state: SprintListQuery['state'],
  today: string,
): { where: string; parameters: Parameter[] } {
  const over = `(s.end_date < ? OR (s.end_date IS NULL AND EXISTS (
    SELECT 1 FROM sprints n WHERE n.board_id = s.board_id AND n.start_date >= s.start_date AND n.start_date <= ?
    AND (n.start_date > s.start_date OR n.id > s.id))))`;
  const conditions: Record<string, [string, ...Parameter[]]> = {
    completed: ['s.completed_at IS NOT NULL'],
    planned: ['s.completed_at IS NULL AND s.start_date > ?', today],
    ended: [`s.completed_at IS NULL AND s.start_date <= ? AND ${over}`, today, today, today],
    active: [
      `s.completed_at IS NULL AND s.start_date <= ? AND NOT COALESCE(${over}, FALSE)`,
      today,
      today,
      today,
    ],
  };
  const [condition, ...parameters] = conditions[state ?? ''] ?? ['1 = 1'];
  return { where: `s.board_id = ? AND ${condition}`, parameters: [boardId, ...parameters] };
}

/** What is wrong with the dates that a sprint would have; points at the one that was sent. */
function faultsOfOrder({ start_date, end_date }: SprintView, sent: UpdateSprint): FieldError[] {
  if (end_date === null || start_date <= end_date) return [];
  return [{ pointer: sent.end_date === undefined ? '/start_date' : '/end_date', ...WRONG_ORDER }];
}
