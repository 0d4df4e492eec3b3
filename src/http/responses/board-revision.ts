/** The response header with the revision of the board that the response is about. */
export const BOARD_REVISION = 'X-Board-Revision';

/** A property with this key is not part of the JSON. */
const REVISION = Symbol('board revision');

/** Marks a representation with the revision of its board at which it was read or written. */
export function atRevision<T extends object>(representation: T, revision: number): T {
  (representation as { [REVISION]?: number })[REVISION] = revision;
  return representation;
}

/** The revision that a representation is marked with. */
export const revisionOf = (representation: unknown): number | undefined =>
  (representation as { [REVISION]?: number } | undefined)?.[REVISION];
