import { Injectable } from '@nestjs/common';
import { collectionTag } from '../boards/board.queries';
import { requireUnchanged, requireVersion } from '../http/read-only';
import type { Caller } from '../http/caller';
import { requireMatch } from '../http/etag';
import type { PageQuery } from '../http/listing';
import { column, Listing } from '../http/listing';
import { Problem } from '../http/problem';
import type { Deleted } from '../http/schema';
import type { Change, LockedBoard } from '../database/change';
import { Restart } from '../database/change';
import { Database } from '../database/database';
import type { Parameter, Reader } from '../database/engine';
import { UnitOfWork } from '../database/unit-of-work';
import { changes, differences } from '../events/differences';
import { GREATEST_SEQ } from '../stories/story.entity';
import type { CreateTask, TaskView, UpdateTask } from './task.dto';
import { representTask, TASK_COLUMNS } from './task.queries';

/** Tasks of a story: where it goes to another board, one event tells of all of them. */
const MOST_TASKS = 1000;

@Injectable()
export class TasksService {
  constructor(
    private readonly database: Database,
    private readonly unitOfWork: UnitOfWork,
  ) {}

  /** The tasks of a story. @throws Problem `story_not_found` */
  async ofStory(storyId: number, page: PageQuery): Promise<Listing> {
    const board = await this.database.first<{ id: number; revision: number }>(
      `SELECT b.id, b.revision FROM stories s JOIN boards b ON b.id = s.board_id
       WHERE s.id = ? AND b.name IS NOT NULL`,
      [storyId],
    );
    if (!board) throw new Problem('story_not_found');
    return new Listing(
      this.database,
      {
        columns: TASK_COLUMNS,
        from: 'tasks t',
        where: 't.story_id = ?',
        parameters: [storyId],
        order: [column('seq', 't', 'integer'), column('id', 't', 'integer')],
        represent: (row) => representTask(row as unknown as TaskView),
      },
      page,
      collectionTag(board),
    );
  }

  async show(id: number): Promise<TaskView> {
    const task = await find(this.database, id);
    if (!task) throw new Problem('task_not_found');
    return task;
  }

  create(caller: Caller, storyId: number, body: CreateTask): Promise<TaskView> {
    return this.unitOfWork.run(caller, async (change) => {
      const board = await take(change, storyId);
      if (!board) throw new Problem('story_not_found');
      const there = await change.first<{ count: number; last: number | null }>(
        'SELECT COUNT(*) AS count, MAX(seq) AS last FROM tasks WHERE story_id = ?',
        [storyId],
      );
      if (there && there.count >= MOST_TASKS) throw new Problem('too_many_tasks');
      const seq = body.seq ?? (there?.last ?? 0) + 1;
      if (seq > GREATEST_SEQ) throw new Problem('seq_exhausted');
      const { title, status = 'todo', assignee = null } = body;
      const id = await change.insert('tasks', {
        story_id: storyId,
        title,
        seq,
        status,
        assignee,
        created_at: change.now,
        updated_at: change.now,
        done_at: status === 'done' ? change.now : null,
        version: 1,
      });
      const task = await this.stored(change, id);
      change.record(board, {
        type: 'task.created',
        entity: 'task',
        id,
        version: 1,
        before: null,
        after: { ...task },
      });
      return task;
    });
  }

  update(caller: Caller, id: number, body: UpdateTask): Promise<TaskView> {
    return this.unitOfWork.run(caller, async (change) => {
      const { board, task } = await this.take(change, id);
      requireMatch(caller, task);
      requireVersion(body, task);
      requireUnchanged(body, task);
      const changed = differences(task, { ...task, ...body })?.after;
      if (!changed) return task;
      const columns = changed as Record<string, Parameter>;
      if ('status' in columns) columns.done_at = columns.status === 'done' ? change.now : null;
      await change.update('tasks', id, columns);
      const after = await this.stored(change, id);
      change.record(board, {
        type: 'task.updated',
        entity: 'task',
        id,
        version: after.version,
        ...changes(task, after),
      });
      return after;
    });
  }

  delete(caller: Caller, id: number): Promise<Deleted> {
    return this.unitOfWork.run(caller, async (change) => {
      const { board, task } = await this.take(change, id);
      requireMatch(caller, task);
      await change.run('DELETE FROM tasks WHERE id = ?', [id]);
      change.record(board, {
        type: 'task.deleted',
        entity: 'task',
        id,
        version: task.version + 1,
        before: { ...task },
        after: null,
      });
      return { deleted: true, id };
    });
  }

  private async take(change: Change, id: number): Promise<{ board: LockedBoard; task: TaskView }> {
    const found = await change.first<{ story_id: number }>(
      'SELECT story_id FROM tasks WHERE id = ?',
      [id],
    );
    const board = found && (await take(change, found.story_id));
    const task = board && (await find(change, id));
    if (!task) throw new Problem('task_not_found');
    return { board, task };
  }

  private async stored(change: Change, id: number): Promise<TaskView> {
    const task = await find(change, id);
    if (!task) throw new Error(`task ${id} is not there after it was written`);
    return task;
  }
}

async function find(reader: Reader, id: number): Promise<TaskView | undefined> {
  const [row] = await reader.query<TaskView>(
    `SELECT ${TASK_COLUMNS} FROM tasks t JOIN stories s ON s.id = t.story_id
     JOIN boards b ON b.id = s.board_id WHERE t.id = ? AND b.name IS NOT NULL`,
    [id],
  );
  return row && representTask(row);
}

/** Holds the board of a story. */
async function take(change: Change, storyId: number): Promise<LockedBoard | undefined> {
  const boardOf = (): Promise<{ board_id: number } | undefined> =>
    change.first<{ board_id: number }>('SELECT board_id FROM stories WHERE id = ?', [storyId]);
  const found = await boardOf();
  if (!found) return undefined;
  const boards = await change.lock(found.board_id);
  const held = await boardOf();
  if (!held) return undefined;
  if (held.board_id !== found.board_id && !boards.has(held.board_id)) {
    throw new Restart('the story moved to another board', found.board_id, held.board_id);
  }
  return boards.get(held.board_id);
}
