import type { Reader } from '../database/reader';
import type { Event } from './event.entity';

/** An event as it is stored: its time is a string. */
export type StoredEvent = Omit<Event, 'board_id' | 'board' | 'at'> & { at: string };

const EVENTS_AFTER = `SELECT e.revision, e.type, e.at, e.actor, e.entity, e.entity_id, e.entity_version, e.sprint_id,
  e.\`before\`, e.\`after\` FROM events e WHERE e.board_id = ? AND e.revision > ? ORDER BY e.revision LIMIT`;

/** Reads events of a board after a revision. Plain SQL: an export reads a million. */
export const findEventsAfter = (
  reader: Reader,
  boardId: number,
  revision: number,
  limit: number,
): Promise<StoredEvent[]> => reader.query(`${EVENTS_AFTER} ${limit}`, [boardId, revision]);
