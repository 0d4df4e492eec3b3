import { Injectable } from '@nestjs/common';
import type { LockedBoard } from '../database/board-row';
import type { Change } from '../database/change';
import { differences } from '../events/differences';
import { recordEvent } from '../events/record-event';
import { writable } from '../http/input/read-only';
import { fromRfc3339 } from '../time/clock';
import { doneAtAfter } from './done-at';
import type { CreateTask, TaskView, UpdateTask } from './task.dto';
import { Task } from './task.entity';
import { findTasksOfStories } from './task.queries';

/** A task to create in a story. */
export interface PlacedTask {
  body: CreateTask;
  seq: number;
  story_id: number;
  /** Ignored unless the task is done. Default: now. */
  done_at?: Date | null;
  /** Default: now. */
  created_at?: Date;
}

/** Writes tasks of stories of locked boards and records the events. */
@Injectable()
export class TaskWriter {
  async create(change: Change, board: LockedBoard, placed: PlacedTask): Promise<TaskView> {
    const task = represent(change, placed);
    const id = await change.insert('tasks', taskColumns(task.story_id, task));
    const created = { id, ...task };
    recordEvent(change, board, 'task.created', null, created);
    return created;
  }

  /** Creates tasks, many with each statement. @param known ids of tasks that these stories already have */
  async createMany(
    change: Change,
    board: LockedBoard,
    tasks: readonly PlacedTask[],
    known: ReadonlySet<number>,
  ): Promise<void> {
    const rows = tasks.map((task) => taskColumns(task.story_id, represent(change, task)));
    await change.insertMany('tasks', rows);
    const stories = [...new Set(tasks.map(({ story_id }) => story_id))];
    for (const task of await findTasksOfStories(change, stories)) {
      if (!known.has(task.id)) recordEvent(change, board, 'task.created', null, task);
    }
  }

  /**
   * Writes the fields of a task that the body changes. An import may set `done_at`.
   * @returns the task after the change, or the same object if nothing changed
   */
  async update(
    change: Change,
    board: LockedBoard,
    task: TaskView,
    body: UpdateTask & { done_at?: string | null },
  ): Promise<TaskView> {
    const changed = differences(task, writable(body));
    if (!changed) return task;
    const now = change.instant.toISOString();
    const doneAt = doneAtAfter(changed, now);
    const after: TaskView = {
      ...task,
      ...changed,
      ...(doneAt !== undefined && { done_at: doneAt }),
      updated_at: now,
      version: task.version + 1,
    };
    await change.update('tasks', task.id, {
      ...changed,
      ...(doneAt !== undefined && { done_at: doneAt && fromRfc3339(doneAt) }),
      updated_at: fromRfc3339(now),
      version: after.version,
    });
    recordEvent(change, board, 'task.updated', task, after);
    return after;
  }

  async delete(change: Change, board: LockedBoard, task: TaskView): Promise<void> {
    await change.manager.delete(Task, task.id);
    recordEvent(change, board, 'task.deleted', task, null);
  }
}

/** The representation of a new task, which has no id yet. */
function represent(
  { instant }: Change,
  { story_id, body, seq, done_at, created_at = instant }: PlacedTask,
): Omit<TaskView, 'id'> {
  const { title, status = 'todo', assignee = null, external_id = null } = body;
  return {
    story_id,
    title,
    seq,
    status,
    assignee,
    external_id,
    created_at: created_at.toISOString(),
    updated_at: instant.toISOString(),
    done_at: status === 'done' ? (done_at ?? instant).toISOString() : null,
    version: 1,
  };
}

/** The columns of a task, as the databases store them. */
export const taskColumns = (
  storyId: number,
  task: Omit<TaskView, 'id'>,
): Record<string, unknown> => ({
  ...task,
  story_id: storyId,
  created_at: fromRfc3339(task.created_at),
  updated_at: fromRfc3339(task.updated_at),
  done_at: task.done_at && fromRfc3339(task.done_at),
});
