import type { PlacedSprint } from './apply-sprints.service';

/** The lists that a story goes to, one after the other; null is the backlog. */
export type Route = readonly (number | null)[];

interface Decision {
  route: Route;
  /** The completed sprint that the story can neither enter nor leave. */
  rejectedBy?: number;
  /** It stays in its sprint until this is completed. */
  waits?: boolean;
}

/** Where a new story is created, and where it goes from there. It has at least one list. */
export function routeOfNew(path: readonly PlacedSprint[]): Decision {
  const last = path.at(-1);
  if (!last) return { route: [null] };
  if (last.wasCompleted) return { route: [null], rejectedBy: last.id };
  return { route: through(path) };
}

/**
 * Where a story goes that is on the board; nowhere if it stays. It leaves a completed sprint only where the
 * file says that it was in this sprint and went on.
 * @param path the sprints that the file has; undefined if it has none
 * @param completed the sprints of the board that were completed before
 */
export function routeOfExisting(
  path: readonly PlacedSprint[] | undefined,
  current: number | null,
  completed: ReadonlySet<number>,
): Decision {
  if (!path) return { route: [] };
  const last = path.at(-1);
  const at = path.findIndex(({ id }) => id === current);
  const isFixed = current !== null && completed.has(current);
  // The sprints that it was in were unknown or open at the last import.
  const isLate =
    !isFixed &&
    last?.wasCompleted === false &&
    path.slice(0, Math.max(at, 0)).some((sprint) => sprint.completesAt);
  if (isLate) return { route: through(path) };
  if ((last?.id ?? null) === current) return { route: [] };
  if (isFixed && at === -1) return { route: [], rejectedBy: current };
  if (!last) return { route: [null] };
  if (last.wasCompleted) return { route: [], rejectedBy: last.id };
  return { route: through(path.slice(at + 1)), waits: Boolean(path[at]?.completesAt) };
}

/** The sprints that the import completes, and the last one. */
const through = (path: readonly PlacedSprint[]): Route =>
  path.filter((sprint, i) => i === path.length - 1 || sprint.completesAt).map(({ id }) => id);
