import type { PlacedSprint } from './apply-sprints.service';

/** The lists that a story moves to, one after the other; null is the backlog. */
export type Route = readonly (number | null)[];

interface Decision {
  route: Route;
  /** The completed sprint that the story can neither enter nor leave. */
  rejectedBy?: number;
  /** Whether it stays in its sprint until that is completed. */
  waits?: boolean;
}

/** Returns the lists of a new story: it is created in the first one, and then moves through the others. */
export function routeOfNew(path: readonly PlacedSprint[]): Decision {
  const last = path.at(-1);
  if (!last) return { route: [null] };
  if (last.wasCompleted) return { route: [null], rejectedBy: last.id };
  return { route: through(path) };
}

/**
 * Returns the lists that a story of the board moves to; none if it stays. It leaves a completed sprint only if
 * it was in this sprint and then in later ones according to the file.
 * @param path the sprints of the story in the file; undefined if the file has no sprints
 * @param completed the sprints of the board that were completed before the import
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
  // At the last import, earlier sprints of the story were unknown or open.
  const isLate =
    !isFixed &&
    last?.wasCompleted === false &&
    path.slice(0, Math.max(at, 0)).some((sprint) => sprint.completesAt);
  if (isLate) return { route: through(path) };
  if ((last?.id ?? null) === current) return { route: [] };
  if (isFixed && at === -1) return { route: [], rejectedBy: current };
  if (!last) return { route: [null] };
  if (last.wasCompleted) {
    // The other tool has completed it, too, and has the story in its backlog since then.
    return { route: last.isClosed && current !== null ? [null] : [], rejectedBy: last.id };
  }
  return { route: through(path.slice(at + 1)), waits: Boolean(path[at]?.completesAt) };
}

/** Returns the sprints of a path that the import completes, and the last sprint. */
const through = (path: readonly PlacedSprint[]): Route =>
  path.filter((sprint, i) => i === path.length - 1 || sprint.completesAt).map(({ id }) => id);
