import type { Reader } from '../database/reader';
import { PartSize } from '../http/stream';
import { findStoriesOfSprint } from '../stories/story.queries';
import { findTasksOfStories } from '../tasks/task.queries';
import type { SprintView, StoryWithTasks } from './sprint.dto';

/** Stories of a part, at most. */
const MAX_STORIES = 200;

/** The JSON of a sprint with its stories and their tasks, in parts. */
export async function* partsOf(
  reader: Reader,
  boardId: number,
  sprint: SprintView,
): AsyncGenerator<string> {
  yield `${JSON.stringify(sprint).slice(0, -1)},"stories":[`;
  const size = new PartSize(MAX_STORIES);
  let separator = '';
  for (let after: { seq: number; id: number } | undefined; ;) {
    const limit = size.rows;
    const stories = await findStoriesOfSprint(reader, boardId, sprint.id, { after, limit });
    const full = stories.map((story): StoryWithTasks => ({ ...story, tasks: [] }));
    const byId = new Map(full.map((story) => [story.id, story]));
    for (const task of await findTasksOfStories(reader, [...byId.keys()])) {
      byId.get(task.story_id)?.tasks.push(task);
    }
    const items = JSON.stringify(full).slice(1, -1);
    if (items !== '') yield separator + items;
    separator = ',';
    if (stories.length < limit) break;
    after = stories.at(-1);
    size.measured(items.length, stories.length);
  }
  yield ']}\n';
}
