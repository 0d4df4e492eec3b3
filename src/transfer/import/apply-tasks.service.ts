import { Injectable } from '@nestjs/common';
import type { Change, LockedBoard } from '../../database/change';
import { Problem } from '../../http/problem';
import { findStoriesByExternalId } from '../../stories/story.queries';
import type { TaskView } from '../../tasks/task.dto';
import { findTasksOfStories } from '../../tasks/task.queries';
import type { PlacedTask } from '../../tasks/task-writer.service';
import { MAX_TASKS, TaskWriter } from '../../tasks/task-writer.service';
import type { Applied } from './applied';
import type { PlannedTask } from './plan';

/** The tasks that a plan has for a story. */
export interface TasksOfStory {
  story: { id: number; title: string };
  isNew: boolean;
  tasks: readonly PlannedTask[];
}

/** Stories and tasks that are written at once. */
const STORIES = 25;
const TASKS = 500;

/** Creates and updates the tasks of a plan. */
@Injectable()
export class ApplyTasks {
  constructor(private readonly writer: TaskWriter) {}

  /** @throws Problem `too_many_tasks` */
  async apply(
    change: Change,
    board: LockedBoard,
    stories: readonly TasksOfStory[],
    applied: Applied,
  ): Promise<void> {
    let group: TasksOfStory[] = [];
    let count = 0;
    for (const [i, story] of stories.entries()) {
      group.push(story);
      count += story.tasks.length;
      if (group.length < STORIES && count < TASKS && i < stories.length - 1) continue;
      await this.applyGroup(change, board, group, applied);
      await change.flush();
      await change.pause();
      [group, count] = [[], 0];
    }
  }

  private async applyGroup(
    change: Change,
    board: LockedBoard,
    group: readonly TasksOfStory[],
    applied: Applied,
  ): Promise<void> {
    const ids = group.filter(({ isNew }) => !isNew).map(({ story }) => story.id);
    const existing = new Map<number, TaskView[]>();
    for (const task of await findTasksOfStories(change, ids)) {
      existing.set(task.story_id, [...(existing.get(task.story_id) ?? []), task]);
    }
    const missing: (TasksOfStory & { own: readonly TaskView[] })[] = [];
    for (const one of group) {
      const own = existing.get(one.story.id) ?? [];
      missing.push({
        ...one,
        own,
        tasks: await this.update(change, board, own, one.tasks, applied),
      });
    }
    const stories = await this.storiesOf(change, board, missing);
    const created: PlacedTask[] = [];
    for (const { story, own, tasks } of missing) {
      const wanted = tasks.filter(({ line, external_id: id }) => {
        const isStory = id !== null && stories.has(id);
        const detail = `${id} is a story of the board since an earlier import`;
        if (isStory) applied.skipped.push({ line, code: 'subtask_is_story', detail });
        return !isStory;
      });
      if (own.length + wanted.length > MAX_TASKS && wanted.length > 0) {
        const detail = `"${story.title}" would have more than 1,000 tasks.`;
        throw new Problem('too_many_tasks', detail);
      }
      let last = Math.max(0, ...own.map(({ seq }) => seq));
      for (const { title, status, assignee, external_id, done_at, ...others } of wanted) {
        const seq = others.seq ?? last + 1;
        last = Math.max(last, seq);
        const body = { title, status, assignee, external_id, seq };
        created.push({ story_id: story.id, body, done_at, created_at: others.created_at });
      }
    }
    applied.created.tasks += created.length;
    const known = new Set([...existing.values()].flat().map(({ id }) => id));
    await this.writer.createMany(change, board, created, known);
  }

  /** Finds stories that an earlier import made of the sub-tasks: without their parents, or because of its mapping. */
  private async storiesOf(
    change: Change,
    { id: boardId }: LockedBoard,
    missing: readonly TasksOfStory[],
  ): Promise<ReadonlySet<string>> {
    // Tasks of our own format, which have a `created_at`, were never sub-tasks.
    const ids = missing.flatMap(({ tasks }) =>
      tasks.flatMap(({ created_at, external_id }) => (created_at ? [] : (external_id ?? []))),
    );
    const found = new Set<string>();
    // A story may have any number of sub-tasks in the file, and a statement has a limited number of parameters.
    for (let start = 0; start < ids.length; start += TASKS) {
      const some = ids.slice(start, start + TASKS);
      for (const id of (await findStoriesByExternalId(change, boardId, some)).keys()) found.add(id);
    }
    return found;
  }

  /** Updates the tasks that the story has already, and returns those to create. */
  private async update(
    change: Change,
    board: LockedBoard,
    own: readonly TaskView[],
    tasks: readonly PlannedTask[],
    applied: Applied,
  ): Promise<PlannedTask[]> {
    const free = new Set(own);
    const seen = new Set<string>();
    const missing: PlannedTask[] = [];
    for (const task of tasks) {
      const { external_id, title, status, assignee, done_at, line, seq } = task;
      const createdAt = task.created_at?.toISOString();
      if (external_id !== null && seen.has(external_id)) {
        applied.skipped.push({ line, code: 'duplicate', detail: `${external_id} occurs twice` });
        continue;
      }
      if (external_id !== null) seen.add(external_id);
      const found = [...free].find((other) =>
        external_id === null
          ? other.external_id === null &&
            other.title === title &&
            (createdAt === undefined || other.created_at === createdAt)
          : other.external_id === external_id,
      );
      if (!found) {
        missing.push(task);
        continue;
      }
      free.delete(found);
      const after = await this.writer.update(change, board, found, {
        title,
        status,
        assignee,
        ...(seq !== undefined && { seq }),
        ...(status === 'done' && done_at && { done_at: done_at.toISOString() }),
      });
      applied[after === found ? 'unchanged' : 'updated'].tasks += 1;
    }
    return missing;
  }
}
