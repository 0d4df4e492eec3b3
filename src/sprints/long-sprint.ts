import type { Reader } from '../database/reader';
import { GrowingPartSize, inParts } from '../http/responses/parts';
import { findStoriesOfSprint } from '../stories/story.queries';
import { findTasksOfStories, withTasks } from '../tasks/task.queries';
import type { SprintView, StoryWithTasks } from './sprint.dto';

/** Stories of a part, at most. */
const STORIES_OF_PART = 200;

/** The JSON of a sprint with its stories and their tasks, in parts; calls `written` for each story. */
export function partsOfSprint(
  reader: Reader,
  boardId: number,
  sprint: SprintView,
  written: () => void,
): AsyncGenerator<string> {
  return inParts<StoryWithTasks>({
    begin: `${JSON.stringify(sprint).slice(0, -1)},"stories":[`,
    separator: ',',
    end: ']}\n',
    size: new GrowingPartSize(STORIES_OF_PART),
    read: async (after, limit) => {
      const stories = await findStoriesOfSprint(reader, boardId, sprint.id, limit, after);
      const ids = stories.map(({ id }) => id);
      return withTasks(stories, await findTasksOfStories(reader, ids));
    },
    write: (story) => {
      written();
      return JSON.stringify(story);
    },
  });
}
