import type { FastifyRequest } from 'fastify';

/** The scopes of tokens; each includes those before it. */
export const SCOPES = ['read', 'write', 'admin'] as const;
export type Scope = (typeof SCOPES)[number];

/** What a request may do, and as whom. */
export interface Access {
  /** The `actor` of the events that the caller causes. */
  actor: string;
  /** 0 without a token. */
  tokenId: number;
  scope: Scope;
  /** The session of the browser, if the request has its cookie instead of a token. */
  sessionId?: number;
  /** Names of the boards that the caller may see; absent: all boards. */
  boards?: ReadonlySet<string>;
}

/** The access of every request while no token is required. */
export const OPEN: Access = { actor: 'anonymous', tokenId: 0, scope: 'admin' };

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by the authentication; absent on public routes, and for anonymous callers where they are allowed. */
    access?: Access;
  }
}

/** The access of a request that was authenticated. */
export function accessOf({ access, method, url }: FastifyRequest): Access {
  if (!access) throw new Error(`${method} ${url} was not authenticated`);
  return access;
}

/** Whether the caller may see a board with this name. Other boards are reported as not found. */
export const maySee = ({ boards }: Pick<Access, 'boards'>, name: string): boolean =>
  boards?.has(name) ?? true;
