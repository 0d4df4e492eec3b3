import type { Change } from '../../database/change';
import type { BriefStory } from '../../stories/brief-story.queries';
import { findBriefStoriesByExternalId } from '../../stories/brief-story.queries';
import type { TasksOfStory } from './apply-tasks.service';
import type { PlannedStory, PlannedTask } from './plan';

/** The sub-tasks of a plan whose stories are on the board, but not in the file. They become tasks of these stories. */
export class SubtasksOfKnownStories {
  /** The stories of the sub-tasks of the last `find`. */
  private readonly parents = new Map<PlannedStory, BriefStory>();
  private readonly byStory = new Map<number, { story: BriefStory; tasks: PlannedTask[] }>();

  constructor(private readonly boardId: number) {}

  /**
   * Reads the parent stories of the sub-tasks.
   * @param existing sub-tasks that the board already has as stories; they are not converted to tasks
   */
  async find(
    change: Change,
    planned: readonly PlannedStory[],
    existing: ReadonlyMap<string, unknown>,
  ): Promise<void> {
    const subtasks = planned.filter(
      ({ parent, external_id: id }) => parent !== undefined && !existing.has(id ?? ''),
    );
    const ids = subtasks.map(({ parent }) => parent as string);
    const found = await findBriefStoriesByExternalId(change, this.boardId, ids);
    this.parents.clear();
    for (const subtask of subtasks) {
      const parent = found.get(subtask.parent as string);
      if (parent) this.parents.set(subtask, parent);
    }
  }

  /** Converts a planned story to a task if it is one of these sub-tasks. @returns whether it is */
  take(planned: PlannedStory): boolean {
    const story = this.parents.get(planned);
    if (!story) return false;
    const { line, external_id, title = '', status, assignee, done_at = null } = planned;
    const tasks = this.byStory.get(story.id)?.tasks ?? [];
    tasks.push({ line, external_id, title, status, assignee, done_at }, ...(planned.tasks ?? []));
    this.byStory.set(story.id, { story, tasks });
    return true;
  }

  tasks(): TasksOfStory[] {
    return [...this.byStory.values()].map((one) => ({ ...one, isNew: false }));
  }
}
