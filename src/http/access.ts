import type { FastifyRequest } from 'fastify';
import type { Parameter } from '../database/engine';

/** What a token may do; each includes those before it. */
export const SCOPES = ['read', 'write', 'admin'] as const;
export type Scope = (typeof SCOPES)[number];

/** On whose behalf a request is made, and what it may do. */
export interface Access {
  /** The name that the log has for whoever it is. */
  actor: string;
  /** 0 without a token. */
  tokenId: number;
  scope: Scope;
  /** Names of the boards that it may see; absent where it may see all. */
  boards?: ReadonlySet<string>;
}

/** The access of everybody where nobody is asked for a token. */
export const OPEN: Access = { actor: 'anonymous', tokenId: 0, scope: 'admin' };

declare module 'fastify' {
  interface FastifyRequest {
    /** Set for all that is not public. */
    access?: Access;
    /** Milliseconds at the door, and to find that out, which count as a part of the answer's. */
    waited: number;
    /** See `Admission`. */
    underWay: boolean;
  }
}

/** The access of a request that was let in. */
export function accessOf({ access, method, url }: FastifyRequest): Access {
  if (!access) throw new Error(`${method} ${url} was let in without anybody's access`);
  return access;
}

type Seeing = Pick<Access, 'boards'>;

/** Whether a board of this name is one that may be seen; one that may not is as if it were not there. */
export const maySee = ({ boards }: Seeing, name: string): boolean => boards?.has(name) ?? true;

/** The condition of `maySee`, for a SELECT that has the boards as `b`. */
export function visible({ boards }: Seeing): { sql: string; parameters: Parameter[] } {
  if (!boards) return { sql: 'b.name IS NOT NULL', parameters: [] };
  if (boards.size === 0) return { sql: '1 = 0', parameters: [] };
  return { sql: `b.name IN (${[...boards].map(() => '?').join(', ')})`, parameters: [...boards] };
}
