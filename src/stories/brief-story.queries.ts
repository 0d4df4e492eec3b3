import type { Change } from '../database/change';
import type { Reader } from '../database/reader';
import { Problem } from '../http/problem';
import type { StoryView } from './story.dto';
import { STORY_FIELDS } from './story.dto';
import type { StoryRow } from './story.queries';
import { readOfSprint, representStory, STORY_TABLES } from './story.queries';

/** Stands for the long description that a story has at one of its versions. */
export interface DescriptionReference {
  story_id: number;
  version: number;
}

/**
 * A story without a long description. A change of 1,000 stories keeps these in memory, because descriptions of
 * the greatest length take 98 MB, and 196 MB as JSON.
 */
export type BriefStory = Omit<StoryView, 'description'> & {
  description: string | null | DescriptionReference;
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

export function representBriefStory({ is_long, ...row }: BriefStoryRow): BriefStory {
  const story = representStory(row);
  return is_long ? { ...story, description: referenceTo(story) } : story;
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
       WHERE +s.board_id = ? AND s.id IN (${chunk.map(() => '?').join(', ')})`,
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
  if (externalIds.length === 0) return new Map();
  const rows = await reader.query<BriefStoryRow & { external_id: string }>(
    `SELECT ${BRIEF_COLUMNS} FROM ${STORY_TABLES}
     WHERE s.board_id = ? AND s.external_id IN (${externalIds.map(() => '?').join(', ')})`,
    [boardId, ...externalIds],
  );
  return new Map(rows.map((row) => [row.external_id, representBriefStory(row)]));
}

/** Replaces a long description by a reference. */
export function briefly<T extends object>(resource: T): T {
  const story = resource as T & Partial<BriefStory>;
  const { description } = story;
  if (typeof description !== 'string' || Buffer.byteLength(description) <= MAX_BYTES) return story;
  return { ...story, description: referenceTo(story as unknown as StoryView) };
}

const referenceTo = ({ id, version }: StoryView): DescriptionReference => ({
  story_id: id,
  version,
});

const referenceOf = (resource: object): DescriptionReference | undefined => {
  const { description } = resource as Partial<BriefStory>;
  return typeof description === 'object' && description !== null ? description : undefined;
};

/** Characters of the descriptions of these resources; infinite if one is not in memory. */
export const descriptionLength = (resources: readonly object[]): number =>
  resources.reduce((sum, resource) => {
    const { description } = resource as Partial<BriefStory>;
    return sum + (referenceOf(resource) ? Infinity : ((description as string | null)?.length ?? 0));
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
 * Replaces references by the descriptions. Each is the one at the version that the reference names, even if the story
 * was changed or deleted since.
 * @throws Problem `story_not_found` if a board was deleted since, with its log
 */
export async function readDescriptions<T extends object>(
  reader: Reader,
  resources: readonly T[],
): Promise<T[]> {
  const ids = resources.flatMap((resource) => referenceOf(resource)?.story_id ?? []);
  if (ids.length === 0) return [...resources];
  const rows = await reader.query<Pick<StoryView, 'id' | 'version' | 'description'>>(
    `SELECT id, version, description FROM stories WHERE id IN (${ids.map(() => '?').join(', ')})`,
    ids,
  );
  const current = new Map(rows.map((row) => [row.id, row]));
  const result: T[] = [];
  for (const resource of resources) {
    const reference = referenceOf(resource);
    if (!reference) {
      result.push(resource);
      continue;
    }
    const row = current.get(reference.story_id);
    const before =
      row?.version === reference.version ? undefined : await findReplaced(reader, reference);
    const { description } = before ?? row ?? {};
    if (description === undefined) throw new Problem('story_not_found');
    result.push({ ...resource, description });
  }
  return result;
}

/**
 * Finds the description of a story at a version in the event that replaced it; undefined if it was not replaced. To be
 * read after the story, so that no change between the two statements is missed.
 */
async function findReplaced(
  reader: Reader,
  { story_id: id, version }: DescriptionReference,
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
