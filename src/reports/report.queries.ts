import { toRfc3339 } from '../time/clock';
import { Problem } from '../http/problem';
import type { Reader } from '../database/engine';
import type { EventEntity, EventType, Members } from '../events/event';
import type { SprintRow } from '../sprints/sprint.queries';
import { findSprint, representSprint } from '../sprints/sprint.queries';
import type { PastEvent, SprintPast } from './past';
import { replay } from './past';
import type { ReportView } from './report.dto';
import { report } from './report';

interface EventRow {
  revision: number;
  type: EventType;
  at: string;
  entity: EventEntity;
  entity_id: number;
  after: string | null;
}

/**
 * A sprint's report as of now or, once it is completed, of then: the same, `sprint` apart, ever after.
 * In a change it tells of what the change has done as soon as that is in the log (`Change.flush`).
 * @param reader a snapshot or a change, for the sprint and its log have to fit together
 * @throws Problem `sprint_not_found`
 */
export async function reportOf(reader: Reader, sprintId: number, now: Date): Promise<ReportView> {
  const sprint = await sprintOf(reader, sprintId);
  return { sprint: representSprint(sprint, now), ...report(await pastOf(reader, sprint, now)) };
}

/** The row of a sprint. @throws Problem `sprint_not_found` */
export async function sprintOf(reader: Reader, id: number): Promise<SprintRow> {
  const sprint = await findSprint(reader, id);
  if (!sprint) throw new Problem('sprint_not_found');
  return sprint;
}

const COLUMNS = 'e.revision, e.type, e.at, e.entity, e.entity_id, e.`after`';

// MySQL guesses from averages, and may go through the board's whole log instead. SQLite, to which
// these hints are comments, does not.
const SELECT = 'SELECT /*! STRAIGHT_JOIN */';
const BY_ENTITY = 'events e /*! FORCE INDEX (ix_events_entity) */';

/**
 * What the log tells of a sprint. Each part of the query finds its events by an index, so that it
 * takes as long as what happened to the sprint's stories, the board and the sprint themselves,
 * however long the log is. `entity_version` is 0 where an event made no version of its entity.
 */
const EVENTS = `SELECT ${COLUMNS} FROM ${BY_ENTITY}
  WHERE e.entity_id = ? AND e.entity = 'board' AND e.entity_version > 0 AND e.board_id = ?
UNION ALL SELECT ${COLUMNS} FROM ${BY_ENTITY}
  WHERE e.entity_id = ? AND e.entity = 'sprint' AND e.entity_version > 0 AND e.board_id = ?
UNION ALL ${SELECT} ${COLUMNS} FROM (SELECT DISTINCT entity_id FROM events WHERE sprint_id = ?) i
  JOIN ${BY_ENTITY} ON e.entity_id = i.entity_id AND e.entity = 'story' AND e.board_id = ?`;

export async function pastOf(
  reader: Reader,
  { id, board_id: boardId }: { id: number; board_id: number },
  now: Date,
): Promise<SprintPast> {
  const rows = await reader.query<EventRow>(EVENTS, [boardId, boardId, id, boardId, id, boardId]);
  const events = rows.map((row): PastEvent => ({
    revision: row.revision,
    type: row.type,
    at: toRfc3339(row.at),
    entity: row.entity,
    id: row.entity_id,
    after: row.after === null ? null : (JSON.parse(row.after) as Members),
  }));
  // Sorting rows with long texts is more than the databases do in memory.
  return replay(
    events.sort((a, b) => a.revision - b.revision),
    id,
    now,
  );
}
