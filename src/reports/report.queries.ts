import type { Reader } from '../database/reader';
import type { Fields } from '../events/event';
import type { StoredEvent } from '../events/event.queries';
import { toRfc3339 } from '../time/clock';
import { Pace } from '../time/pace';
import { fromHundredths } from './points';
import type { ReplayedEvent, SprintHistory } from './replay';
import { replay } from './replay';
import { inSteps } from './steps';

type EventRow = Pick<StoredEvent, 'revision' | 'type' | 'at' | 'entity' | 'entity_id' | 'after'>;

/**
 * Descriptions are not part of reports; without them the events of 2,000 stories fit into memory.
 * (Without the CAST MySQL returns JSON, which its driver parses.)
 */
const AFTER = `CASE WHEN LENGTH(e.\`after\`) > 4096
  THEN CAST(JSON_REMOVE(e.\`after\`, '$.description') AS CHAR) ELSE e.\`after\` END`;
const COLUMNS = `e.revision, e.type, e.at, e.entity, e.entity_id, ${AFTER} AS \`after\``;

// MySQL estimates by averages, and without this hint may read the whole log of the board. To SQLite,
// which needs none, it is a comment.
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

/** Stories whose events are read at once. */
const STORIES_AT_ONCE = 100;

/** Replays a sprint. @param reader a snapshot, or a change that has flushed its events */
export async function readHistory(
  reader: Reader,
  { id, board_id: boardId }: { id: number; board_id: number },
  now: Date,
): Promise<SprintHistory> {
  const pace = new Pace();
  const lists: ReplayedEvent[][] = [];
  const read = async (sql: string, ...parameters: number[]): Promise<void> => {
    const events: ReplayedEvent[] = [];
    for (const row of await reader.query<EventRow>(sql, parameters)) {
      events.push(replayed(row));
      await pace.pause();
    }
    lists.push(inOrder(events));
  };
  await read(EVENTS_OF_SPRINT, boardId, boardId, id, boardId);
  const stories = await reader.query<{ id: number }>(STORIES_EVER_IN_IT, [id]);
  for (let start = 0; start < stories.length; start += STORIES_AT_ONCE) {
    const ids = stories.slice(start, start + STORIES_AT_ONCE).map((story) => story.id);
    await read(`${EVENTS_OF_STORIES} (${ids.map(() => '?').join(', ')})`, boardId, ...ids);
  }
  // Lists that are in order are merged quickly.
  return inSteps(replay(inOrder(lists.flat()), id, now));
}

/** Sorts events. The databases would sort rows with long JSON on disk. */
const inOrder = (events: ReplayedEvent[]): ReplayedEvent[] =>
  events.sort((a, b) => a.revision - b.revision);

const replayed = (row: EventRow): ReplayedEvent => ({
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
