import { Injectable } from '@nestjs/common';
import type { LockedBoard } from '../database/board-row';
import type { Change } from '../database/change';
import { placeholders } from '../database/reader';
import { toStored } from '../time/clock';
import type { BriefStory } from './brief-story.queries';
import type { Gap, Shift, Side, StorySeq } from './positions';
import { assignSeqs, findGap } from './positions';
import { StoryWriter } from './story-writer.service';
import type { StoryList } from './story.queries';

/** A position in a list: an end of it, or next to one of its stories. */
export type Place = 'first' | 'last' | { before: StorySeq } | { after: StorySeq };

/**
 * Rows that one UPDATE moves. For each of them the databases search all branches of its CASE: with 100 rows, moving
 * 1,000 stories took 1.2 to 1.5 times as long.
 */
const CHUNK = 25;

/** Rows that one statement reads or shifts, because on SQLite it blocks the process. */
const ROWS = 2000;

/** Puts stories at a position of a list. */
@Injectable()
export class StoryOrder {
  constructor(private readonly writer: StoryWriter) {}

  /**
   * Puts stories of a board at a position of a list, in the order given, and records the events. Their
   * `seq` changes only if necessary. If the gap is too narrow, other stories are shifted, with one
   * event. However long the list is, only the neighbours of the position are read.
   * @param stories as they are stored, in any lists of the board
   * @returns the stories after the change, in the same order
   * @throws Problem `seq_exhausted`
   */
  async place<Moved extends BriefStory>(
    change: Change,
    board: LockedBoard,
    stories: readonly Moved[],
    to: StoryList,
    at: Place,
  ): Promise<Moved[]> {
    if (stories.length === 0) return [];
    const inList = new Set(
      stories.filter((story) => board.id === to.board.id && story.sprint_id === to.sprintId),
    );
    const gap = await findGapAt(change, to, at, stories.length, [...inList]);
    if (gap.shift) await shift(change, to, gap.shift, [...inList]);
    const present = stories.map(({ seq }) => seq);
    const seqs = assignSeqs(gap.lower, gap.upper, present);
    const now = change.instant.toISOString();
    const result = stories.map((story, i): Moved => {
      const seq = seqs[i] ?? story.seq;
      if (inList.has(story) && seq === story.seq) return story;
      return {
        ...story,
        board_name: to.board.name,
        sprint_id: to.sprintId,
        seq,
        updated_at: now,
        version: story.version + 1,
      };
    });
    const moves = stories.flatMap((before, i) => {
      const after = result[i] ?? before;
      return after === before ? [] : [{ before, after }];
    });
    for (let start = 0; start < moves.length; start += CHUNK) {
      if (start > 0) await change.pause();
      const chunk = moves.slice(start, start + CHUNK);
      await update(change, board, chunk, to);
      for (const { before, after } of chunk) {
        await this.writer.recordMove(change, board, to.board, before, after);
      }
    }
    return result;
  }
}

/** Reads eight times as many neighbours of a position in each step, until there is a wide enough gap. */
async function findGapAt(
  change: Change,
  list: StoryList,
  at: Place,
  count: number,
  moving: readonly StorySeq[],
): Promise<Gap> {
  for (let depth = 1; ; depth *= 8) {
    const below = await readSide(change, list, at, 'DESC', depth, moving);
    const above = await readSide(change, list, at, 'ASC', depth, moving);
    const gap = findGap(count, below, above);
    if (gap) return gap;
  }
}

/** Returns those of the `depth` nearest stories on one side of a position that are not being moved. */
async function readSide(
  change: Change,
  list: StoryList,
  at: Place,
  direction: 'ASC' | 'DESC',
  depth: number,
  moving: readonly StorySeq[],
): Promise<Side> {
  const ids = new Set(moving.map(({ id }) => id));
  const stories: StorySeq[] = [];
  let from = at;
  for (let left = depth; left > 0;) {
    const limit = Math.min(left, ROWS);
    const rows = await readNearest(change, list, from, direction, limit);
    for (const row of rows) if (!ids.has(row.id)) stories.push(row);
    const last = rows.at(-1);
    if (!last || rows.length < limit) return { stories, complete: true };
    from = direction === 'ASC' ? { after: last } : { before: last };
    left -= limit;
    await change.pause();
  }
  return { stories, complete: false };
}

