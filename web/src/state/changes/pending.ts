import { randomKey } from '../../util/random';
import type { BoardState } from '../model';
import type { Change } from './change';
import { kindOf } from './kinds';
import {
  createdBy,
  entityOf,
  refersTo,
  rowOf,
  targetOf,
  withId,
  withNeighbour,
  withOrigin,
  withVersions,
} from './rows';

/** A change that the service has not confirmed, as plain data. */
export interface Pending {
  change: Change;
  /** The idempotency key: the same for each attempt. */
  key: string;
  /** Later changes have a greater number. */
  order: number;
  /** Changes of one gesture: they are undone together, and if one fails the rest is dropped. */
  group: string;
  label: string;
  /** How many changes the gesture has, whether confirmed or not. */
  count?: number;
  /** The version of the row that the user saw. */
  seen?: number;
  /** The revision of the board that the user saw. */
  revision: number;
  isUndo: boolean;
  /** Whether the user has undone it although it may have been sent, so that it is undone once it is confirmed. */
  isUndone?: boolean;
  /** Whether someone else changed the row before; the change then waits for a decision of the user. */
  isConflict?: boolean;
  /** The group that it had before it became part of a conflict, whose changes share one group. */
  gesture?: string;
  /** The story that someone else changed, if the change moves several. */
  changed?: number;
}

/** The version of the row that the user saw or, of several changes, that of each. */
export type Seen = number | readonly (number | undefined)[];

let lastOrder = 0;

/** Returns a greater number each time; after a reload, too, unless the clock was set back. */
export const nextOrder = (): number => (lastOrder = Math.max(lastOrder + 1, Date.now() * 1000));

/** What the user does at once: changes that are undone together. */
export type Gesture = Pick<Pending, 'group' | 'label'>;

/**
 * The entries for the changes of one gesture.
 * @param gesture.seen the version of the row that the user saw, or that of each change, if it is not the confirmed one
 */
export function pendingOf(
  changes: readonly Change[],
  view: BoardState,
  confirmed: BoardState,
  gesture: Pick<Pending, 'label' | 'revision' | 'isUndo'> & { seen?: Seen },
): Pending[] {
  const group = randomKey();
  let state = view;
  return changes.map((each, i) => {
    // Others may have moved or deleted the neighbour since the change that is undone.
    const change = gesture.isUndo ? withNeighbour(each, state) : each;
    const seen = typeof gesture.seen === 'object' ? gesture.seen[i] : gesture.seen;
    const entry = {
      ...gesture,
      change: withOrigin(change, state),
      key: randomKey(),
      order: nextOrder(),
      group,
      count: changes.length,
      seen: seen ?? rowOf(confirmed, change)?.version,
    };
    state = kindOf(change).apply(state, change);
    return entry;
  });
}

/** Updates a later change with the id and the version that the confirmed change has made. */
export function afterConfirmed(
  entry: Pending,
  confirmed: Change,
  after: BoardState,
  id: number | undefined,
): Pending {
  const created = createdBy(confirmed);
  let { change } = entry;
  if (created && id !== undefined) change = withId(change, created.entity, created.id, id);
  if (created?.was !== undefined && id !== undefined)
    change = withId(change, created.entity, created.was, id);
  // The user made later changes with the confirmed one in view, so they are conditional on its version.
  const target = targetOf(change);
  const ids = 'ids' in confirmed ? confirmed.ids : [id];
  if (entityOf(confirmed) === 'story') change = withVersions(change, ids, after);
  const isSameRow =
    target !== undefined && ids.includes(target.id) && target.entity === entityOf(confirmed);
  if (change === entry.change && !isSameRow) return entry;
  return { ...entry, change, seen: isSameRow ? rowOf(after, change)?.version : entry.seen };
}

/**
 * All pending changes of the same rows, which build on one another, and the changes of the same gesture, unless both
 * are about one row each.
 */
export function withSameRow(head: Pending, pending: readonly Pending[]): Pending[] {
  const target = targetOf(head.change);
  const together = 'ids' in head.change && !target ? head.change.ids : [];
  return pending.filter(({ group, change }) => {
    const other = targetOf(change);
    if (group === head.group && (!target || !other)) return true;
    if ('ids' in change && change.ids.some((id) => together.includes(id))) return true;
    return target !== undefined && other?.entity === target.entity && other.id === target.id;
  });
}

/** The changes of the same gesture, and the changes of resources that they would have created. */
export function withDependents(head: Pending, pending: readonly Pending[]): Pending[] {
  const dropped = new Set(pending.filter(({ group }) => group === head.group));
  for (const entry of dropped) {
    const created = createdBy(entry.change);
    if (!created) continue;
    for (const each of pending) {
      if (refersTo(each.change, created.entity, created.id)) dropped.add(each);
    }
  }
  return [...dropped];
}
