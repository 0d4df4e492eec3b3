import { calendarDate, toRfc3339 } from '../time/clock';
import type { Parameter, Reader } from '../database/engine';
import type { SprintState, SprintView } from './sprint.dto';

/** A sprint's row with what its state and its place are derived from. */
export interface SprintRow {
  id: number;
  board_id: number;
  board_name: string;
  time_zone: string;
  name: string | null;
  goal: string | null;
  start_date: string;
  end_date: string | null;
  completed_at: string | null;
  created_at: string;
  updated_at: string;
  version: number;
  /** Start of the next sprint of the board, by (start_date, id); null where the end does not depend on it. */
  next_start: string | null;
}

const LATER = `SELECT n.start_date FROM sprints n WHERE n.board_id = s.board_id AND n.start_date >= s.start_date
  AND (n.start_date > s.start_date OR n.id > s.id) ORDER BY n.start_date, n.id LIMIT 1`;

export const SPRINT_COLUMNS = `s.id, s.board_id, b.name AS board_name, b.time_zone, s.name, s.goal, s.start_date,
  s.end_date, s.completed_at, s.created_at, s.updated_at, s.version, CASE WHEN s.end_date IS NULL THEN (${LATER}) END AS next_start`;

export const SPRINT_TABLES = 'sprints s JOIN boards b ON b.id = s.board_id';

/**
 * The state of a sprint on a day of its board's time zone. A sprint without an end ends when a later
 * one starts; the next one is the first of those that can.
 */
export function stateOn(
  today: string,
  sprint: Pick<SprintRow, 'completed_at' | 'start_date' | 'end_date' | 'next_start'>,
): SprintState {
  if (sprint.completed_at !== null) return 'completed';
  if (today < sprint.start_date) return 'planned';
  const over =
    sprint.end_date !== null
      ? sprint.end_date < today
      : sprint.next_start !== null && sprint.next_start <= today;
  return over ? 'ended' : 'active';
}

export function representSprint(row: SprintRow, now: Date): SprintView {
  return {
    id: row.id,
    board_name: row.board_name,
    name: row.name,
    goal: row.goal,
    start_date: row.start_date,
    end_date: row.end_date,
    state: stateOn(calendarDate(now, row.time_zone), row),
    completed_at: row.completed_at && toRfc3339(row.completed_at),
    created_at: toRfc3339(row.created_at),
    updated_at: toRfc3339(row.updated_at),
    version: row.version,
  };
}

export async function findSprint(reader: Reader, id: number): Promise<SprintRow | undefined> {
  const [row] = await reader.query<SprintRow>(
    `SELECT ${SPRINT_COLUMNS} FROM ${SPRINT_TABLES} WHERE s.id = ? AND b.name IS NOT NULL`,
    [id],
  );
  return row;
}

/** Which sprint of a board a path may mean by a word. */
export const RELATIVE = ['current', 'next', 'previous'] as const;
export type Relative = (typeof RELATIVE)[number];

/** What a path calls a sprint: its id, or a word and the board that it is said of. */
export type SprintName = number | { board: string; which: Relative };

/** The current sprint: the last, by (start_date, id), of those that are active on that day. */
const CURRENT = `s.completed_at IS NULL AND s.start_date <= ? AND (s.end_date >= ? OR (s.end_date IS NULL AND NOT EXISTS (
  SELECT 1 FROM sprints n WHERE n.board_id = s.board_id AND n.start_date >= s.start_date AND n.start_date <= ?
  AND (n.start_date > s.start_date OR n.id > s.id))))
  ORDER BY s.start_date DESC, s.id DESC LIMIT 1`;

/** The sprint of a board that a word means on a day of the board's time zone. */
export async function findRelative(
  reader: Reader,
  board: { id: number },
  which: Relative,
  today: string,
): Promise<SprintRow | undefined> {
  const find = async (condition: string, parameters: Parameter[]): Promise<SprintRow | undefined> =>
    (
      await reader.query<SprintRow>(
        `SELECT ${SPRINT_COLUMNS} FROM ${SPRINT_TABLES} WHERE s.board_id = ? AND ${condition}`,
        [board.id, ...parameters],
      )
    )[0];
  if (which === 'next') {
    return find('s.completed_at IS NULL AND s.start_date > ? ORDER BY s.start_date, s.id LIMIT 1', [
      today,
    ]);
  }
  const current = await find(CURRENT, [today, today, today]);
  if (which === 'current') return current;
  const last = 's.start_date <= ? ORDER BY s.start_date DESC, s.id DESC LIMIT 1';
  if (!current) return find(last, [today]);
  return find(`(s.start_date < ? OR s.id < ?) AND ${last}`, [
    current.start_date,
    current.id,
    current.start_date,
  ]);
}
