import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { Config } from '../config/config';
import { BOARD_OF } from '../database/board-row';
import { Database } from '../database/database';
import { maySee, OPEN } from './access';
import { NOT_FOUND, readBoardName, readId } from './input/path';
import { RelativePaths } from './relative-paths';
import type { ProblemCode } from './problem';
import { Problem } from './problem';

/** The parameters that name a resource of a board by id. */
const PARAMETERS = Object.keys(BOARD_OF) as (keyof typeof BOARD_OF)[];

/** Finds the resources that paths name. */
@Injectable()
export class PathResources {
  constructor(
    private readonly config: Config,
    private readonly database: Database,
    private readonly relativePaths: RelativePaths,
  ) {}

  /**
   * Finds the board that the resource of a path belongs to: its name, and the problem for callers who may
   * not see it; undefined if the resource belongs to no board.
   * @throws Problem if the resource does not exist
   */
  async boardOf({
    params,
  }: FastifyRequest): Promise<{ name: string; missing: ProblemCode } | undefined> {
    const values = (params ?? {}) as Record<string, string>;
    for (const parameter of PARAMETERS) {
      const value = values[parameter];
      if (value === undefined) continue;
      const missing = NOT_FOUND[parameter];
      // Plain SQL, because every request of a token for certain boards runs it.
      const [board] = await this.database.query<{ name: string }>(
        `SELECT b.name FROM boards b WHERE b.id = (${BOARD_OF[parameter]}) AND b.name IS NOT NULL`,
        [readId(value, missing)],
      );
      if (!board) throw new Problem(missing);
      return { name: board.name, missing };
    }
    const { board_name: name, token_id: tokenId } = values;
    if (tokenId !== undefined) {
      const id = readId(tokenId, 'token_not_found');
      if (!(await this.exists('tokens', 'id', id))) throw new Problem('token_not_found');
    }
    return name === undefined
      ? undefined
      : { name: readBoardName(name), missing: 'board_not_found' };
  }

  /** @throws Problem if the path of a request names a resource that does not exist, or the caller may not see */
  async requireExisting(request: FastifyRequest): Promise<void> {
    const { params, routeOptions, access = OPEN } = request;
    const { board_name: named } = (params ?? {}) as { board_name?: string };
    const { createsBoard, filtered } = routeOptions.config;
    if (filtered) return this.requireHistory(request);
    const creates = createsBoard === true && this.config.createBoards === 'implicit';
    const board = creates && !access.boards ? undefined : await this.boardOf(request);
    if (board && !maySee(access, board.name)) throw new Problem(board.missing);
    const mustExist = board && named !== undefined && !creates;
    if (mustExist && !(await this.exists('boards', 'name', board.name))) {
      throw new Problem(board.missing);
    }
    await this.relativePaths.check(request);
  }

  /** The history of a story remains after its deletion, and on boards that it was moved away from. */
  private async requireHistory({ params, access = OPEN }: FastifyRequest): Promise<void> {
    const { story_id: id } = (params ?? {}) as { story_id?: string };
    if (id === undefined) return;
    const boards = await this.database.query<{ name: string }>(
      `SELECT b.name FROM boards b WHERE b.name IS NOT NULL AND b.id IN
         (SELECT board_id FROM events WHERE entity = 'story' AND entity_id = ?)`,
      [readId(id, 'story_not_found')],
    );
    if (!boards.some(({ name }) => maySee(access, name))) throw new Problem('story_not_found');
  }

  private async exists(table: string, column: string, value: string | number): Promise<boolean> {
    const sql = `SELECT id FROM ${table} WHERE ${column} = ?`;
    return (await this.database.query(sql, [value])).length > 0;
  }
}
