import type { Change, LockedBoard } from '../database/change';
import type { Parameter } from '../database/engine';
import type { Room, Seat, Shift, Side } from './placement';
import { roomFor, seqsBetween } from './placement';
import { BY_LIST } from './story.queries';
import type { List, Seated } from './reseat';
import { reseat } from './reseat';

/** A place in a list: an end of it, or next to one of its stories. */
export type Place = 'first' | 'last' | { before: Seat } | { after: Seat };

/** How far each look beyond the place goes further than the one before. */
const FURTHER = 8;

/**
 * Puts stories of a board at a place of a list, in the order given, and tells it. Their `seq` changes
 * where it must; where there is no room for them, others give way in one statement, told by one
 * event. However long the list is, only its stories next to the place are read.
 * @param stories as they are stored, whichever lists of the board they are in
 * @returns the stories as they are now, in the same order
 * @throws Problem `seq_exhausted`
 */
export async function arrange<Story extends Seated>(
  change: Change,
  from: LockedBoard,
  stories: readonly Story[],
  to: List,
  place: Place,
): Promise<Story[]> {
  if (stories.length === 0) return [];
  const room = await findRoom(change, stories, to, place);
  if (room.shift) {
    const { first, last } = room.shift;
    const passedOver = stories.filter(
      (story) =>
        from === to.board &&
        story.sprint_id === to.sprintId &&
        precedes(first, story) &&
        precedes(story, last),
    );
    await shift(change, to, room.shift, passedOver);
  }
  const present = stories.map(({ seq }) => seq);
  const seqs = seqsBetween(room.lower, room.upper, present);
  return reseat(
    change,
    from,
    stories.map((story, i) => ({ story, seq: seqs[i] ?? story.seq })),
    to,
  );
}

const precedes = (one: Seat, other: Seat): boolean =>
  one.seq < other.seq || (one.seq === other.seq && one.id < other.id);

async function findRoom(
  change: Change,
  stories: readonly Seat[],
  list: List,
  place: Place,
): Promise<Room> {
  const moving = new Set(stories.map(({ id }) => id));
  const below = new Neighbours(change, list, moving, 'DESC');
  const above = new Neighbours(change, list, moving, 'ASC');
  if (place === 'first') below.end();
  else if (place === 'last') above.end();
  else if ('before' in place) above.beginWith(place.before, below);
  else below.beginWith(place.after, above);
  for (let depth = 1; ; depth *= FURTHER) {
    await below.reach(depth);
    await above.reach(depth);
    const room = roomFor(stories.length, below, above);
    if (room) return room;
  }
}

/** The stories of a list on one side of a place, those apart that are leaving; read when asked for. */
class Neighbours implements Side {
  readonly seats: Seat[] = [];
  whole = false;
  /** The last one that was read. */
  private from: Seat | undefined;

  constructor(
    private readonly change: Change,
    private readonly list: List,
    private readonly moving: ReadonlySet<number>,
    private readonly direction: 'ASC' | 'DESC',
  ) {}

  /** There is nothing on this side. */
  end(): void {
    this.whole = true;
  }

  /** This side begins with a story, and the other one beyond it. */
  beginWith(seat: Seat, other: Neighbours): void {
    this.seats.push(seat);
    this.from = seat;
    other.from = seat;
  }

  /** Reads on until so many are known, or all there are. */
  async reach(depth: number): Promise<void> {
    while (this.seats.length < depth && !this.whole) {
      const limit = depth - this.seats.length + this.moving.size;
      const rows = await this.read(limit);
      this.seats.push(...rows.filter(({ id }) => !this.moving.has(id)));
      this.from = rows.at(-1);
      this.whole = rows.length < limit;
    }
  }

  private read(limit: number): Promise<Seat[]> {
    const { direction, from } = this;
    const inList = inside(this.list);
    const [beyond, orEqual] = direction === 'ASC' ? ['>', '>='] : ['<', '<='];
    return this.change.query<Seat>(
      `SELECT id, seq FROM stories ${BY_LIST} WHERE ${inList.sql}
       ${from ? `AND seq ${orEqual} ? AND (seq ${beyond} ? OR id ${beyond} ?)` : ''}
       ORDER BY seq ${direction}, id ${direction} LIMIT ${limit}`,
      [...inList.parameters, ...(from ? [from.seq, from.seq, from.id] : [])],
    );
  }
}

/** Lets stories of a list give way, all at once, those apart that are about to be moved themselves. */
async function shift(
  change: Change,
  list: List,
  { first, last, by, count }: Shift,
  passedOver: readonly Seat[],
): Promise<void> {
  const inList = inside(list);
  const except = passedOver.map(({ id }) => id);
  const moved = ({ id, seq }: Seat): Seat => ({ id, seq: seq + by });
  await change.run(
    `UPDATE stories SET seq = seq + ?, updated_at = ?, version = version + 1
     WHERE ${inList.sql} AND seq BETWEEN ? AND ? AND (seq > ? OR id >= ?) AND (seq < ? OR id <= ?)
     ${except.length > 0 ? `AND id NOT IN (${except.map(() => '?').join(', ')})` : ''}`,
    [
      by,
      change.now,
      ...inList.parameters,
      first.seq,
      last.seq,
      first.seq,
      first.id,
      last.seq,
      last.id,
      ...except,
    ],
  );
  const { board, sprintId } = list;
  change.record(board, {
    type: 'stories.shifted',
    ...(sprintId === null ? { entity: 'board', id: board.id } : { entity: 'sprint', id: sprintId }),
    version: 0,
    before: { first, last },
    after: { first: moved(first), last: moved(last), by, count, except },
  });
}

/** The condition for the stories of a list, in the words of the index that has them in order. */
function inside({ board, sprintId }: List): { sql: string; parameters: Parameter[] } {
  return sprintId === null
    ? { sql: 'board_id = ? AND sprint_id IS NULL', parameters: [board.id] }
    : { sql: 'board_id = ? AND sprint_id = ?', parameters: [board.id, sprintId] };
}
