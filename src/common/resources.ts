import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { Database } from '../database/database';
import { readBoardName, readId } from './ids';
import type { ProblemCode } from './problem';
import { Problem } from './problem';

const LOOKUPS = {
  sprint_id: [
    'sprint_not_found',
    'SELECT p.id FROM sprints p JOIN boards b ON b.id = p.board_id WHERE p.id = ? AND b.name IS NOT NULL',
  ],
  story_id: [
    'story_not_found',
    'SELECT s.id FROM stories s JOIN boards b ON b.id = s.board_id WHERE s.id = ? AND b.name IS NOT NULL',
  ],
  task_id: [
    'task_not_found',
    `SELECT t.id FROM tasks t JOIN stories s ON s.id = t.story_id JOIN boards b ON b.id = s.board_id
     WHERE t.id = ? AND b.name IS NOT NULL`,
  ],
} as const satisfies Record<string, readonly [ProblemCode, string]>;

/** What a room knows of its own paths. @throws Problem where what one names is not there */
export type Lookup = (request: FastifyRequest) => Promise<void>;

/** Whether what a path names is there, whatever is below it in the path. */
@Injectable()
export class Resources {
  private readonly lookups: Lookup[] = [];

  constructor(private readonly database: Database) {}

  /** Has a room asked, too, from now on. */
  ask(lookup: Lookup): void {
    this.lookups.push(lookup);
  }

  /** The refusal of a request that names something that is not there, or nothing to object to. */
  async missing(request: FastifyRequest): Promise<Problem | undefined> {
    const { params, method, routeOptions } = request;
    const named = (params ?? {}) as Record<string, string>;
    try {
      for (const [parameter, [missing, lookup]] of Object.entries(LOOKUPS)) {
        const value = named[parameter];
        if (value === undefined) continue;
        if (!(await this.database.first(lookup, [readId(value, missing)]))) {
          return new Problem(missing);
        }
      }
      // A board comes into being with what is posted to it.
      const { board_name: name } = named;
      const creates =
        method === 'POST' && /:board_name\/(backlog|sprints)$/.test(routeOptions.url ?? '');
      if (name !== undefined && !creates) {
        const lookup = 'SELECT id FROM boards WHERE name = ?';
        if (!(await this.database.first(lookup, [readBoardName(name)]))) {
          return new Problem('board_not_found');
        }
      }
      for (const lookup of this.lookups) await lookup(request);
      return undefined;
    } catch (error) {
      if (error instanceof Problem) return error;
      throw error;
    }
  }
}
