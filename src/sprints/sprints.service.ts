import { Injectable } from '@nestjs/common';
import { collectionTag, findBoard, findRevision } from '../boards/board.queries';
import { Database } from '../database/database';
import type { Reader } from '../database/reader';
import { column } from '../http/lists/keyset';
import type { ListSource } from '../http/lists/list-source';
import { Listing } from '../http/lists/listing';
import { atRevision } from '../http/responses/board-revision';
import { StoryListsService } from '../stories/story-lists.service';
import type { StoryListQuery } from '../stories/story.dto';
import { calendarDate, Clock } from '../time/clock';
import type { SprintListQuery, SprintView } from './sprint.dto';
import type { SprintReference, SprintRow } from './sprint.queries';
import { representSprint, SprintQueries } from './sprint.queries';

/** Reads sprints; `SprintChanges` changes them. */
@Injectable()
export class SprintsService {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly sprints: SprintQueries,
    private readonly storyLists: StoryListsService,
  ) {}

  /** The sprints of a board. @throws Problem `board_not_found` */
  async list(boardName: string, { state, ...page }: SprintListQuery): Promise<Listing> {
    const now = this.clock.now();
    // The day depends on the time zone of the board, which may change until the sprints are read.
    const resolve = async (reader: Reader): Promise<ListSource> => {
      const board = await findBoard(reader, boardName);
      const today = calendarDate(now, board.time_zone);
      return {
        query: () =>
          state ? this.sprints.inState(board.id, state, today) : this.sprints.ofBoard(board.id),
        order: [column('start_date', 's', 'date'), column('id', 's', 'integer')],
        indexed: true,
        represent: (row: SprintRow) => representSprint(row, now),
        ownerId: board.id,
        board: {
          tagOf: (at) => collectionTag(at, today),
          find: (snapshot) => findRevision(snapshot, board.id),
          ...board,
        },
      };
    };
    return new Listing(this.database, { resolve, ...(await resolve(this.database)) }, page);
  }

  /** @throws Problem `sprint_not_found` */
  async show(id: number): Promise<SprintView> {
    const now = this.clock.now();
    const row = await this.sprints.get(this.database, id, now);
    return atRevision(representSprint(row, now), row.revision);
  }

  /** The stories of the sprint that a path names. @throws Problem `sprint_not_found`, … */
  stories(reference: SprintReference, query: StoryListQuery): Promise<Listing> {
    if (typeof reference === 'number') return this.storyLists.ofSprint(reference, query);
    const { boardName, which } = reference;
    const now = this.clock.now();
    return this.storyLists.ofSprintFoundBy(async (reader) => {
      const board = await findBoard(reader, boardName);
      return { board, sprintId: (await this.sprints.getRelative(reader, board, which, now)).id };
    }, query);
  }
}
