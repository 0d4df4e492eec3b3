import type { Change } from '../database/change';
import type { Reader } from '../database/reader';
import { placeholders } from '../database/reader';
import { Problem } from '../http/problem';
import type { StoryView } from './story.dto';
import { STORY_FIELDS } from './story.dto';
import type { StoryRow } from './story.queries';
import { readOfSprint, representStory, STORY_TABLES } from './story.queries';

/** Stands for a long description that is not in memory: the one that the story has at its version. */
const UNREAD = { unread: true } as const;

/**
 * A story without a long description. A change of 1,000 stories keeps these in memory, because descriptions of
 * the greatest length take 98 MB, and 196 MB as JSON.
 */
export type BriefStory = Omit<StoryView, 'description'> & {
  description: string | null | typeof UNREAD;
};

/** Bytes of the longest description that a brief story contains. */
const MAX_BYTES = 1000;

/** The columns of a brief story `s` on a board `b`; the length of a text is known without reading it. */
export const BRIEF_COLUMNS = STORY_FIELDS.map((name) => {
  if (name === 'board_name') return 'b.name AS board_name';
  if (name !== 'description') return `s.${name}`;
  return `CASE WHEN OCTET_LENGTH(s.description) <= ${MAX_BYTES} THEN s.description END AS description,
    COALESCE(OCTET_LENGTH(s.description), 0) > ${MAX_BYTES} AS is_long`;
}).join(', ');

/** A row of `BRIEF_COLUMNS`. */
export type BriefStoryRow = StoryRow & { is_long: number };

export function representBriefStory(row: BriefStoryRow): BriefStory {
  const story = representStory(row);
  return row.is_long ? { ...story, description: UNREAD } : story;
}

/** Rows that one statement reads, because on SQLite it blocks the process. */
const CHUNK = 200;

/** The stories of a board that have one of these ids, in no particular order. */
export async function findBriefStories(
  change: Change,
  boardId: number,
  ids: readonly number[],
): Promise<BriefStory[]> {
  const stories: BriefStory[] = [];
  for (let start = 0; start < ids.length; start += CHUNK) {
    const chunk = ids.slice(start, start + CHUNK);
    // Without the `+` SQLite reads the whole board for more than a few ids.
    const rows = await change.query<BriefStoryRow>(
      `SELECT ${BRIEF_COLUMNS} FROM ${STORY_TABLES}
       WHERE +s.board_id = ? AND s.id IN (${placeholders(chunk)})`,
      [boardId, ...chunk],
    );
    stories.push(...rows.map(representBriefStory));
    await change.pause();
  }
  return stories;
}

/** The stories of a sprint in their order; `done: false` leaves out the finished ones. */
export async function findBriefStoriesOfSprint(
  change: Change,
  boardId: number,
  sprintId: number,
  { done = true } = {},
): Promise<BriefStory[]> {
  const stories: BriefStory[] = [];
  let last: BriefStoryRow | undefined;
  for (let more = true; more;) {
    const rows = await readOfSprint<BriefStoryRow>(
      change,
      BRIEF_COLUMNS,
      boardId,
      sprintId,
      CHUNK,
      last,
    );
    for (const row of rows)
      if (done || row.status !== 'done') stories.push(representBriefStory(row));
    last = rows.at(-1);
    more = rows.length === CHUNK;
    await change.pause();
  }
  return stories;
}

/** Reads the stories of a board that have one of these external ids, as a map by external id. */
export async function findBriefStoriesByExternalId(
  reader: Reader,
  boardId: number,
  externalIds: readonly string[],
): Promise<Map<string, BriefStory>> {
  const stories = new Map<string, BriefStory>();
  for (let start = 0; start < externalIds.length; start += CHUNK) {
    const chunk = externalIds.slice(start, start + CHUNK);
    const rows = await reader.query<BriefStoryRow & { external_id: string }>(
      `SELECT ${BRIEF_COLUMNS} FROM ${STORY_TABLES}
       WHERE s.board_id = ? AND s.external_id IN (${placeholders(chunk)})`,
      [boardId, ...chunk],
    );
    for (const row of rows) stories.set(row.external_id, representBriefStory(row));
  }
  return stories;
}

/** Replaces a long description by a mark that it is not in memory. */
export function briefly<T extends object>(resource: T): T {
  const story = resource as T & Partial<BriefStory>;
  const { description } = story;
  if (typeof description !== 'string' || Buffer.byteLength(description) <= MAX_BYTES) return story;
  return { ...story, description: UNREAD };
}

/** Whether a resource is a story whose description is not in memory. */
const isUnread = (resource: object): boolean => {
  const { description } = resource as Partial<BriefStory>;
  return typeof description === 'object' && description !== null;
};

/** Characters of the descriptions of these resources; infinite if one is not in memory. */
export const descriptionLength = (resources: readonly object[]): number =>
  resources.reduce((sum, resource) => {
    const { description } = resource as Partial<BriefStory>;
    return sum + (isUnread(resource) ? Infinity : ((description as string | null)?.length ?? 0));
  }, 0);

/** Descriptions that are read together. */
const READ_TOGETHER = 8;

/** Yields stories, and perhaps other resources, with their descriptions; as `readDescriptions`, for many. */
export async function* withDescriptions<T extends object>(
  reader: Reader,
  resources: readonly T[],
): AsyncGenerator<T> {
  for (let start = 0; start < resources.length; start += READ_TOGETHER) {
    yield* await readDescriptions(reader, resources.slice(start, start + READ_TOGETHER));
  }
}

/**
 * Reads the descriptions that are not in memory. Each is the one at the version that the story has here, even if it was
 * changed or deleted since.
 * @throws Problem `story_not_found` if a board was deleted since, with its log
 */
export async function readDescriptions<T extends object>(
  reader: Reader,
  resources: readonly T[],
): Promise<T[]> {
  const unread = resources.filter(isUnread) as (T & BriefStory)[];
  if (unread.length === 0) return [...resources];
  const rows = await reader.query<Pick<StoryView, 'id' | 'version' | 'description'>>(
    `SELECT id, version, description FROM stories WHERE id IN (${placeholders(unread)})`,
    unread.map(({ id }) => id),
  );
  const current = new Map(rows.map((row) => [row.id, row]));
  const found = new Map<T, string | null>();
  for (const story of unread) {
    const row = current.get(story.id);
    const isCurrent = row?.version === story.version;
    const { description } = (!isCurrent && (await findReplaced(reader, story))) || (row ?? {});
    if (description === undefined) throw new Problem('story_not_found');
    found.set(story, description);
  }
  return resources.map((resource) =>
    found.has(resource) ? { ...resource, description: found.get(resource) } : resource,
  );
}

/**
 * Finds the description of a story at its version in the event that replaced it; undefined if it was not replaced. To
 * be read after the story, so that no change between the two statements is missed.
 */
async function findReplaced(
  reader: Reader,
  { id, version }: BriefStory,
): Promise<{ description: string | null } | undefined> {
  const [event] = await reader.query<{ before: string }>(
    `SELECT e.\`before\` FROM events e
     WHERE e.entity = 'story' AND e.entity_id = ? AND e.entity_version > ? AND e.\`before\` LIKE ?
     ORDER BY e.entity_version LIMIT 1`,
    // In JSON, the quotation marks within a text are escaped, so this is the field.
    [id, version, '%"description":%'],
  );
  return event && (JSON.parse(event.before) as { description: string | null });
}
