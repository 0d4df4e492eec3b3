import type { FastifyRequest } from 'fastify';

/** What a token may do; each scope includes those before it. */
export const SCOPES = ['read', 'write', 'admin'] as const;
export type Scope = (typeof SCOPES)[number];

/** Who makes a request, and what they may do. */
export interface Access {
  /** The name that the log has for them. */
  actor: string;
  /** 0 without a token. */
  tokenId: number;
  scope: Scope;
  /** Names of the boards that they may see; absent where they may see all. */
  boards?: ReadonlySet<string>;
}

/** The access of everybody where no token is asked for. */
export const OPEN: Access = { actor: 'anonymous', tokenId: 0, scope: 'admin' };

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by the authentication of all routes that are not public. */
    access?: Access;
  }
}

/** The access of a request that was authenticated. */
export function accessOf({ access, method, url }: FastifyRequest): Access {
  if (!access) throw new Error(`${method} ${url} was not authenticated`);
  return access;
}

/** Whether a board of this name may be seen; one that may not is answered like one that is missing. */
export const maySee = ({ boards }: Pick<Access, 'boards'>, name: string): boolean =>
  boards?.has(name) ?? true;
