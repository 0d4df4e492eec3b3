import type { Reader } from '../database/reader';
import { placeholders } from '../database/reader';
import type { Fields } from '../events/event';
import type { StoredEvent } from '../events/event.queries';
import type { SprintRow } from '../sprints/sprint.queries';
import { fromHundredths } from './points';
import { toRfc3339 } from '../time/clock';
import type { ReplayedEvent, SprintHistory } from './replay';
import { Replay } from './replay';
import type { Steps } from './steps';
import { inSteps } from './steps';

type ReplayedRow = Pick<StoredEvent, 'revision' | 'type' | 'at' | 'entity' | 'entity_id' | 'after'>;

/**
 * Descriptions are not part of reports; without them the events of 2,000 stories fit into memory.
 * (Without the CAST MySQL returns JSON, which its driver parses.)
 */
const AFTER = `CASE WHEN LENGTH(e.\`after\`) > 4096
  THEN CAST(JSON_REMOVE(e.\`after\`, '$.description') AS CHAR) ELSE e.\`after\` END`;
const COLUMNS = `e.revision, e.type, e.at, e.entity, e.entity_id, ${AFTER} AS \`after\``;

// MySQL estimates by averages and, without this hint, may read the whole log of the board. SQLite does not
// need the hint, and reads it as a comment.
const BY_ENTITY = 'events e /*! FORCE INDEX (ix_events_entity) */';

/**
 * The events that the replay of a sprint needs, each found by an index, so that the cost does not depend
 * on the length of the log. Plain SQL, because QueryBuilder has neither UNION nor this hint.
 * `entity_version` is 0 for events that left the entity itself unchanged.
 */
const EVENTS_OF_SPRINT = `SELECT ${COLUMNS} FROM ${BY_ENTITY}
  WHERE e.entity_id = ? AND e.entity = 'board' AND e.entity_version > 0 AND e.board_id = ?
UNION ALL SELECT ${COLUMNS} FROM ${BY_ENTITY}
  WHERE e.entity_id = ? AND e.entity = 'sprint' AND e.entity_version > 0 AND e.board_id = ?`;
const STORIES_EVER_IN_IT = 'SELECT DISTINCT entity_id AS id FROM events WHERE sprint_id = ?';
// Without the `+` SQLite reads the whole log of the board.
const EVENTS_OF_STORIES = `SELECT ${COLUMNS} FROM ${BY_ENTITY}
  WHERE e.entity = 'story' AND +e.board_id = ? AND e.entity_id IN`;

const LATER_EVENTS = `SELECT ${COLUMNS}, e.sprint_id FROM events e
  WHERE e.board_id = ? AND e.revision > ? AND e.entity_version > 0`;

/** Stories whose events are read at once. */
const STORIES_AT_ONCE = 40;

/** The replay of a sprint up to a revision of its board's log. */
export interface ReplayedSprint {
  replay: Replay;
  revision: number;
}

/** Replays a sprint. @param reader a snapshot, or a change that has flushed its events */
export async function replaySprint(
  reader: Reader,
  { id, board_id: boardId, revision }: SprintRow,
): Promise<ReplayedSprint> {
  const ofSprint = await readEvents(reader, EVENTS_OF_SPRINT, [boardId, boardId, id, boardId]);
  const stories = await reader.query<{ id: number }>(STORIES_EVER_IN_IT, [id]);
  const ids = stories.map((story) => story.id);
  const events = await readStories(reader, boardId, ids);
  for (const event of ofSprint) events.push(event);
  const replay = new Replay(id);
  await inSteps(replay.add(inOrder(events)), reader.signal);
  return { replay, revision };
}

/** Adds the later events to the replay of a sprint. */
async function catchUp(
  reader: Reader,
  boardId: number,
  { replay, revision }: ReplayedSprint,
): Promise<Replay> {
  const rows = await reader.query<ReplayedRow & { sprint_id: number | null }>(LATER_EVENTS, [
    boardId,
    revision,
  ]);
  // The replay lacks all events of a story that is new to the sprint, not only the later ones.
  const known = rows.filter((row) => row.entity !== 'story' || replay.has(row.entity_id));
  const added = rows.filter(
    (row) => row.sprint_id === replay.sprintId && !replay.has(row.entity_id),
  );
  const ids = new Set(added.map((row) => row.entity_id));
  const events = known.map(replayed).concat(await readStories(reader, boardId, [...ids]));
  await inSteps(replay.add(inOrder(events)), reader.signal);
  return replay;
}

/**
 * Replays the history of a sprint.
 * @param reader a snapshot, or a change that has flushed its events
 * @param earlier the replay of a sprint; if it is this sprint, only the later events are read, and added to it
 */
export async function readHistory(
  reader: Reader,
  sprint: SprintRow,
  now: Date,
  earlier?: ReplayedSprint,
): Promise<SprintHistory> {
  const replay =
    earlier?.replay.sprintId === sprint.id
      ? await catchUp(reader, sprint.board_id, earlier)
      : (await replaySprint(reader, sprint)).replay;
  return inSteps(replay.history(now), reader.signal);
}

async function readStories(
  reader: Reader,
  boardId: number,
  ids: readonly number[],
): Promise<ReplayedEvent[]> {
  const events: ReplayedEvent[] = [];
  for (let start = 0; start < ids.length; start += STORIES_AT_ONCE) {
    const some = ids.slice(start, start + STORIES_AT_ONCE);
    const sql = `${EVENTS_OF_STORIES} (${placeholders(some)})`;
    // Not `flat` at the end, which blocks the process for 10 ms with 40,000 events.
    for (const event of await readEvents(reader, sql, [boardId, ...some])) events.push(event);
  }
  return events;
}

/** Reads events; other requests run meanwhile. */
async function readEvents(
  reader: Reader,
  sql: string,
  parameters: readonly number[],
): Promise<ReplayedEvent[]> {
  const rows = await reader.query<ReplayedRow>(sql, parameters);
  // Sorted lists that are concatenated are fast to sort.
  return inOrder(await inSteps(parse(rows), reader.signal));
}

function* parse(rows: ReplayedRow[]): Steps<ReplayedEvent[]> {
  const events: ReplayedEvent[] = [];
  for (const row of rows) {
    yield;
    events.push(replayed(row));
  }
  return events;
}

/** Sorts events here, because the databases would sort rows with long JSON on disk. */
const inOrder = (events: ReplayedEvent[]): ReplayedEvent[] =>
  events.sort((a, b) => a.revision - b.revision);

const replayed = (row: ReplayedRow): ReplayedEvent => ({
  revision: row.revision,
  type: row.type,
  at: toRfc3339(row.at),
  entity: row.entity,
  id: row.entity_id,
  after: row.after === null ? null : (JSON.parse(row.after) as Fields),
});

/** The unfinished stories of a backlog. */
export interface Backlog {
  count: number;
  points: number;
  /** Whether every story has points. */
  estimated: boolean;
}

const BACKLOG = `SELECT COUNT(*) AS count, COUNT(points) AS estimated, SUM(ROUND(points * 100)) AS hundredths
  FROM stories WHERE board_id = ? AND sprint_id IS NULL AND status <> 'done'`;

/** Counts the backlog of a board. */
export async function countBacklog(reader: Reader, boardId: number): Promise<Backlog> {
  const [row] = await reader.query<{ count: number; estimated: number; hundredths: number | null }>(
    BACKLOG,
    [boardId],
  );
  const { count = 0, estimated = 0, hundredths } = row ?? {};
  return { count, points: fromHundredths(hundredths ?? 0), estimated: estimated === count };
}
