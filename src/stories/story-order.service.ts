import { Injectable } from '@nestjs/common';
import type { LockedBoard } from '../database/board-row';
import type { Change } from '../database/change';
import { toStored } from '../time/clock';
import type { Gap, Shift, Side, StorySeq } from './positions';
import { assignSeqs, findGap } from './positions';
import { StoryWriter } from './story-writer.service';
import type { StoryView } from './story.dto';

/** The stories of a sprint or, with null, of the backlog of a board. */
export interface StoryList {
  board: LockedBoard;
  sprintId: number | null;
}

/** A position in a list: an end of it, or next to one of its stories. */
export type Place = 'first' | 'last' | { before: StorySeq } | { after: StorySeq };

/** Rows that one UPDATE changes; for each of them the databases search all branches of its CASE. */
const CHUNK = 100;

/** Puts stories at a position of a list. */
@Injectable()
export class StoryOrder {
  constructor(private readonly writer: StoryWriter) {}

  /**
   * Puts stories of a board at a position of a list, in the order given, and records the events. Their
   * `seq` changes only if necessary. If the gap is too narrow, other stories are shifted by one statement,
   * with one event. However long the list is, only the neighbours of the position are read.
   * @param stories as they are stored, in any lists of the board
   * @returns the stories after the change, in the same order
   * @throws Problem `seq_exhausted`
   */
  async place(
    change: Change,
    board: LockedBoard,
    stories: readonly StoryView[],
    to: StoryList,
    at: Place,
  ): Promise<StoryView[]> {
    if (stories.length === 0) return [];
    const inList = new Set(
      stories.filter((story) => board.id === to.board.id && story.sprint_id === to.sprintId),
    );
    const gap = await findGapAt(change, to, at, stories.length, [...inList]);
    if (gap.shift) await shift(change, to, gap.shift, [...inList]);
    const present = stories.map(({ seq }) => seq);
    const seqs = assignSeqs(gap.lower, gap.upper, present);
    const now = change.instant.toISOString();
    const result = stories.map((story, i): StoryView => {
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
  const ascending = direction === 'ASC';
  if (at === (ascending ? 'last' : 'first')) return { stories: [], complete: true };
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
  const rows = await change.query<StorySeq>(
    `SELECT id, seq FROM stories WHERE ${sql} ${beyond}
     ORDER BY seq ${direction}, id ${direction} LIMIT ${depth}`,
    parameters,
  );
  const ids = new Set(moving.map(({ id }) => id));
  return { stories: rows.filter(({ id }) => !ids.has(id)), complete: rows.length < depth };
}

/** Shifts stories of a list by one statement, except the stories that move, and records one event. */
async function shift(
  change: Change,
  list: StoryList,
  { first, last, by, count }: Shift,
  moving: readonly StorySeq[],
): Promise<void> {
  const { sql, parameters } = inside(list);
  const except = moving
    .filter((story) => precedes(first, story) && precedes(story, last))
    .map(({ id }) => id);
  await change.query(
    `UPDATE stories SET seq = seq + ?, updated_at = ?, version = version + 1
     WHERE ${sql} AND seq BETWEEN ? AND ? AND (seq > ? OR id >= ?) AND (seq < ? OR id <= ?)
     ${except.length > 0 ? `AND id NOT IN (${except.map(() => '?').join(', ')})` : ''}`,
    [
      by,
      toStored(change.instant),
      ...parameters,
      ...[first.seq, last.seq, first.seq, first.id, last.seq, last.id],
      ...except,
    ],
  );
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

const precedes = (one: StorySeq, other: StorySeq): boolean =>
  one.seq < other.seq || (one.seq === other.seq && one.id < other.id);

/** Writes the list and the `seq` of moved stories by one statement. */
async function update(
  change: Change,
  board: LockedBoard,
  moves: readonly { before: StoryView; after: StoryView }[],
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
     WHERE id IN (${ids.map(() => '?').join(', ')})`,
    [
      ...Object.values(list),
      ...moves.flatMap(({ after }) => [after.id, after.seq]),
      toStored(change.instant),
      ...ids,
    ],
  );
}

/** The condition for the stories of a list, in the order of the columns of its index. */
function inside({ board, sprintId }: StoryList): { sql: string; parameters: number[] } {
  return sprintId === null
    ? { sql: 'board_id = ? AND sprint_id IS NULL', parameters: [board.id] }
    : { sql: 'board_id = ? AND sprint_id = ?', parameters: [board.id, sprintId] };
}
