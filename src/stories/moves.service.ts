import { Injectable } from '@nestjs/common';
import { findBoard, requireLists } from '../boards/board.queries';
import type { LockedBoard } from '../database/board-row';
import type { Change } from '../database/change';
import { Restart } from '../database/change';
import { Database } from '../database/database';
import { UnitOfWork } from '../database/unit-of-work';
import { maySee } from '../http/access';
import type { Caller } from '../http/caller';
import type { FieldError } from '../http/problem';
import { fieldError, Problem } from '../http/problem';
import { requireMatch } from '../http/responses/etag';
import type { BriefStory } from './brief-story.queries';
import { findBriefStories } from './brief-story.queries';
import type { MoveStories, MoveStory } from './move.dto';
import type { StorySeq } from './positions';
import { noSprint, SprintResolver } from './sprint-of-body';
import { StoriesAnswer } from './stories-answer';
import type { Place } from './story-order.service';
import { StoryOrder } from './story-order.service';
import type { StoryView } from './story.dto';
import { Story } from './story.entity';
import type { StoryList } from './story.queries';
import {
  findList,
  findOpenSprint,
  lockStory,
  requireFreeExternalIds,
  requireSpace,
} from './story.queries';

/** A story that a position refers to. */
type Neighbour = StorySeq & Pick<Story, 'board_id' | 'sprint_id'>;

/** Moves stories within their lists, to other lists, and to other boards. */
@Injectable()
export class MovesService {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly database: Database,
    private readonly order: StoryOrder,
    private readonly sprintResolver: SprintResolver,
  ) {}

  /** Moves a story. @throws Problem `story_not_found`, `sprint_completed`, `external_id_taken`, … */
  move(caller: Caller, id: number, body: MoveStory): Promise<StoryView> {
    return this.unitOfWork.run(caller, (change) => this.moveIn(change, id, body));
  }

  /** Does the same as `move`, as part of a change. */
  async moveIn(change: Change, id: number, body: MoveStory): Promise<StoryView> {
    const { board, story } = await lockStory(change, id);
    requireMatch(change.caller, story);
    const [moved = story] = await this.moveTo(change, board, [story], body, []);
    return moved;
  }

  /**
   * Moves stories of a board, all or none, so that they follow one another in the order given. Without a
   * target list, the stories of each list move within it. `If-Match` refers to the board's lists.
   */
  async moveTogether(caller: Caller, boardName: string, body: MoveStories): Promise<StoriesAnswer> {
    const moved = await this.unitOfWork.run(caller, async (change) => {
      const board = await lockBoard(change, boardName);
      requireLists(caller, board);
      const { story_ids: ids } = body;
      const found = await findBriefStories(change, board.id, ids);
      const byId = new Map(found.map((story) => [story.id, story]));
      const stories = ids.flatMap((id) => byId.get(id) ?? []);
      const errors = ids.flatMap((id, i): FieldError[] => {
        const detail = `story_ids names ${id}, which is not a story of the board`;
        return byId.has(id) ? [] : [{ pointer: `/story_ids/${i}`, code: 'not_found', detail }];
      });
      return this.moveTo(change, board, stories, body, errors);
    });
    return new StoriesAnswer(this.database, moved, moved);
  }

  /** @param errors errors of the body that are already known */
  private async moveTo<Moved extends BriefStory>(
    change: Change,
    board: LockedBoard,
    stories: readonly Moved[],
    { sprint_id: sent, position = 'last' }: MoveStory,
    errors: FieldError[],
  ): Promise<Moved[]> {
    const neighbour =
      typeof position === 'string'
        ? undefined
        : await findNeighbour(change, Object.values(position)[0] as number);
    let list: StoryList | undefined;
    if (sent !== undefined) {
      const sprintId = await this.sprintResolver.idOf(change, board, sent);
      list = await findList(change, stories, board.id, sprintId);
      if (!list) errors.push(noSprint(sent));
    } else if (neighbour) {
      list = await findList(change, stories, neighbour.board_id, neighbour.sprint_id);
    }

    let place: Place = 'last';
    if (typeof position === 'string') place = position;
    else if (!neighbour)
      errors.push(wrongPosition('not_found', 'must be next to an existing story'));
    else if (
      list &&
      (list.board.id !== neighbour.board_id || list.sprintId !== neighbour.sprint_id)
    ) {
      errors.push(wrongPosition('invalid_value', 'must be next to a story of the same list'));
    } else if (stories.some(({ id }) => id === neighbour.id)) {
      errors.push(wrongPosition('invalid_value', 'must not be next to one of the moved stories'));
    } else place = 'before' in position ? { before: neighbour } : { after: neighbour };

    if (list) await requireMovable(change, board, stories, list);
    if (errors.length > 0) throw Problem.invalid(errors);
    if (list) {
      change.setSubject(list.board);
      return this.order.place(change, board, stories, list, place);
    }
    return this.moveWithinLists(change, board, stories, place);
  }

  private async moveWithinLists<Moved extends BriefStory>(
    change: Change,
    board: LockedBoard,
    stories: readonly Moved[],
    place: Place,
  ): Promise<Moved[]> {
    const moved = new Map<number, Moved>();
    for (const sprintId of new Set(stories.map(({ sprint_id }) => sprint_id))) {
      const own = stories.filter(({ sprint_id }) => sprint_id === sprintId);
      const list = { board, sprintId };
      for (const story of await this.order.place(change, board, own, list, place)) {
        moved.set(story.id, story);
      }
    }
    return stories.map((story) => moved.get(story.id) ?? story);
  }
}

/** @throws Problem `board_not_found` */
async function lockBoard(change: Change, name: string): Promise<LockedBoard> {
  if (!maySee(change.caller, name)) throw new Problem('board_not_found');
  // By its id, so that a move to another board can lock both in the order of their ids.
  const { id } = await findBoard(change, name);
  const board = await change.lock(id);
  if (board?.name !== name) throw new Restart('the board was renamed before it was locked');
  return change.setSubject(board);
}

/**
 * @throws Problem `sprint_completed` if a story would leave a completed sprint, `sprint_full`,
 *   `external_id_taken`
 */
async function requireMovable(
  change: Change,
  board: LockedBoard,
  stories: readonly BriefStory[],
  list: StoryList,
): Promise<void> {
  for (const sprintId of new Set(stories.map(({ sprint_id }) => sprint_id))) {
    if (sprintId !== null && sprintId !== list.sprintId) await findOpenSprint(change, sprintId);
  }
  const entering = stories.filter(({ sprint_id }) => sprint_id !== list.sprintId);
  await requireSpace(change, list, entering.length);
  if (list.board.id !== board.id) {
    const externalIds = stories.map(({ external_id }) => external_id);
    await requireFreeExternalIds(change, list.board, externalIds);
  }
}

async function findNeighbour(change: Change, id: number): Promise<Neighbour | undefined> {
  const story = await change.manager
    .createQueryBuilder(Story, 's')
    .innerJoin('s.board', 'b')
    .select('s.id, s.seq, s.board_id, s.sprint_id, b.name')
    .where('s.id = :id AND b.name IS NOT NULL', { id })
    .getRawOne<Neighbour & { name: string }>();
  return story && maySee(change.caller, story.name) ? story : undefined;
}

const wrongPosition = (code: FieldError['code'], text: string): FieldError =>
  fieldError('pointer', 'position', code, text);
