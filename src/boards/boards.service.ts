import { Injectable } from '@nestjs/common';
import { createHash } from 'node:crypto';
import { moveGrants } from '../auth/grants';
import { visible } from '../http/access';
import { requireUnchanged, requireVersion } from '../http/read-only';
import type { Caller } from '../http/caller';
import { requireMatch } from '../http/etag';
import type { PageQuery } from '../http/listing';
import { column, Listing } from '../http/listing';
import { Problem } from '../http/problem';
import type { Deleted } from '../http/schema';
import type { Change, LockedBoard } from '../database/change';
import { Database } from '../database/database';
import { UnitOfWork } from '../database/unit-of-work';
import { changes, differences } from '../events/differences';
import type { BoardView, CreateBoard, UpdateBoard } from './board.dto';
import { BOARD_COLUMNS, findBoard, representBoard } from './board.queries';
import { BoardSweeper } from './board-sweeper';

const RENAMING = 'A token for certain boards cannot rename them.';

@Injectable()
export class BoardsService {
  constructor(
    private readonly database: Database,
    private readonly unitOfWork: UnitOfWork,
    private readonly sweeper: BoardSweeper,
  ) {}

  /** The boards that the caller may see. */
  async list(caller: Caller, page: PageQuery): Promise<Listing> {
    const { sql, parameters } = visible(caller);
    // No one board's revision stands for all boards, so the tag is made of each.
    const tag = createHash('sha1');
    await this.database.snapshot(async (reader) => {
      for (let after = 0, more = true; more;) {
        const rows = await reader.query<{ id: number; version: number; revision: number }>(
          `SELECT b.id, b.version, b.revision FROM boards b WHERE b.id > ? AND ${sql} ORDER BY b.id LIMIT 5000`,
          [after, ...parameters],
        );
        for (const { id, version, revision } of rows) {
          tag.update(`${id}.${version}.${revision},`);
          after = id;
        }
        more = rows.length === 5000;
      }
    });
    return new Listing(
      this.database,
      {
        columns: BOARD_COLUMNS,
        from: 'boards b',
        where: sql,
        parameters,
        order: [column('name', 'b', 'text')],
        represent: (row) => representBoard(row as unknown as LockedBoard),
      },
      page,
      `"${tag.digest('base64url')}"`,
    );
  }

  async show(name: string): Promise<BoardView> {
    return representBoard(await findBoard(this.database, name));
  }

  create(caller: Caller, { name, time_zone = 'UTC' }: CreateBoard): Promise<BoardView> {
    return this.unitOfWork.run(caller, async (change) => {
      const board = await change.lockOrCreate(name, time_zone);
      if (board.revision > 0) throw new Problem('name_taken');
      const revision = recordCreation(change, board);
      return { ...representBoard(board), revision };
    });
  }

  async update(caller: Caller, name: string, body: UpdateBoard): Promise<BoardView> {
    const { name: wanted = name } = body;
    // It would learn which names are taken by boards that it may not see.
    if (caller.boards && wanted !== name) throw new Problem('forbidden', RENAMING);
    try {
      return await this.unitOfWork.run(caller, async (change) => {
        const board = await change.lockNamed(name);
        const before = representBoard(board);
        requireMatch(caller, before);
        requireVersion(body, before);
        if (wanted !== name) {
          const other = await change.first('SELECT id FROM boards WHERE name = ?', [wanted]);
          if (other) throw new Problem('name_taken');
        }
        requireUnchanged(body, before);
        const columns = {
          ...(body.name !== undefined && { name: body.name }),
          ...(body.time_zone !== undefined && { time_zone: body.time_zone }),
        };
        if (!differences(before, { ...before, ...columns })) return before;
        await change.update('boards', board.id, columns);
        if (columns.name !== undefined) await moveGrants(change, board.name, columns.name);
        const after = representBoard({
          ...board,
          ...columns,
          revision: board.revision + 1,
          version: board.version + 1,
          updated_at: change.now,
        });
        change.record(board, {
          type: 'board.updated',
          entity: 'board',
          id: board.id,
          version: after.version,
          ...changes(before, after),
        });
        return after;
      });
    } catch (error) {
      // Two boards that take one name at the same time do not meet at a common row before.
      if (this.database.isDuplicate(error)) throw new Problem('name_taken');
      throw error;
    }
  }

  /** Deletes a board, its log included. What it held is removed behind the scenes, bit by bit. */
  delete(caller: Caller, name: string, force: boolean): Promise<Deleted> {
    const deletion = this.unitOfWork.run(caller, async (change) => {
      const board = await change.lockNamed(name);
      const before = representBoard(board);
      requireMatch(caller, before);
      if (!force) {
        const [held] = await change.query(
          `SELECT 1 AS held FROM boards b WHERE b.id = ? AND
           (EXISTS (SELECT 1 FROM sprints WHERE board_id = b.id)
            OR EXISTS (SELECT 1 FROM stories WHERE board_id = b.id))`,
          [board.id],
        );
        if (held) throw new Problem('board_not_empty');
      }
      await change.update('boards', board.id, { name: null });
      await moveGrants(change, board.name, null);
      change.record(board, {
        type: 'board.deleted',
        entity: 'board',
        id: board.id,
        version: board.version + 1,
        before: { ...before },
        after: null,
      });
      return { deleted: true as const, id: board.id };
    });
    // Where nobody can know whether it was committed, it may have been.
    return deletion.finally(() => this.sweeper.wake());
  }
}

/** Tells that a board came into being; the first event of its log. */
export function recordCreation(change: Change, board: LockedBoard): number {
  return change.record(board, {
    type: 'board.created',
    entity: 'board',
    id: board.id,
    version: board.version,
    before: null,
    after: { ...representBoard(board), revision: 1 },
  });
}

/** Takes the board of this name for a change that makes it where it is not there. */
export async function boardForCreation(change: Change, name: string): Promise<LockedBoard> {
  const board = await change.lockOrCreate(name, 'UTC');
  if (board.revision === 0) recordCreation(change, board);
  return board;
}
