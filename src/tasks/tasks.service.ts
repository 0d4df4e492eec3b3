import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { collectionTag, findBoardOf, whereVisible } from '../boards/board.queries';
import type { LockedBoard } from '../database/board-row';
import type { Change } from '../database/change';
import { Database } from '../database/database';
import type { Reader } from '../database/reader';
import { UnitOfWork } from '../database/unit-of-work';
import { maySee } from '../http/access';
import type { Caller } from '../http/caller';
import { requireUnchanged, requireVersion } from '../http/input/read-only';
import { column } from '../http/lists/keyset';
import type { BoardRevision } from '../http/lists/list-source';
import { Listing } from '../http/lists/listing';
import type { PageQuery } from '../http/lists/page.dto';
import { Problem } from '../http/problem';
import { atRevision } from '../http/responses/board-revision';
import { requireMatch } from '../http/responses/etag';
import type { Deleted } from '../http/responses/schema';
import { MAX_INT32 } from '../http/validation/numbers';
import { TaskWriter } from './task-writer.service';
import type { CreateTask, TaskView, UpdateTask } from './task.dto';
import { Task } from './task.entity';
import {
  findEndOfTasks,
  findTask,
  MAX_TASKS,
  representTask,
  requireFreeExternalId,
  TASK_COLUMNS,
} from './task.queries';

@Injectable()
export class TasksService {
  constructor(
    @InjectRepository(Task) private readonly tasks: Repository<Task>,
    private readonly database: Database,
    private readonly unitOfWork: UnitOfWork,
    private readonly writer: TaskWriter,
  ) {}

  /** Lists the tasks of a story. @throws Problem `story_not_found` */
  async ofStory(caller: Caller, storyId: number, page: PageQuery): Promise<Listing> {
    const find = async (reader: Reader): Promise<BoardRevision> => {
      const { name, ...board } = await findBoardOf(reader, 'story_id', storyId);
      if (!maySee(caller, name)) throw new Problem('story_not_found');
      return board;
    };
    const board = await find(this.database);
    return new Listing(
      this.database,
      {
        query: () =>
          whereVisible(
            this.tasks
              .createQueryBuilder('t')
              .innerJoin('t.story', 's')
              .innerJoin('s.board', 'b')
              .select(TASK_COLUMNS)
              .where('t.story_id = :storyId', { storyId }),
            caller,
          ),
        order: [column('seq', 't', 'integer'), column('id', 't', 'integer')],
        indexed: true,
        represent: representTask,
        board: { tagOf: collectionTag, find, ...board },
      },
      page,
    );
  }

  /** @throws Problem `task_not_found` */
  async show(caller: Caller, id: number): Promise<TaskView> {
    const found = await findTask(this.database, id);
    if (!found || !maySee(caller, found.board.name)) throw new Problem('task_not_found');
    return atRevision(found.task, found.board.revision);
  }

  /** @throws Problem `story_not_found`, `too_many_tasks`, `seq_exhausted` */
  create(caller: Caller, storyId: number, body: CreateTask): Promise<TaskView> {
    return this.unitOfWork.run(caller, (change) => this.createIn(change, storyId, body));
  }

  /** Does the same as `create`, as part of a change. */
  async createIn(change: Change, storyId: number, body: CreateTask): Promise<TaskView> {
    const locked = await change.lockBoardOf('story_id', storyId);
    const story = locked && (await findEndOfTasks(change, storyId));
    if (!story) throw new Problem('story_not_found');
    // Another one if the story moved before its board was locked; then the change starts again.
    const board = change.setSubject(change.lockedBoard(story.board_id));
    if (story.count >= MAX_TASKS) throw new Problem('too_many_tasks');
    const seq = body.seq ?? (story.last ?? 0) + 1;
    if (seq > MAX_INT32) throw new Problem('seq_exhausted');
    await requireFreeExternalId(change, storyId, body.external_id ?? null);
    return this.writer.create(change, board, { story_id: storyId, body, seq });
  }

  /** @throws Problem `task_not_found`, `precondition_failed` */
  update(caller: Caller, id: number, body: UpdateTask): Promise<TaskView> {
    return this.unitOfWork.run(caller, (change) => this.updateIn(change, id, body));
  }

  /** Does the same as `update`, as part of a change. */
  async updateIn(change: Change, id: number, body: UpdateTask): Promise<TaskView> {
    const { board, task } = await this.lock(change, id);
    requireMatch(change.caller, task);
    requireVersion(body, task);
    const { external_id: externalId = task.external_id } = body;
    if (externalId !== task.external_id)
      await requireFreeExternalId(change, task.story_id, externalId);
    requireUnchanged(body, task);
    return this.writer.update(change, board, task, body);
  }

  /** @throws Problem `task_not_found`, `precondition_failed` */
  delete(caller: Caller, id: number): Promise<Deleted> {
    return this.unitOfWork.run(caller, (change) => this.deleteIn(change, id));
  }

  /** Does the same as `delete`, as part of a change. */
  async deleteIn(change: Change, id: number): Promise<Deleted> {
    const { board, task } = await this.lock(change, id);
    requireMatch(change.caller, task);
    await this.writer.delete(change, board, task);
    return { deleted: true, id };
  }

  /** Locks the board of a task and reads the task. @throws Problem `task_not_found` */
  private async lock(change: Change, id: number): Promise<{ board: LockedBoard; task: TaskView }> {
    const locked = await change.lockBoardOf('task_id', id);
    const found = locked && (await findTask(change, id));
    if (!found) throw new Problem('task_not_found');
    return { board: change.setSubject(change.lockedBoard(found.board.id)), task: found.task };
  }
}
