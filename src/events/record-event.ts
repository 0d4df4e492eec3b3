import type { LockedBoard } from '../database/board-row';
import type { Change } from '../database/change';
import { changedFields } from './differences';
import type { EventEntity, EventType } from './event';

/** The common properties of all representations; stories have a `sprint_id`, too. */
interface Resource {
  id: number;
  version: number;
  sprint_id?: number | null;
}

/**
 * Appends an event about one resource to the log of its board.
 * @param before the old representation; null if the resource was created
 * @param after the new representation; null if the resource was deleted
 */
export function recordEvent(
  change: Change,
  board: LockedBoard,
  type: EventType,
  before: Resource | null,
  after: Resource | null,
): void {
  const { id, version } = after ?? { id: before!.id, version: before!.version + 1 };
  change.record(board, {
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
