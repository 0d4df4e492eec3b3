import type { Change, LockedBoard } from '../database/change';
import { changedFields } from './differences';
import type { EventEntity, EventType } from './event';

/** What the representations of all resources have; stories have a `sprint_id`, too. */
interface Resource {
  id: number;
  version: number;
  sprint_id?: number | null;
}

/**
 * Appends an event about one resource to the log of its board: with its old and its new representation,
 * of which the first is null if it was created, and the second if it was deleted.
 * @returns the revision of the event
 */
export function recordEvent(
  change: Change,
  board: LockedBoard,
  type: EventType,
  before: Resource | null,
  after: Resource | null,
): number {
  const { id, version } = after ?? { id: before!.id, version: before!.version + 1 };
  return change.record(board, {
    type,
    entity: type.split('.')[0] as EventEntity,
    id,
    version,
    sprint_id: after?.sprint_id ?? null,
    ...(before && after
      ? changedFields(before, after)
      : { before: before && { ...before }, after: after && { ...after } }),
  });
}
