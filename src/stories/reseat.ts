import { toRfc3339 } from '../time/clock';
import type { Change, LockedBoard } from '../database/change';
import type { Reader } from '../database/engine';
import { changes } from '../events/differences';
import { findTasks } from '../tasks/task.queries';
import type { StoryView } from './story.dto';
import { findStory } from './story.queries';

/** Rows that one UPDATE gives new places. */
const CHUNK = 250;

/** The stories of a sprint or, with null, of the backlog of a board. */
export interface List {
  board: LockedBoard;
  sprintId: number | null;
}

/** What a new place changes of a story, and what it adds to the totals of the backlog. */
export type Seated = Pick<
  StoryView,
  'id' | 'board_name' | 'sprint_id' | 'seq' | 'status' | 'points' | 'updated_at' | 'version'
>;

/** The stories of a sprint in their order, of each no more than a new place is about. */
export async function seatedIn(
  reader: Reader,
  board: LockedBoard,
  sprintId: number,
  { done = true } = {},
): Promise<Seated[]> {
  const rows = await reader.query<Seated>(
    `SELECT id, sprint_id, seq, status, points, updated_at, version FROM stories
     WHERE board_id = ? AND sprint_id = ?${done ? '' : ` AND status <> 'done'`} ORDER BY seq, id`,
    [board.id, sprintId],
  );
  return rows.map((row) => ({
    ...row,
    board_name: board.name,
    updated_at: toRfc3339(row.updated_at),
  }));
}

/**
 * Gives stories of a board their new places in a list, in few statements, and tells each: as
 * `story.moved` or, where the list is another board's, in the logs of both boards.
 * @returns the stories as they are now; one that has that place already stays as it is
 */
export async function reseat<Story extends Seated>(
  change: Change,
  from: LockedBoard,
  seats: readonly { story: Story; seq: number }[],
  to: List,
): Promise<Story[]> {
  const { board, sprintId } = to;
  const isThere = ({ story, seq }: (typeof seats)[number]): boolean =>
    from === board && story.sprint_id === sprintId && story.seq === seq;
  const moving = seats.filter((seat) => !isThere(seat));
  for (let start = 0; start < moving.length; start += CHUNK) {
    const chunk = moving.slice(start, start + CHUNK);
    const ids = chunk.map(({ story }) => story.id);
    // SQLite writes to every index that begins with a column which is set, be it to the same value.
    const list = {
      ...(from !== board && { board_id: board.id }),
      ...(chunk.some(({ story }) => story.sprint_id !== sprintId) && { sprint_id: sprintId }),
    };
    const assignments = Object.keys(list).map((column) => `${column} = ?, `);
    await change.run(
      `UPDATE stories SET ${assignments.join('')}
         seq = CASE id ${chunk.map(() => 'WHEN ? THEN ?').join(' ')} END,
         updated_at = ?, version = version + 1
       WHERE id IN (${ids.map(() => '?').join(', ')})`,
      [
        ...Object.values(list),
        ...chunk.flatMap(({ story, seq }) => [story.id, seq]),
        change.now,
        ...ids,
      ],
    );
  }
  const moved: Story[] = [];
  for (const seat of seats) {
    const { story, seq } = seat;
    if (isThere(seat)) {
      moved.push(story);
      continue;
    }
    const after = {
      ...story,
      board_name: board.name,
      sprint_id: sprintId,
      seq,
      updated_at: toRfc3339(change.now),
      version: story.version + 1,
    };
    await recordMove(change, from, board, story, after);
    moved.push(after);
  }
  return moved;
}

/**
 * Tells that a story is in another place: in its board's log or, where it left one board for another,
 * in those of both, to the second with all that it is, for there nobody has heard of it.
 */
export async function recordMove(
  change: Change,
  from: LockedBoard,
  to: LockedBoard,
  before: Seated,
  after: Seated,
): Promise<void> {
  const { id, version } = after;
  const happening = { entity: 'story' as const, id, version };
  const told = changes(before, after);
  if (from === to) {
    change.record(to, { type: 'story.moved', ...happening, ...told, was: before, is: after });
    return;
  }
  change.record(from, { type: 'story.moved_out', ...happening, ...told, was: before });
  const story = await findStory(change, id);
  const tasks = await findTasks(change, id);
  change.record(to, {
    type: 'story.moved_in',
    ...happening,
    before: null,
    after: { ...story, tasks },
    is: after,
  });
}
