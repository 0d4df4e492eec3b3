import { Injectable } from '@nestjs/common';
import { collectionTag } from '../boards/board.queries';
import { BoardCreation } from '../boards/board-creation.service';
import type { LockedBoard } from '../database/board-row';
import type { Change } from '../database/change';
import { UnitOfWork } from '../database/unit-of-work';
import { differences } from '../events/differences';
import type { EventType } from '../events/event';
import { recordEvent } from '../events/record-event';
import type { Caller } from '../http/caller';
import { requireUnchanged, requireVersion, writable } from '../http/input/read-only';
import type { FieldError } from '../http/problem';
import { Problem } from '../http/problem';
import { requireMatch } from '../http/responses/etag';
import { findBriefStoriesOfSprint } from '../stories/brief-story.queries';
import { StoriesService } from '../stories/stories.service';
import { StoryOrder } from '../stories/story-order.service';
import type { CreateStory, StoryView } from '../stories/story.dto';
import { calendarDate, toStored } from '../time/clock';
import type { CreateSprint, SprintDeleted, SprintView, UpdateSprint } from './sprint.dto';
import { Sprint } from './sprint.entity';
import type { SprintReference, SprintRow } from './sprint.queries';
import { representSprint, SprintQueries } from './sprint.queries';

/** A sprint that was loaded under the lock of its board. */
interface LockedSprint {
  board: LockedBoard;
  row: SprintRow;
  sprint: SprintView;
}

type WritableColumns = UpdateSprint & Partial<Pick<Sprint, 'started_at' | 'completed_at'>>;

