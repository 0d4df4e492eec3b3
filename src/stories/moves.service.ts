import { Injectable } from '@nestjs/common';
import { boardNamed, collectionTag } from '../boards/board.queries';
import { maySee } from '../http/access';
import type { Caller } from '../http/caller';
import { requireMatch, requireTag } from '../http/etag';
import type { FieldError } from '../http/problem';
import { Problem } from '../http/problem';
import type { Change, LockedBoard } from '../database/change';
import { Restart } from '../database/change';
import { UnitOfWork } from '../database/unit-of-work';
import type { Place } from './arrange';
import { arrange } from './arrange';
import type { MoveStories, MoveStory } from './move.dto';
import { BESIDE_ITSELF, neighbourOf } from './move.dto';
import type { Seat } from './placement';
import type { List } from './reseat';
import { NO_SPRINT, requireFree, requireOpen } from './stories.service';
import type { StoryView } from './story.dto';
import { findStories } from './story.queries';

/** Where a move goes, and what of it is not there. */
interface Target {
  /** Absent: to the list that each story is in. */
  list?: List;
  place: Place;
  faults: FieldError[];
}

/** Moves stories within their lists, to other ones, and to other boards. */
@Injectable()
export class MovesService {
  constructor(private readonly unitOfWork: UnitOfWork) {}

  /** Moves a story. @throws Problem `story_not_found`, `sprint_completed`, `external_id_taken`, … */
  move(caller: Caller, id: number, body: MoveStory): Promise<StoryView> {
    return this.unitOfWork.run(caller, async (change) => {
      const found = await change.first<{ board_id: number }>(
        'SELECT board_id FROM stories WHERE id = ?',
        [id],
      );
      const board = found && (await hold(change, found.board_id, body));
      if (!board) throw new Problem('story_not_found');
      const [story] = await findStories(change, board, [id]);
      if (!story) throw new Restart('the story went away before its board was held', board.id);
      if (neighbourOf(body.position) === id) throw Problem.invalid([BESIDE_ITSELF]);
      requireMatch(caller, story);
      const [moved] = await place(change, board, [story], await aim(change, board, body));
      return moved ?? story;
    });
  }

  /**
   * Moves stories of a board, all or none, so that they stand together in the order given; without a
   * list that is meant, those of each list in theirs. `If-Match` is about the board's lists.
   */
  moveTogether(caller: Caller, boardName: string, body: MoveStories): Promise<StoryView[]> {
    return this.unitOfWork.run(caller, async (change) => {
      if (!maySee(caller, boardName)) throw new Problem('board_not_found');
      const { id } = await boardNamed(change, boardName);
      const board = await hold(change, id, body);
      if (board?.name !== boardName) throw new Restart('the board went away before it was held');
      const { story_ids: ids } = body;
      requireTag(caller, collectionTag(board));
      const stories = await findStories(change, board, ids);
      const target = await aim(change, board, body);
      const byId = new Map(stories.map((story) => [story.id, story]));
      for (const [i, storyId] of ids.entries()) {
        if (byId.has(storyId)) continue;
        target.faults.push({
          pointer: `/story_ids/${i}`,
          code: 'not_found',
          detail: `story_ids names ${storyId}, which is no story of the board`,
        });
      }
      const inOrder = ids.flatMap((storyId) => byId.get(storyId) ?? []);
      return place(change, board, inOrder, target);
    });
  }
}

/** Holds a board, and the one that the sprint or the neighbour which the body names is on. */
async function hold(
  change: Change,
  boardId: number,
  { sprint_id, position }: MoveStory,
): Promise<LockedBoard | undefined> {
  const [table, id] =
    sprint_id === undefined ? ['stories', neighbourOf(position)] : ['sprints', sprint_id];
  const target =
    id != null &&
    (await change.first<{ board_id: number }>(`SELECT board_id FROM ${table} WHERE id = ?`, [id]));
  const boards = await change.lock(boardId, ...(target ? [target.board_id] : []));
  return boards.get(boardId);
}