/** Reads the nearest stories on one side of a position. */
async function readNearest(
  change: Change,
  list: StoryList,
  at: Place,
  direction: 'ASC' | 'DESC',
  limit: number,
): Promise<StorySeq[]> {
  const ascending = direction === 'ASC';
  if (at === (ascending ? 'last' : 'first')) return [];
  const { sql, parameters } = inside(list);
  let beyond = '';
  if (typeof at === 'object') {
    const { id, seq } = 'before' in at ? at.before : at.after;
    const operator = ascending ? '>' : '<';
    // The neighbour itself is on one of the two sides.
    const orEqual = (ascending ? 'before' : 'after') in at ? '=' : '';
    beyond = `AND seq ${operator}= ? AND (seq ${operator} ? OR id ${operator}${orEqual} ?)`;
    parameters.push(seq, seq, id);
  }
  return change.query<StorySeq>(
    `SELECT id, seq FROM stories WHERE ${sql} ${beyond}
     ORDER BY seq ${direction}, id ${direction} LIMIT ${limit}`,
    parameters,
  );
}

/** Shifts stories of a list, except the stories that move, and records one event. */
async function shift(
  change: Change,
  list: StoryList,
  { first, last, by, count }: Shift,
  moving: readonly StorySeq[],
): Promise<void> {
  const except = moving
    .filter((story) => precedes(first, story) && precedes(story, last))
    .map(({ id }) => id);
  const { sql, parameters } = inside(list);
  const [near, end, direction] = by > 0 ? [first, last, 'DESC'] : [last, first, 'ASC'];
  const toNear = (from: StorySeq, edge = near) =>
    by > 0 ? between(edge, from) : between(from, edge);
  // From the end towards which they are shifted, so that no story is shifted into a part that follows.
  for (let from: StorySeq | undefined = end; from;) {
    const rest: Condition = toNear(from);
    const ends: StorySeq[] = await change.query<StorySeq>(
      `SELECT id, seq FROM stories WHERE ${sql} AND ${rest.sql}
       ORDER BY seq ${direction}, id ${direction} LIMIT 2 OFFSET ${ROWS - 1}`,
      [...parameters, ...rest.parameters],
    );
    const part = toNear(from, ends[0]);
    await change.query(
      `UPDATE stories SET seq = seq + ?, updated_at = ?, version = version + 1
       WHERE ${sql} AND ${part.sql}
       ${except.length > 0 ? `AND id NOT IN (${placeholders(except)})` : ''}`,
      [by, toStored(change.instant), ...parameters, ...part.parameters, ...except],
    );
    await change.pause();
    from = ends[1];
  }
  const { board, sprintId } = list;
  const shifted = ({ id, seq }: StorySeq): StorySeq => ({ id, seq: seq + by });
  change.record(board, {
    type: 'stories.shifted',
    ...(sprintId === null ? { entity: 'board', id: board.id } : { entity: 'sprint', id: sprintId }),
    version: 0,
    before: { first, last },
    after: { first: shifted(first), last: shifted(last), by, count, except },
  });
}

interface Condition {
  sql: string;
  parameters: number[];
}

/** The condition for the stories from one to another, both included. */
const between = (first: StorySeq, last: StorySeq): Condition => ({
  sql: 'seq BETWEEN ? AND ? AND (seq > ? OR id >= ?) AND (seq < ? OR id <= ?)',
  parameters: [first.seq, last.seq, first.seq, first.id, last.seq, last.id],
});

const precedes = (one: StorySeq, other: StorySeq): boolean =>
  one.seq < other.seq || (one.seq === other.seq && one.id < other.id);

/** Writes the list and the `seq` of moved stories by one statement. */
async function update(
  change: Change,
  board: LockedBoard,
  moves: readonly { before: BriefStory; after: BriefStory }[],
  to: StoryList,
): Promise<void> {
  const ids = moves.map(({ after }) => after.id);
  // SQLite writes to every index with a column that is set, even to the same value.
  const list = {
    ...(board.id !== to.board.id && { board_id: to.board.id }),
    ...(moves.some(({ before }) => before.sprint_id !== to.sprintId) && { sprint_id: to.sprintId }),
  };
  const assignments = Object.keys(list).map((column) => `${column} = ?, `);
  await change.query(
    `UPDATE stories SET ${assignments.join('')}
       seq = CASE id ${moves.map(() => 'WHEN ? THEN ?').join(' ')} END,
       updated_at = ?, version = version + 1
     WHERE id IN (${placeholders(ids)})`,
    [
      ...Object.values(list),
      ...moves.flatMap(({ after }) => [after.id, after.seq]),
      toStored(change.instant),
      ...ids,
    ],
  );
}

/** The condition for the stories of a list, in the order of the columns of its index. */
function inside({ board, sprintId }: StoryList): Condition {
  return sprintId === null
    ? { sql: 'board_id = ? AND sprint_id IS NULL', parameters: [board.id] }
    : { sql: 'board_id = ? AND sprint_id = ?', parameters: [board.id, sprintId] };
}
