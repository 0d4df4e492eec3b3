import type { FastifyReply, FastifyRequest } from 'fastify';
import { Readable } from 'node:stream';
import type { Database } from '../database/database';
import type { Reader } from '../database/reader';
import { Answer } from '../http/answer';
import { BOARD_REVISION } from '../http/board-revision';
import { clientOf, streamParts } from '../http/stream';
import { findStoriesOfSprint } from '../stories/story.queries';
import { findTasksOfStories } from '../tasks/task.queries';
import type { SprintView, StoryWithTasks } from './sprint.dto';

/** Characters of a part, and stories at most: what one slow reader keeps in memory. */
const PART_LENGTH = 128 * 1024;
const MAX_STORIES = 200;
/** Stories of the first part, before anything is known of their length. */
const FIRST_STORIES = 10;

/** The JSON of a sprint in full, in parts, with its entity tag and the revision of its board. */
export interface SprintParts {
  etag: string;
  revision: number;
  parts: AsyncGenerator<string>;
}

/** A sprint in full that is too long to be held in memory. */
export class LongSprint extends Answer {
  constructor(
    private readonly database: Database,
    readonly etag: string,
    readonly revision: number,
    private readonly read: (snapshot: Reader) => Promise<SprintParts>,
  ) {
    super();
  }

  async open(request: FastifyRequest, reply: FastifyReply): Promise<Readable> {
    if (request.method === 'HEAD') return Readable.from([]);
    const snapshot = await this.database.openStream(clientOf(request));
    try {
      const { etag, revision, parts } = await this.read(snapshot);
      reply.header('ETag', etag).header(BOARD_REVISION, revision);
      return await streamParts(parts, snapshot);
    } catch (error) {
      await snapshot.close();
      throw error;
    }
  }
}

/** The JSON of a sprint with its stories and their tasks, in parts. */
export async function* partsOf(
  reader: Reader,
  boardId: number,
  sprint: SprintView,
): AsyncGenerator<string> {
  yield `${JSON.stringify(sprint).slice(0, -1)},"stories":[`;
  let limit = FIRST_STORIES;
  let separator = '';
  for (let after: { seq: number; id: number } | undefined; ;) {
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
    const storyLength = items.length / stories.length;
    limit = Math.max(1, Math.min(MAX_STORIES, Math.floor(PART_LENGTH / storyLength)));
  }
  yield ']}\n';
}