/** Creates, changes and deletes sprints, and creates stories in them. */
@Injectable()
export class SprintChanges {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly sprints: SprintQueries,
    private readonly boards: BoardCreation,
    private readonly stories: StoriesService,
    private readonly storyOrder: StoryOrder,
  ) {}

  /** Creates a sprint, and its board if it does not exist. */
  create(caller: Caller, boardName: string, body: CreateSprint): Promise<SprintView> {
    return this.unitOfWork.run(caller, async (change) => {
      const board = await this.boards.boardForCreation(change, boardName);
      return this.createIn(change, board, body);
    });
  }

  /**
   * Creates a sprint on a locked board.
   * @param createdAt when it was created on the board that it is imported from; default: now
   * @throws Problem `external_id_taken`
   */
  async createIn(
    change: Change,
    board: LockedBoard,
    body: CreateSprint,
    createdAt = change.instant,
  ): Promise<SprintView> {
    await this.sprints.requireFreeExternalId(change, board.id, body.external_id ?? null);
    const columns = {
      board_id: board.id,
      name: body.name ?? null,
      goal: body.goal ?? null,
      start_date: body.start_date,
      end_date: body.end_date ?? null,
      started_at: null,
      completed_at: null,
      external_id: body.external_id ?? null,
      version: 1,
    };
    const { instant } = change;
    const times = { created_at: createdAt, updated_at: instant };
    const { identifiers } = await change.manager.insert(Sprint, { ...columns, ...times });
    const id = identifiers[0]?.id as number;
    const now = toStored(instant);
    const sprint = await this.represent(change, {
      ...columns,
      id,
      board_name: board.name,
      time_zone: board.time_zone,
      revision: board.revision,
      created_at: toStored(createdAt),
      updated_at: now,
    });
    recordEvent(change, board, 'sprint.created', null, sprint);
    return sprint;
  }

  /** Changes the fields that were sent. @throws Problem `sprint_completed`, `precondition_failed`, … */
  update(caller: Caller, id: number, body: UpdateSprint): Promise<SprintView> {
    return this.unitOfWork.run(caller, (change) => this.updateIn(change, id, body));
  }

  /** Does the same as `update`, as part of a change. */
  async updateIn(change: Change, id: number, body: UpdateSprint): Promise<SprintView> {
    const locked = await this.lockIfMatch(change, id);
    const { sprint } = locked;
    requireVersion(body, sprint);
    const changed = differences(sprint, writable(body));
    if (changed && sprint.completed_at !== null) {
      if ('start_date' in changed || 'end_date' in changed) throw new Problem('sprint_completed');
    }
    const { external_id: externalId = null } = changed ?? {};
    await this.sprints.requireFreeExternalId(change, locked.board.id, externalId);
    requireUnchanged(body, sprint, errorsOfDates({ ...sprint, ...changed }, body));
    if (!changed) return sprint;
    return this.write(change, locked, 'sprint.updated', changed);
  }

  /** Deletes a sprint; its stories move to the end of the backlog in their order. */
  delete(caller: Caller, id: number, force: boolean): Promise<SprintDeleted> {
    return this.unitOfWork.run(caller, (change) => this.deleteIn(change, id, force));
  }

  /** Does the same as `delete`, as part of a change. */
  async deleteIn(change: Change, id: number, force: boolean): Promise<SprintDeleted> {
    const { board, sprint } = await this.lockIfMatch(change, id);
    if (sprint.completed_at !== null && !force) {
      const detail = 'Only `DELETE` with `?force=true` deletes a completed sprint.';
      throw new Problem('sprint_completed', detail);
    }
    const stories = await findBriefStoriesOfSprint(change, board.id, id);
    await this.storyOrder.place(change, board, stories, { board, sprintId: null }, 'last');
    await change.manager.delete(Sprint, id);
    recordEvent(change, board, 'sprint.deleted', sprint, null);
    return { deleted: true, id, stories_moved_to_backlog: stories.length };
  }

  /**
   * Creates a story in the sprint that a path names. A word is resolved inside the change: a repeated
   * request with an idempotency key gets its first response, even if the word names another sprint by then.
   * @throws Problem `sprint_not_found`, `sprint_completed`, `sprint_full`, `external_id_taken`, `seq_exhausted`, …
   */
  createStory(caller: Caller, reference: SprintReference, body: CreateStory): Promise<StoryView> {
    return this.unitOfWork.run(caller, async (change) => {
      if (typeof reference !== 'number') {
        const { board, row } = await this.lock(change, reference);
        return this.stories.createIn(change, board, row.id, body);
      }
      const board = await change.lockBoardOf('sprint_id', reference);
      if (!board) throw new Problem('sprint_not_found');
      return this.stories.createIn(change, board, reference, body);
    });
  }

  /**
   * Starts the sprint: it commits to the stories that are in it now. Starting it again replaces the commitment.
   * @throws Problem `sprint_completed`, `sprint_not_begun`, `precondition_failed`, …
   */
  start(caller: Caller, reference: SprintReference): Promise<SprintView> {
    return this.unitOfWork.run(caller, (change) => this.startIn(change, reference));
  }

  /** Does the same as `start`, as part of a change. */
  async startIn(change: Change, reference: SprintReference): Promise<SprintView> {
    const locked = await this.lockIfMatch(change, reference);
    if (locked.sprint.state === 'completed') {
      throw new Problem(
        'sprint_completed',
        'A completed sprint can only be reopened, not started.',
      );
    }
    if (locked.sprint.state === 'planned') throw new Problem('sprint_not_begun');
    return this.write(change, locked, 'sprint.started', { started_at: change.instant });
  }

  /**
   * Locks the board of a sprint and loads the sprint.
   * @throws Problem `sprint_not_found`, `board_not_found`, `no_current_sprint`, …
   */
  async lock(change: Change, reference: SprintReference): Promise<LockedSprint> {
    let board: LockedBoard | undefined;
    let row: SprintRow | undefined;
    if (typeof reference === 'number') {
      board = await change.lockBoardOf('sprint_id', reference);
      row = board && (await this.sprints.find(change, reference));
    } else {
      board = await change.lockNamed(reference.boardName);
      row = await this.sprints.getRelative(change, board, reference.which, change.instant);
    }
    if (!board || !row) throw new Problem('sprint_not_found');
    return { board, row, sprint: representSprint(row, change.instant) };
  }

  /**
   * Locks and loads a sprint as `lock` does, but rejects a stale `If-Match`, which may have the tag of the sprint or, if
   * the path names the sprint by a word, the tag of the response that shows this sprint in full.
   * @throws Problem `precondition_failed`, and as `lock` does
   */
  async lockIfMatch(change: Change, reference: SprintReference): Promise<LockedSprint> {
    const locked = await this.lock(change, reference);
    const { board, sprint } = locked;
    if (typeof reference === 'number') {
      requireMatch(change.caller, sprint);
      return locked;
    }
    // In a batch, the operations before have changed what the tag stands for.
    await change.flush();
    const today = calendarDate(change.instant, board.time_zone);
    requireMatch(change.caller, sprint, collectionTag(board, today, reference.which));
    return locked;
  }

  /** Writes columns of a sprint, records the event, and returns the sprint after it. */
  async write(
    change: Change,
    { board, row, sprint: before }: LockedSprint,
    type: EventType,
    columns: WritableColumns,
  ): Promise<SprintView> {
    const { id } = row;
    const { instant } = change;
    const version = row.version + 1;
    await change.manager.update(Sprint, id, { ...columns, updated_at: instant, version });
    const { started_at, completed_at, ...others } = columns;
    const after = await this.represent(change, {
      ...row,
      ...others,
      ...(started_at && { started_at: toStored(started_at) }),
      ...(completed_at !== undefined && { completed_at: completed_at && toStored(completed_at) }),
      updated_at: toStored(instant),
      version,
    });
    recordEvent(change, board, type, before, after);
    return after;
  }

  /** Represents a sprint as it was written; only its state may depend on another sprint. */
  private async represent(change: Change, row: Omit<SprintRow, 'next_start'>): Promise<SprintView> {
    const next = row.end_date === null && (await this.sprints.findFollowing(change, row));
    const next_start = next ? next.start_date : null;
    return representSprint({ ...row, next_start }, change.instant);
  }
}

/** Returns the error of an end date before the start date; it names the date that was sent, not a stored one. */
function errorsOfDates({ start_date, end_date }: SprintView, sent: UpdateSprint): FieldError[] {
  if (end_date === null || start_date <= end_date) return [];
  return [
    {
      pointer: sent.end_date === undefined ? '/start_date' : '/end_date',
      code: 'out_of_range',
      detail: 'end_date must not be before start_date',
    },
  ];
}
