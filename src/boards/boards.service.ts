import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { TokensService } from '../auth/tokens.service';
import { BOARD_COLUMNS } from '../database/board-row';
import { Database } from '../database/database';
import { failureOf } from '../database/errors';
import { UnitOfWork } from '../database/unit-of-work';
import { differences } from '../events/differences';
import { recordEvent } from '../events/record-event';
import type { Caller } from '../http/caller';
import { requireUnchanged, requireVersion, writable } from '../http/input/read-only';
import { column } from '../http/lists/keyset';
import { Listing } from '../http/lists/listing';
import type { PageQuery } from '../http/lists/page.dto';
import { Problem } from '../http/problem';
import { atRevision } from '../http/responses/board-revision';
import { requireMatch } from '../http/responses/etag';
import type { Deleted } from '../http/responses/schema';
import { toStored } from '../time/clock';
import type { BoardView, UpdateBoard } from './board.dto';
import { Board } from './board.entity';
import { findBoard, representBoard, whereVisible } from './board.queries';
import { DeletedBoards } from './deleted-boards.service';
import { storedWorkingDays } from './working-days';

/** Reads, changes and deletes boards; `BoardCreation` creates them. */
@Injectable()
export class BoardsService {
  constructor(
    @InjectRepository(Board) private readonly boards: Repository<Board>,
    private readonly database: Database,
    private readonly unitOfWork: UnitOfWork,
    private readonly tokens: TokensService,
    private readonly deletedBoards: DeletedBoards,
  ) {}

  /** The boards that the caller may see. Each has its own revision, so the list has no tag of its own. */
  list(caller: Caller, page: PageQuery): Listing {
    return new Listing(
      this.database,
      {
        query: () =>
          whereVisible(this.boards.createQueryBuilder('b').select(BOARD_COLUMNS), caller),
        order: [column('name', 'b', 'text')],
        indexed: true,
        represent: representBoard,
      },
      page,
    );
  }

  /** @throws Problem `board_not_found` */
  async show(name: string): Promise<BoardView> {
    const board = await findBoard(this.database, name);
    return atRevision(representBoard(board), board.revision);
  }

  /** @throws Problem `board_not_found`, `name_taken`, `forbidden`, `precondition_failed` */
  async update(caller: Caller, name: string, body: UpdateBoard): Promise<BoardView> {
    const newName = body.name ?? name;
    if (caller.boards && newName !== name) {
      // The response would reveal the names of boards that the token may not see.
      throw new Problem('forbidden', 'A token for certain boards cannot rename them.');
    }
    try {
      return await this.unitOfWork.run(caller, async (change) => {
        const board = await change.lockNamed(name);
        const before = representBoard(board);
        requireMatch(caller, before);
        requireVersion(body, before);
        if (newName !== name && (await change.manager.existsBy(Board, { name: newName }))) {
          throw new Problem('name_taken');
        }
        requireUnchanged(body, before);
        const changed = differences(before, writable(body));
        if (!changed) return before;
        const version = board.version + 1;
        await change.manager.update(Board, board.id, {
          ...changed,
          updated_at: change.instant,
          version,
        });
        if (newName !== name) await this.tokens.renameBoard(change, name, newName);
        const after = representBoard({
          ...board,
          ...changed,
          working_days: storedWorkingDays(changed.working_days ?? before.working_days),
          revision: board.revision + 1,
          updated_at: toStored(change.instant),
          version,
        });
        recordEvent(change, board, 'board.updated', before, after);
        return after;
      });
    } catch (error) {
      // Two changes that give boards the same name at the same time have no common lock.
      if (failureOf(error) === 'duplicate') throw new Problem('name_taken');
      throw error;
    }
  }

  /**
   * Deletes a board and its log; the purge then deletes its rows.
   * @throws Problem `board_not_found`, `board_not_empty`, `precondition_failed`
   */
  delete(caller: Caller, name: string, force: boolean): Promise<Deleted> {
    const deletion = this.unitOfWork.run(caller, async (change): Promise<Deleted> => {
      const board = await change.lockNamed(name);
      const before = representBoard(board);
      requireMatch(caller, before);
      for (const table of force ? [] : ['sprints', 'stories']) {
        const filled = await change.manager.existsBy(table, { board_id: board.id });
        if (filled) throw new Problem('board_not_empty');
      }
      await change.manager.update(Board, board.id, {
        name: null,
        updated_at: change.instant,
        version: board.version + 1,
      });
      await this.tokens.renameBoard(change, name, null);
      recordEvent(change, board, 'board.deleted', before, null);
      return { deleted: true, id: board.id };
    });
    // After an error, too: when the connection was lost during the commit, the board may be deleted.
    return deletion.finally(() => void this.deletedBoards.purge());
  }
}
