import type { Change } from '../../database/change';
import type { BriefStory } from '../../stories/brief-story.queries';
import { findBriefStories } from '../../stories/brief-story.queries';
import { findStoriesWithoutExternalId } from '../../stories/story.queries';
import { toStored } from '../../time/clock';
import type { PlannedStory } from './plan';

/** Stories that one SELECT reads. */
const CHUNK = 2000;

/** Recognises stories of an export that have no `external_id`, by their titles and times of creation. */
export class StoriesWithoutId {
  private readonly ids = new Map<string, number[]>();

  private constructor(private readonly boardId: number) {}

  /** Reads the stories of a board, if the plan has stories of an export without an `external_id`. */
  static async of(
    change: Change,
    boardId: number,
    planned: readonly PlannedStory[],
  ): Promise<StoriesWithoutId> {
    const stories = new StoriesWithoutId(boardId);
    for (let last = 0, more = planned.some(isOwn); more;) {
      const rows = await findStoriesWithoutExternalId(change, boardId, last, CHUNK);
      for (const { id, title, created_at } of rows) {
        const key = keyOf(title, created_at);
        const equal = stories.ids.get(key);
        if (equal) equal.push(id);
        else stories.ids.set(key, [id]);
        last = id;
      }
      more = rows.length === CHUNK;
      await change.pause();
    }
    return stories;
  }

  /** Returns the stories of the board for planned ones, each of them only once. */
  async take(
    change: Change,
    planned: readonly PlannedStory[],
  ): Promise<Map<PlannedStory, BriefStory>> {
    const found = new Map<number, PlannedStory>();
    for (const story of planned.filter(isOwn)) {
      const id = this.ids.get(keyOf(story.title ?? '', toStored(story.created_at!)))?.shift();
      if (id !== undefined) found.set(id, story);
    }
    const stories = await findBriefStories(change, this.boardId, [...found.keys()]);
    return new Map(stories.map((story) => [found.get(story.id)!, story]));
  }
}

const isOwn = ({ external_id, created_at }: PlannedStory): boolean =>
  external_id === null && created_at !== undefined;

const keyOf = (title: string, createdAt: string): string => `${createdAt} ${title}`;
