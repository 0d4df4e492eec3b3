import { Injectable } from '@nestjs/common';
import { Problem } from '../../http/problem';
import { MAX_INT32 } from '../../http/validation/numbers';
import { findBriefStoriesByExternalId } from '../../stories/brief-story.queries';
import type { PlacedTask } from '../../tasks/task-writer.service';
import { TaskWriter } from '../../tasks/task-writer.service';
import type { TaskView } from '../../tasks/task.dto';
import { findTasksOfStories, MAX_TASKS } from '../../tasks/task.queries';
import { noSeq } from '../files/invalid-file';
import type { ImportRun } from './import-run';
import type { PlannedTask } from './plan';

/** The tasks that a plan has for a story. */
export interface TasksOfStory {
  story: { id: number; title: string };
  isNew: boolean;
  tasks: readonly PlannedTask[];
}

/** The planned tasks that a story does not have yet. */
interface Missing extends TasksOfStory {
  /** The tasks that the story has. */
  own: readonly TaskView[];
}

/** Stories and tasks that are written at once. */
const STORIES = 25;
const TASKS = 500;

/** Creates and updates the tasks of a plan. */
@Injectable()
export class ApplyTasks {
  constructor(private readonly writer: TaskWriter) {}

  /** @throws Problem `too_many_tasks`, InvalidFile if a task would need a `seq` above the maximum */
  async apply(run: ImportRun, stories: readonly TasksOfStory[]): Promise<void> {
    const { change } = run;
    let group: TasksOfStory[] = [];
    let count = 0;
    for (const [i, story] of stories.entries()) {
      group.push(story);
      count += story.tasks.length;
      if (group.length < STORIES && count < TASKS && i < stories.length - 1) continue;
      await this.applyGroup(run, group);
      await change.flush();
      await change.pause();
      [group, count] = [[], 0];
    }
  }

  private async applyGroup(run: ImportRun, group: readonly TasksOfStory[]): Promise<void> {
    const { change, board } = run;
    const ids = group.filter(({ isNew }) => !isNew).map(({ story }) => story.id);
    const existing = await findTasksOfStories(change, ids);
    const missing: Missing[] = [];
    for (const one of group) {
      const own = existing.filter((task) => task.story_id === one.story.id);
      missing.push({ ...one, own, tasks: await this.update(run, own, one.tasks) });
    }
    const wanted = await this.withoutStories(run, missing);
    const moved = await this.removeMoved(run, wanted);
    const created: PlacedTask[] = [];
    for (const { story, own, tasks } of wanted) {
      let last = Math.max(0, ...own.map(({ seq }) => seq));
      for (const { line, title, external_id, done_at, ...others } of tasks) {
        const seq = others.seq ?? last + 1;
        if (seq > MAX_INT32) {
          run.errors.push(noSeq(line));
          throw run.rejection();
        }
        last = Math.max(last, seq);
        const before = moved.get(external_id ?? '');
        const { status = before?.status, assignee = before?.assignee } = others;
        created.push({
          story_id: story.id,
          body: { title, status, assignee, external_id },
          seq,
          done_at: done_at ?? (before?.done_at ? new Date(before.done_at) : null),
          created_at: before ? new Date(before.created_at) : others.created_at,
        });
      }
    }
    run.created.tasks += created.length - moved.size;
    run.updated.tasks += moved.size;
    const known = new Set(existing.map(({ id }) => id));
    await this.writer.createMany(change, board, created, known);
  }

  /**
   * Skips the tasks that the board has as stories.
   * @throws Problem `too_many_tasks`
   */
  private async withoutStories(run: ImportRun, missing: readonly Missing[]): Promise<Missing[]> {
    const { change, board } = run;
    const ids = missing.flatMap(({ tasks }) => foreignIds(tasks));
    // An earlier import made them: without their parents, or because of its mapping.
    const stories = await findBriefStoriesByExternalId(change, board.id, ids);
    return missing.map((one) => {
      const tasks = one.tasks.filter(({ line, external_id: id }) => {
        const isStory = id !== null && stories.has(id);
        const detail = `${id} is a story of the board since an earlier import`;
        if (isStory) run.skipped.push({ line, code: 'subtask_is_story', detail });
        return !isStory;
      });
      if (one.own.length + tasks.length > MAX_TASKS && tasks.length > 0) {
        const detail = `"${one.story.title}" would have more than 1,000 tasks.`;
        throw new Problem('too_many_tasks', detail);
      }
      return { ...one, tasks };
    });
  }

  /**
   * Deletes the tasks that the file has in another story. They are created again there, because the log has no
   * event for a task that changes its story.
   * @returns the deleted tasks by their external ids
   */
  private async removeMoved(
    { change, board, tasksOfBoard }: ImportRun,
    wanted: readonly Missing[],
  ): Promise<ReadonlyMap<string, TaskView>> {
    const formerStories = new Map<string, number>();
    for (const id of wanted.flatMap(({ tasks }) => foreignIds(tasks))) {
      const story = await tasksOfBoard.storyOf(id);
      if (story !== undefined) formerStories.set(id, story);
    }
    const moved = new Map<string, TaskView>();
    for (const task of await findTasksOfStories(change, [...new Set(formerStories.values())])) {
      const { external_id: id, story_id } = task;
      if (id === null || formerStories.get(id) !== story_id) continue;
      await this.writer.delete(change, board, task);
      moved.set(id, task);
    }
    return moved;
  }

  /** Updates the tasks that the story has already, and returns those to create. */
  private async update(
    run: ImportRun,
    own: readonly TaskView[],
    tasks: readonly PlannedTask[],
  ): Promise<PlannedTask[]> {
    const free = new Map<string, TaskView[]>();
    for (const task of own) free.set(keyOf(task), [...(free.get(keyOf(task)) ?? []), task]);
    const seen = new Set<string>();
    const missing: PlannedTask[] = [];
    for (const task of tasks) {
      const { external_id, title, status, assignee, done_at, line, seq } = task;
      const createdAt = task.created_at?.toISOString();
      if (external_id !== null && seen.has(external_id)) {
        run.skipped.push({ line, code: 'duplicate', detail: `${external_id} occurs twice` });
        continue;
      }
      if (external_id !== null) seen.add(external_id);
      const alike = free.get(keyOf(task)) ?? [];
      const index = alike.findIndex(
        (other) =>
          external_id !== null || createdAt === undefined || other.created_at === createdAt,
      );
      const [found] = index < 0 ? [] : alike.splice(index, 1);
      if (!found) {
        missing.push(task);
        continue;
      }
      const after = await this.writer.update(run.change, run.board, found, {
        title,
        status,
        assignee,
        ...(seq !== undefined && { seq }),
        ...(done_at && { done_at: done_at.toISOString() }),
      });
      run[after === found ? 'unchanged' : 'updated'].tasks += 1;
    }
    return missing;
  }
}

/** A task is the same if it has the same `external_id` or, if neither has one, the same title. */
const keyOf = ({ external_id, title }: Pick<PlannedTask, 'external_id' | 'title'>): string =>
  external_id === null ? `title ${title}` : `id ${external_id}`;

/** The ids of tasks of another tool. In our own format, which has a `created_at`, tasks of different stories may have the same id. */
const foreignIds = (tasks: readonly PlannedTask[]): string[] =>
  tasks.flatMap(({ created_at, external_id }) => (created_at ? [] : (external_id ?? [])));
