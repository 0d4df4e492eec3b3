import { Injectable } from '@nestjs/common';
import { BoardCreation } from '../boards/board-creation.service';
import type { LockedBoard } from '../database/board-row';
import type { Change } from '../database/change';
import { Database } from '../database/database';
import { UnitOfWork } from '../database/unit-of-work';
import { maySee } from '../http/access';
import type { Caller } from '../http/caller';
import { requireUnchanged, requireVersion } from '../http/input/read-only';
import { Problem } from '../http/problem';
import { requireMatch } from '../http/responses/etag';
import { MAX_INT32 } from '../http/validation/numbers';
import { noSprint, SprintResolver } from './sprint-of-body';
import { StoryWriter } from './story-writer.service';
import type { CreateStory, StoryDeleted, StoryView, UpdateStory } from './story.dto';
import type { StoryList } from './story.queries';
import {
  findEndOfBacklog,
  findEndOfSprint,
  findList,
  findOpenSprint,
  findStory,
  lockStory,
  MAX_STORIES,
  requireFreeExternalIds,
  requireSpace,
} from './story.queries';

/** Creates, shows, changes and deletes stories. */
@Injectable()
export class StoriesService {
  constructor(
    private readonly database: Database,
    private readonly unitOfWork: UnitOfWork,
    private readonly boards: BoardCreation,
    private readonly writer: StoryWriter,
    private readonly sprintResolver: SprintResolver,
  ) {}

  /** @throws Problem `story_not_found` */
  async show(caller: Caller, id: number): Promise<StoryView> {
    const story = await findStory(this.database, id);
    if (!story || !maySee(caller, story.board_name)) throw new Problem('story_not_found');
    return story;
  }

  /** Creates a story in the backlog of a board, and the board if it does not exist. */
  createInBacklog(caller: Caller, boardName: string, body: CreateStory): Promise<StoryView> {
    return this.unitOfWork.run(caller, async (change) => {
      const board = await this.boards.boardForCreation(change, boardName);
      return this.createIn(change, board, null, body);
    });
  }

  /**
   * Creates a story in a sprint or, with null, in the backlog of a locked board.
   * @throws Problem `sprint_not_found`, `sprint_completed`, `sprint_full`, `external_id_taken`, `seq_exhausted`
   */
  async createIn(
    change: Change,
    board: LockedBoard,
    sprintId: number | null,
    body: CreateStory,
  ): Promise<StoryView> {
    const last =
      sprintId === null
        ? await findEndOfBacklog(change, board)
        : await this.endOfOpenSprint(change, board, sprintId);
    await requireFreeExternalIds(change, board, [body.external_id ?? null]);
    const seq = body.seq ?? last + 1;
    if (seq > MAX_INT32) throw new Problem('seq_exhausted');
    return this.writer.create(change, board, { body, seq, sprint_id: sprintId });
  }

  /**
   * Changes the properties that were sent; `sprint_id` moves the story, to another board if need be.
   * @throws Problem `story_not_found`, `sprint_completed`, `external_id_taken`, …
   */
  update(caller: Caller, id: number, body: UpdateStory): Promise<StoryView> {
    return this.unitOfWork.run(caller, (change) => this.updateIn(change, id, body));
  }

  /** Does the same as `update`, as part of a change. */
  async updateIn(change: Change, id: number, body: UpdateStory): Promise<StoryView> {
    const { board, story } = await lockStory(change, id);
    requireMatch(change.caller, story);
    requireVersion(body, story);
    const { sprint_id: sent = story.sprint_id, external_id: externalId = story.external_id } = body;
    const sprintId = await this.sprintResolver.idOf(change, board, sent);
    const isMoved = sprintId !== story.sprint_id;
    if (isMoved && story.sprint_id !== null) await findOpenSprint(change, story.sprint_id);
    const list = await findList(change, [story], board.id, sprintId);
    if (list && isMoved) await requireSpace(change, list, 1);
    const target = list?.board ?? board;
    if (externalId !== story.external_id || target.id !== board.id) {
      await requireFreeExternalIds(change, target, [externalId]);
    }
    requireUnchanged(body, story, list ? [] : [noSprint(sent)]);
    change.setSubject(target);
    return this.writer.update(change, board, story, body, list as StoryList);
  }

  /** Deletes a story and its tasks. @throws Problem `story_not_found`, `sprint_completed`, … */
  delete(caller: Caller, id: number): Promise<StoryDeleted> {
    return this.unitOfWork.run(caller, (change) => this.deleteIn(change, id));
  }

  /** Does the same as `delete`, as part of a change. */
  async deleteIn(change: Change, id: number): Promise<StoryDeleted> {
    const { board, story } = await lockStory(change, id);
    requireMatch(change.caller, story);
    if (story.sprint_id !== null) await findOpenSprint(change, story.sprint_id);
    return { deleted: true, id, tasks_deleted: await this.writer.delete(change, board, story) };
  }

  private async endOfOpenSprint(
    change: Change,
    board: LockedBoard,
    sprintId: number,
  ): Promise<number> {
    const sprint = await findEndOfSprint(change, board, sprintId);
    if (!sprint) throw new Problem('sprint_not_found');
    if (sprint.completed_at !== null) throw new Problem('sprint_completed');
    if (sprint.count >= MAX_STORIES) throw new Problem('sprint_full');
    return sprint.last;
  }
}