/** Finds what the body means, now that the boards are held. */
async function aim(
  change: Change,
  board: LockedBoard,
  { sprint_id, position = 'last' }: MoveStory,
): Promise<Target> {
  const faults: FieldError[] = [];
  let list: List | undefined;
  if (sprint_id === null) list = { board, sprintId: null };
  else if (sprint_id !== undefined) {
    const sprint = await change.first<{ board_id: number; name: string }>(
      `SELECT p.board_id, b.name FROM sprints p JOIN boards b ON b.id = p.board_id
       WHERE p.id = ? AND b.name IS NOT NULL`,
      [sprint_id],
    );
    if (sprint && maySee(change.caller, sprint.name)) {
      list = { board: change.held(sprint.board_id), sprintId: sprint_id };
    } else {
      faults.push(NO_SPRINT);
    }
  }
  if (typeof position === 'string') return { ...(list && { list }), place: position, faults };

  const found = await change.first<
    Seat & { board_id: number; sprint_id: number | null; name: string }
  >(
    `SELECT s.id, s.seq, s.board_id, s.sprint_id, b.name FROM stories s JOIN boards b ON b.id = s.board_id
     WHERE s.id = ? AND b.name IS NOT NULL`,
    [neighbourOf(position) ?? 0],
  );
  const neighbour = found && maySee(change.caller, found.name) ? found : undefined;
  if (neighbour && sprint_id === undefined) {
    list = { board: change.held(neighbour.board_id), sprintId: neighbour.sprint_id };
  }
  if (!neighbour || (list && !isIn(neighbour, list))) {
    const detail = neighbour ? 'position names a story of another list' : 'position names no story';
    faults.push({ pointer: '/position', code: neighbour ? 'invalid_value' : 'not_found', detail });
    return { ...(list && { list }), place: 'last', faults };
  }
  const { id, seq } = neighbour;
  const seat = { id, seq };
  const place = 'before' in position ? { before: seat } : { after: seat };
  return { ...(list && { list }), place, faults };
}

const isIn = (
  story: { board_id: number; sprint_id: number | null },
  { board, sprintId }: List,
): boolean => story.board_id === board.id && story.sprint_id === sprintId;

/** Moves the stories, unless something refuses it; returns them as they are then, in their order. */
async function place(
  change: Change,
  board: LockedBoard,
  stories: readonly StoryView[],
  { list, place, faults }: Target,
): Promise<StoryView[]> {
  if (list) await requireMovable(change, board, stories, list);
  if (faults.length > 0) throw Problem.invalid(faults);
  if (list) return arrange(change, board, stories, list, place);
  const moved = new Map<number, StoryView>();
  for (const sprintId of new Set(stories.map(({ sprint_id }) => sprint_id))) {
    const own = stories.filter(({ sprint_id }) => sprint_id === sprintId);
    for (const story of await arrange(change, board, own, { board, sprintId }, place)) {
      moved.set(story.id, story);
    }
  }
  return stories.map((story) => moved.get(story.id) ?? story);
}

/** @throws Problem `sprint_completed`, `external_id_taken` */
async function requireMovable(
  change: Change,
  board: LockedBoard,
  stories: readonly StoryView[],
  list: List,
): Promise<void> {
  const entering = stories.filter(
    ({ sprint_id }) => list.board !== board || sprint_id !== list.sprintId,
  );
  if (entering.length === 0) return;
  for (const sprintId of new Set(entering.map(({ sprint_id }) => sprint_id))) {
    if (sprintId !== null) await requireOpen(change, board, sprintId);
  }
  if (list.sprintId !== null) await requireOpen(change, list.board, list.sprintId);
  if (list.board !== board) {
    await requireFree(
      change,
      list.board,
      stories.map(({ external_id }) => external_id),
    );
  }
}
