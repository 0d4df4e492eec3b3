/** The response header with the revision of the board that the response is about. */
export const BOARD_REVISION = 'X-Board-Revision';

const revisions = new WeakMap<object, number>();

/** Marks a representation with the revision of its board at which it was read or written. */
export function atRevision<T extends object>(representation: T, revision: number): T {
  revisions.set(representation, revision);
  return representation;
}

/** The revision that a representation is marked with. */
export const revisionOf = (representation: unknown): number | undefined =>
  revisions.get(representation as object);
