import { Injectable } from '@nestjs/common';
import type { Change, LockedBoard } from '../../database/change';
import { differences } from '../../events/differences';
import { SprintChanges } from '../../sprints/sprint-changes.service';
import type { SprintBrief } from '../../sprints/sprint.queries';
import { SprintQueries } from '../../sprints/sprint.queries';
import { toStored } from '../../time/clock';
import type { Applied } from './applied';
import type { PlannedSprint } from './plan';

/** A sprint of the plan that is on the board now. */
export interface PlacedSprint {
  id: number;
  name: string;
  /** Whether it was completed before the import, so that its set of stories cannot change. */
  wasCompleted: boolean;
  /** When the other tool completed it; null if the import does not complete it. */
  completesAt: Date | null;
  /** When it was started; null if the import does not start it. */
  startsAt: Date | null;
}

/** Finds, creates, updates and completes the sprints of a plan. */
@Injectable()
export class ApplySprints {
  constructor(
    private readonly sprints: SprintQueries,
    private readonly changes: SprintChanges,
  ) {}

  /**
   * @returns the sprints by their keys in the plan
   * @throws Problem `external_id_taken` if the file has one for two sprints
   */
  async place(
    change: Change,
    board: LockedBoard,
    planned: readonly PlannedSprint[],
    existing: readonly SprintBrief[],
    applied: Applied,
  ): Promise<Map<string, PlacedSprint>> {
    const placed = new Map<string, PlacedSprint>();
    const free = new Set(existing);
    for (const sprint of planned) {
      await change.pause();
      const named = existing.find(({ id }) => id === sprint.id);
      const found = named ?? find(free, sprint);
      if (found && !named) free.delete(found);
      const one = found
        ? await this.update(change, board, sprint, found, applied)
        : await this.create(change, board, sprint, applied);
      placed.set(sprint.key, one);
    }
    return placed;
  }

  /** Completes a sprint at the time of the other tool, which is earlier than the time of the event. */
  async complete(change: Change, { id, completesAt, startsAt }: PlacedSprint): Promise<void> {
    const locked = await this.changes.lock(change, id);
    const latest = change.instant.getTime() - 1;
    const completed_at = new Date(Math.min(completesAt?.getTime() ?? latest, latest));
    const started_at = startsAt && new Date(Math.min(startsAt.getTime(), latest));
    await this.changes.write(change, locked, 'sprint.completed', {
      completed_at,
      ...(started_at && { started_at }),
    });
  }

  /** Starts an open sprint, which commits it to the stories that are in it now. */
  async start(change: Change, { id, startsAt }: PlacedSprint): Promise<void> {
    const locked = await this.changes.lock(change, id);
    const started_at = new Date(Math.min(Number(startsAt), change.instant.getTime()));
    await this.changes.write(change, locked, 'sprint.started', { started_at });
  }

  private async create(
    change: Change,
    board: LockedBoard,
    sprint: PlannedSprint,
    { created, warnings }: Applied,
  ): Promise<PlacedSprint> {
    const { external_id, name: ownName, goal, start_date, end_date, assumed } = sprint;
    const body = { external_id, name: ownName, goal, start_date, end_date };
    const { id } = await this.changes.createIn(change, board, body, sprint.created_at);
    created.sprints += 1;
    const name = nameOf(sprint);
    if (assumed) {
      warnings.add('dates_assumed', `${name}: ${start_date}${end_date ? ` to ${end_date}` : ''}`);
    }
    const { completed_at: completesAt, started_at: startsAt = null } = sprint;
    return { id, name, wasCompleted: false, completesAt, startsAt };
  }

  private async update(
    change: Change,
    board: LockedBoard,
    sprint: PlannedSprint,
    found: SprintBrief,
    { updated, unchanged, warnings }: Applied,
  ): Promise<PlacedSprint> {
    const { name, goal, start_date, end_date, external_id, assumed, completed_at } = sprint;
    const placed: PlacedSprint = {
      id: found.id,
      name: nameOf(sprint),
      wasCompleted: found.completed_at !== null,
      completesAt: found.completed_at === null ? completed_at : null,
      startsAt: null,
    };
    const locked = await this.changes.lock(change, found.id);
    const { start_date: _, end_date: _end, ...others } = locked.sprint;
    const hasDates = !assumed && !placed.wasCompleted;
    const changed = differences(hasDates ? locked.sprint : others, {
      ...(external_id !== null && { external_id, ...(name !== null && { name }) }),
      ...(goal !== null && { goal }),
      ...(hasDates && { start_date, end_date }),
    })?.after;
    if (placed.wasCompleted && !assumed && differences(locked.sprint, { start_date, end_date })) {
      warnings.add('sprint_completed', `${placed.name} keeps its dates`);
    }
    // Another sprint of the file may have got this id.
    await this.sprints.requireFree(change, board.id, changed?.external_id ?? null);
    if (changed) await this.changes.write(change, locked, 'sprint.updated', changed);
    (changed || placed.completesAt ? updated : unchanged).sprints += 1;
    return placed;
  }
}

/**
 * Finds the sprint of the board for a planned one: by its `external_id`, else by its name. A sprint that was
 * created here, or imported from a file without ids, becomes that of the file.
 */
function find(free: ReadonlySet<SprintBrief>, sprint: PlannedSprint): SprintBrief | undefined {
  const { external_id, name, start_date, created_at: createdAt } = sprint;
  const all = [...free];
  const same = external_id !== null && all.find((other) => other.external_id === external_id);
  if (same) return same;
  if (createdAt && external_id !== null) return undefined;
  if (createdAt) {
    const created = toStored(createdAt);
    return all.find(
      (other) => other.external_id === null && other.created_at === created && other.name === name,
    );
  }
  const named = all.filter(
    (other) =>
      name !== null &&
      other.name?.trim() === name.trim() &&
      (external_id === null || other.external_id === null),
  );
  return named.find((other) => other.start_date === start_date) ?? named[0];
}

const nameOf = ({ name, key }: PlannedSprint): string => name ?? key;
