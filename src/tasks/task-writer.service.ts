import { Injectable } from '@nestjs/common';
import type { Change, LockedBoard } from '../database/change';
import { differences } from '../events/differences';
import { recordEvent } from '../events/record-event';
import { writable } from '../http/read-only';
import { toStored } from '../time/clock';
import type { CreateTask, TaskView, UpdateTask } from './task.dto';
import { Task } from './task.entity';
import { representTask, TASK_COLUMNS } from './task.queries';

/** Tasks of one story: one event contains all of them when the story moves to another board. */
export const MAX_TASKS = 1000;

/** A task to create in a story, by one of many rows. */
export interface PlacedTask {
  body: CreateTask & { seq: number };
  story_id: number;
  /** If it is done; default: now. */
  done_at?: Date | null;
  /** Default: now. */
  created_at?: Date | undefined;
}

/** Writes tasks of stories of locked boards and records the events. */
@Injectable()
export class TaskWriter {
  /** Creates tasks, many by each statement. @param known ids of tasks that these stories have already */
  async createMany(
    change: Change,
    board: LockedBoard,
    tasks: readonly PlacedTask[],
    known: ReadonlySet<number>,
  ): Promise<void> {
    if (tasks.length === 0) return;
    const now = toStored(change.instant);
    const columns = [
      ...['story_id', 'title', 'seq', 'status', 'assignee', 'external_id'],
      ...['created_at', 'updated_at', 'done_at', 'version'],
    ];
    await change.insertMany(
      'tasks',
      columns,
      tasks.map(({ story_id, body, done_at, created_at: createdAt }) => [
        ...[story_id, body.title, body.seq, body.status ?? 'todo', body.assignee ?? null],
        ...[body.external_id ?? null, createdAt ? toStored(createdAt) : now, now],
        body.status === 'done' ? toStored(done_at ?? change.instant) : null,
        1,
      ]),
    );
    const stories = [...new Set(tasks.map(({ story_id }) => story_id))];
    const rows = await change.query<TaskView>(
      `SELECT ${TASK_COLUMNS} FROM tasks t
       WHERE t.story_id IN (${stories.map(() => '?').join(', ')}) ORDER BY t.story_id, t.seq, t.id`,
      stories,
    );
    for (const row of rows) {
      if (!known.has(row.id)) {
        recordEvent(change, board, 'task.created', null, representTask(row));
      }
    }
  }

  /**
   * Writes what the body changes of a task. A `done_at` is that of another tool.
   * @returns the task after the change, or the same object if nothing changed
   */
  async update(
    change: Change,
    board: LockedBoard,
    task: TaskView,
    body: UpdateTask & { done_at?: string | null },
  ): Promise<TaskView> {
    const changed = differences(task, writable(body))?.after;
    if (!changed) return task;
    const { instant } = change;
    const { status } = changed;
    const doneAt =
      status && changed.done_at === undefined
        ? status === 'done'
          ? instant.toISOString()
          : null
        : changed.done_at;
    const version = task.version + 1;
    const done = doneAt !== undefined;
    await change.manager.update(Task, task.id, {
      ...changed,
      updated_at: instant,
      ...(done && { done_at: doneAt && new Date(doneAt) }),
      version,
    });
    const after: TaskView = {
      ...task,
      ...changed,
      updated_at: instant.toISOString(),
      ...(done && { done_at: doneAt }),
      version,
    };
    recordEvent(change, board, 'task.updated', task, after);
    return after;
  }
}
