import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { Database } from '../database/database';
import { maySee, OPEN } from './access';
import { readBoardName, readId } from './ids';
import type { ProblemCode } from './problem';
import { Problem } from './problem';

/** What a path may name by an id: the refusal where it is not there, and the name of its board. */
const LOOKUPS = {
  sprint_id: [
    'sprint_not_found',
    `SELECT b.name FROM sprints p JOIN boards b ON b.id = p.board_id
     WHERE p.id = ? AND b.name IS NOT NULL`,
  ],
  story_id: [
    'story_not_found',
    `SELECT b.name FROM stories s JOIN boards b ON b.id = s.board_id
     WHERE s.id = ? AND b.name IS NOT NULL`,
  ],
  task_id: [
    'task_not_found',
    `SELECT b.name FROM tasks t JOIN stories s ON s.id = t.story_id
     JOIN boards b ON b.id = s.board_id WHERE t.id = ? AND b.name IS NOT NULL`,
  ],
  token_id: ['token_not_found', 'SELECT NULL AS name FROM tokens WHERE id = ?'],
} as const satisfies Record<string, readonly [ProblemCode, string]>;

/** What a room knows of its own paths. @throws Problem where what one names is not there */
export type Lookup = (request: FastifyRequest) => Promise<void>;

/** What the paths of requests name, whatever is below it. */
@Injectable()
export class Resources {
  private readonly lookups: Lookup[] = [];

  constructor(private readonly database: Database) {}

  /** Has a room asked, too, from now on. */
  ask(lookup: Lookup): void {
    this.lookups.push(lookup);
  }

  /**
   * The board that a path is about, and the refusal for those who may not see it; nothing where a path
   * is about no board.
   * @throws Problem `sprint_not_found`, … where what it names is not there
   */
  async boardOf({
    params,
  }: FastifyRequest): Promise<{ name: string; missing: ProblemCode } | undefined> {
    const named = (params ?? {}) as Record<string, string>;
    for (const [parameter, [missing, lookup]] of Object.entries(LOOKUPS)) {
      const value = named[parameter];
      if (value === undefined) continue;
      const found = await this.database.first<{ name: string | null }>(lookup, [
        readId(value, missing),
      ]);
      if (!found) throw new Problem(missing);
      return found.name === null ? undefined : { name: found.name, missing };
    }
    const { board_name: name } = named;
    return name === undefined
      ? undefined
      : { name: readBoardName(name), missing: 'board_not_found' };
  }

  /** The refusal of a request that names something that is not there, or nothing to object to. */
  async missing(request: FastifyRequest): Promise<Problem | undefined> {
    const { params, method, routeOptions, access = OPEN } = request;
    const { board_name: named } = (params ?? {}) as Record<string, string | undefined>;
    // A board comes into being with what is posted to it.
    const creates =
      method === 'POST' && /:board_name\/(backlog|sprints)$/.test(routeOptions.url ?? '');
    try {
      const board = creates && !access.boards ? undefined : await this.boardOf(request);
      if (board && !maySee(access, board.name)) return new Problem(board.missing);
      if (board && named !== undefined && !creates) {
        const found = await this.database.first('SELECT id FROM boards WHERE name = ?', [
          board.name,
        ]);
        if (!found) return new Problem(board.missing);
      }
      for (const lookup of this.lookups) await lookup(request);
      return undefined;
    } catch (error) {
      if (error instanceof Problem) return error;
      throw error;
    }
  }
}
