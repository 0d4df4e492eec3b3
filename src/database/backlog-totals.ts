import { hundredths } from '../common/points';
import type { Reader } from './engine';

/**
 * The work that waits in a board's backlog: its stories that are in no sprint and not done. Kept in the
 * board's row, as of `backlog_revision`; where that is not the board's revision, what was kept is not
 * known to be true, and is counted anew.
 */
export interface BacklogTotals {
  backlog_revision: number | null;
  backlog_count: number;
  /** Those of them that have points. */
  backlog_estimated: number;
  /** The sum of their points, in hundredths. */
  backlog_hundredths: number;
}

export const BACKLOG_COLUMNS =
  'backlog_revision, backlog_count, backlog_estimated, backlog_hundredths';

/** What of a story the totals depend on. */
export interface Weighed {
  sprint_id: number | null;
  status: string;
  points: number | null;
}

/** Adds a story to the totals, or takes it away; none is a story that was not there before, or is no more. */
export function weigh(
  totals: BacklogTotals,
  story: Weighed | null | undefined,
  sign: 1 | -1,
): void {
  if (!story || story.sprint_id !== null || story.status === 'done') return;
  totals.backlog_count += sign;
  if (story.points === null) return;
  totals.backlog_estimated += sign;
  totals.backlog_hundredths += sign * hundredths(story.points);
}

/** The totals of a board as of a revision, by going through its backlog; `reader` sees that revision. */
export async function countBacklog(
  reader: Reader,
  board: number,
  revision: number,
): Promise<BacklogTotals> {
  const [row] = await reader.query<{ count: number; estimated: number; sum: number | null }>(
    `SELECT COUNT(*) AS count, COUNT(points) AS estimated, SUM(ROUND(points * 100)) AS sum FROM stories
     WHERE board_id = ? AND sprint_id IS NULL AND status <> 'done'`,
    [board],
  );
  const { count = 0, estimated = 0, sum } = row ?? {};
  return {
    backlog_revision: revision,
    backlog_count: count,
    backlog_estimated: estimated,
    backlog_hundredths: sum ?? 0,
  };
}

/** The totals of a board, from its row where they are known; `reader` is a snapshot. */
export async function backlogTotals(reader: Reader, board: number): Promise<BacklogTotals> {
  const [row] = await reader.query<BacklogTotals & { revision: number }>(
    `SELECT revision, ${BACKLOG_COLUMNS} FROM boards WHERE id = ?`,
    [board],
  );
  if (row && row.backlog_revision === row.revision) return row;
  return countBacklog(reader, board, row?.revision ?? 0);
}
