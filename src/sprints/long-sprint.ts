import type { Reader } from '../database/reader';
import { GrowingPartSize, inParts } from '../http/stream';
import { findStoriesOfSprint } from '../stories/story.queries';
import { findTasksOfStories } from '../tasks/task.queries';
import type { SprintView, StoryWithTasks } from './sprint.dto';

/** Stories of a part, at most. */
const MAX_STORIES = 200;

/** The JSON of a sprint with its stories and their tasks, in parts. */
export function partsOf(
  reader: Reader,
  boardId: number,
  sprint: SprintView,
): AsyncGenerator<string> {
  return inParts<StoryWithTasks>({
    begin: `${JSON.stringify(sprint).slice(0, -1)},"stories":[`,
    separator: ',',
    end: ']}\n',
    size: new GrowingPartSize(MAX_STORIES),
    read: async (after, limit) => {
      const stories = await findStoriesOfSprint(reader, boardId, sprint.id, { after, limit });
      const full = stories.map((story): StoryWithTasks => ({ ...story, tasks: [] }));
      const byId = new Map(full.map((story) => [story.id, story]));
      for (const task of await findTasksOfStories(reader, [...byId.keys()])) {
        byId.get(task.story_id)?.tasks.push(task);
      }
      return full;
    },
    write: (story) => JSON.stringify(story),
  });
}
