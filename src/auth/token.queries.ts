import type { Reader } from '../database/reader';
import type { Access, Scope } from '../http/access';
import { toStored } from '../time/clock';
import { lookupOf, matches } from './secret';

/** The reason why a request is not authenticated, for the log. */
export type Rejection = 'missing' | 'malformed' | 'unknown' | 'wrong' | 'expired' | 'no session';

/** A token as plain SQL reads it, once for every request. */
export interface TokenRow {
  id: number;
  hash: string;
  name: string;
  scope: Scope;
  boards: string | null;
  expires_at: string | null;
  last_used_at: string | null;
}

/** The columns of a token `t`. */
export const TOKEN_COLUMNS =
  't.id, t.hash, t.name, t.scope, t.boards, t.expires_at, t.last_used_at';
const TOKEN = `SELECT ${TOKEN_COLUMNS} FROM tokens t WHERE t.lookup = ?`;

/** Finds a valid token by its secret. @throws Problem `database_unavailable` */
export async function findToken(
  reader: Reader,
  secret: string,
  now: Date,
): Promise<TokenRow | Rejection> {
  const lookup = lookupOf(secret);
  if (lookup === undefined) return 'malformed';
  const [row] = await reader.query<TokenRow>(TOKEN, [lookup]);
  if (!row) return 'unknown';
  if (!matches(secret, row.hash)) return 'wrong';
  return isExpired(row, now) ? 'expired' : row;
}

export const isExpired = ({ expires_at }: Pick<TokenRow, 'expires_at'>, now: Date): boolean =>
  expires_at !== null && expires_at <= toStored(now);

/** Returns the access that a token gives. */
export function accessOfToken({ id, name, scope, boards }: TokenRow): Access {
  const access: Access = { actor: name, tokenId: id, scope };
  if (boards !== null) access.boards = new Set(JSON.parse(boards) as string[]);
  return access;
}
