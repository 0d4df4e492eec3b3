import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { collectionTag, findBoard, findBoardOf, findRevision } from '../boards/board.queries';
import { Database } from '../database/database';
import type { Reader } from '../database/reader';
import type { BoardRevision, ListSource } from '../http/lists/list-source';
import { Listing } from '../http/lists/listing';
import { fromRfc3339 } from '../time/clock';
import { storyListSource } from './story-list-source';
import type { StoryListQuery } from './story.dto';
import { Story } from './story.entity';

/** The most matching stories that are sorted; if there are more, the list is searched in its own order. */
const FEW = 1000;

/** Lists stories. */
@Injectable()
export class StoryListsService {
  constructor(
    private readonly database: Database,
    @InjectRepository(Story) private readonly stories: Repository<Story>,
  ) {}

  /** The stories of a sprint. @throws Problem `sprint_not_found` */
  async ofSprint(sprintId: number, query: StoryListQuery): Promise<Listing> {
    const board = await findBoardOf(this.database, 'sprint_id', sprintId);
    return this.list(board, sprintId, query);
  }

  /**
   * Lists the stories of a sprint that a word names, so that it may be another sprint once the board changes.
   * @throws Problem that `find` throws
   */
  async ofSprintFoundBy(
    find: (reader: Reader) => Promise<{ board: BoardRevision; sprintId: number }>,
    query: StoryListQuery,
  ): Promise<Listing> {
    const resolve = async (reader: Reader): Promise<ListSource> => {
      const { board, sprintId } = await find(reader);
      return this.source(board, sprintId, query);
    };
    const source = { resolve, ...(await resolve(this.database)) };
    return new Listing(this.database, source, query);
  }

  /** The stories of a board that are in no sprint. @throws Problem `board_not_found` */
  async backlog(boardName: string, query: StoryListQuery): Promise<Listing> {
    return this.list(await findBoard(this.database, boardName), null, query);
  }

  /** All stories of a board. @throws Problem `board_not_found` */
  async ofBoard(boardName: string, query: StoryListQuery): Promise<Listing> {
    return this.list(await findBoard(this.database, boardName), undefined, query);
  }

  private async list(
    board: BoardRevision,
    sprintId: number | null | undefined,
    query: StoryListQuery,
  ): Promise<Listing> {
    return new Listing(this.database, await this.source(board, sprintId, query), query);
  }

  private async source(
    board: BoardRevision,
    sprintId: number | null | undefined,
    query: StoryListQuery,
  ): Promise<ListSource> {
    const isRecent =
      query.updated_since !== undefined && (await this.isRecent(board.id, query.updated_since));
    // The same path, such as `…/sprints/current/stories`, may be about another sprint tomorrow.
    const also = sprintId ? [sprintId] : [];
    return {
      ownerId: sprintId ?? board.id,
      board: {
        tagOf: (at) => collectionTag(at, ...also),
        find: (reader) =>
          sprintId ? findBoardOf(reader, 'sprint_id', sprintId) : findRevision(reader, board.id),
        ...board,
      },
      ...storyListSource(this.stories, { boardId: board.id, sprintId }, query, isRecent),
    };
  }

  /** Whether few stories of the board were changed since an instant. */
  private async isRecent(boardId: number, since: string): Promise<boolean> {
    const [more] = await this.database.query(
      `SELECT 1 AS one FROM stories s WHERE s.board_id = ? AND s.updated_at >= ? LIMIT 1 OFFSET ${FEW}`,
      [boardId, fromRfc3339(since)],
    );
    return !more;
  }
}
