import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { Config } from '../config/config';
import { maySee, OPEN } from './access';
import type { PathParameter } from './input/path';
import { NOT_FOUND, readBoardName, readId } from './input/path';
import type { ProblemCode } from './problem';
import { Problem } from './problem';

/** Finds the name of the board of a resource: undefined if the resource does not exist, null if it has no board. */
type FindBoardName = (id: number) => Promise<string | null | undefined>;

/** Finds the resources that paths name. Each module registers the path parameter of its resource. */
@Injectable()
export class PathResources {
  private readonly resources = new Map<PathParameter, FindBoardName>();
  private readonly checks: ((request: FastifyRequest) => Promise<void>)[] = [];
  private boardExists: (name: string) => Promise<boolean> = () => Promise.resolve(true);

  constructor(private readonly config: Config) {}

  register(parameter: PathParameter, find: FindBoardName): void {
    this.resources.set(parameter, find);
  }

  registerBoards(exists: (name: string) => Promise<boolean>): void {
    this.boardExists = exists;
  }

  /** Adds a check for resources that a path names by a word. @param check throws if one is missing */
  registerCheck(check: (request: FastifyRequest) => Promise<void>): void {
    this.checks.push(check);
  }

  /**
   * Finds the board that the resource of a path belongs to: its name, and the problem for callers who may
   * not see it; undefined if the resource belongs to no board.
   * @throws Problem if the resource does not exist
   */
  async boardOf({
    params,
  }: FastifyRequest): Promise<{ name: string; missing: ProblemCode } | undefined> {
    const values = (params ?? {}) as Record<string, string>;
    for (const [parameter, find] of this.resources) {
      const value = values[parameter];
      if (value === undefined) continue;
      const missing = NOT_FOUND[parameter];
      const name = await find(readId(value, missing));
      if (name === undefined) throw new Problem(missing);
      return name === null ? undefined : { name, missing };
    }
    const { board_name: name } = values;
    return name === undefined
      ? undefined
      : { name: readBoardName(name), missing: 'board_not_found' };
  }

  /** Returns the problem of a request if its path names a resource that does not exist. */
  async missing(request: FastifyRequest): Promise<Problem | undefined> {
    const { params, method, routeOptions, access = OPEN } = request;
    const { board_name: named } = (params ?? {}) as { board_name?: string };
    // Posting to a board creates it.
    const creates =
      this.config.createBoards === 'implicit' &&
      method === 'POST' &&
      /:board_name\/(backlog|sprints|batch|import)$/.test(routeOptions.url ?? '');
    try {
      const board = creates && !access.boards ? undefined : await this.boardOf(request);
      if (board && !maySee(access, board.name)) return new Problem(board.missing);
      if (board && named !== undefined && !creates && !(await this.boardExists(board.name))) {
        return new Problem(board.missing);
      }
      for (const check of this.checks) await check(request);
      return undefined;
    } catch (error) {
      if (error instanceof Problem) return error;
      throw error;
    }
  }
}
