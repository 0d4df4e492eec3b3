import type { Change } from '../../database/change';
import { findStoryIdsAfter } from '../../stories/story.queries';
import { findTasksOfStories } from '../../tasks/task.queries';

/** Stories whose ids one SELECT reads, and stories whose tasks one SELECT reads. */
const IDS = 20_000;
const CHUNK = 500;

/** The tasks that a board had before an import, by external id, which is unique in the other tool. */
export class TasksOfBoard {
  /** The id of the story of each task. */
  private stories: Map<string, number> | undefined;

  constructor(
    private readonly change: Change,
    private readonly boardId: number,
  ) {}

  /** Returns the id of the story that has the task; the first call reads all tasks of the board. */
  async storyOf(externalId: string): Promise<number | undefined> {
    this.stories ??= await this.read();
    return this.stories.get(externalId);
  }

  private async read(): Promise<Map<string, number>> {
    const { change, boardId } = this;
    const stories = new Map<string, number>();
    for (let last = 0, more = true; more;) {
      const ids = await findStoryIdsAfter(change, boardId, last, IDS);
      for (let start = 0; start < ids.length; start += CHUNK) {
        for (const task of await findTasksOfStories(change, ids.slice(start, start + CHUNK))) {
          if (task.external_id !== null) stories.set(task.external_id, task.story_id);
        }
        await change.pause();
      }
      last = ids.at(-1) ?? 0;
      more = ids.length === IDS;
    }
    return stories;
  }
}
