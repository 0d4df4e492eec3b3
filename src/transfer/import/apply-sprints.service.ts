import { Injectable } from '@nestjs/common';
import type { Change } from '../../database/change';
import { differences } from '../../events/differences';
import { SprintChanges } from '../../sprints/sprint-changes.service';
import type { SprintBrief } from '../../sprints/sprint.queries';
import { SprintQueries } from '../../sprints/sprint.queries';
import { sprintLabels } from '../../stories/story-csv';
import { toStored } from '../../time/clock';
import type { ImportRun } from './import-run';
import type { PlannedSprint } from './plan';
import { placeAfter } from './sprint-plan';

/** A sprint of the plan that is on the board now. */
export interface PlacedSprint {
  id: number;
  name: string;
  /** Whether it was completed before the import, so that its set of stories cannot change. */
  wasCompleted: boolean;
  /** Whether it is completed in the file. */
  isClosed: boolean;
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
    run: ImportRun,
    planned: readonly PlannedSprint[],
    existing: readonly SprintBrief[],
  ): Promise<Map<string, PlacedSprint>> {
    const { change } = run;
    const placed = new Map<string, PlacedSprint>();
    const known = findByLabel(planned, existing);
    const free = new FreeSprints(known.values());
    // By their ids, as the rows of an export: the order of sprints that were created at the same time.
    for (const sprint of existing.toSorted((a, b) => b.id - a.id)) {
      await change.pause();
      free.add(sprint);
    }
    // Before the others, so that none of them takes one of these.
    for (const sprint of planned) {
      await change.pause();
      const same = free.takeUnchanged(sprint);
      if (same) known.set(sprint, same);
    }
    for (const sprint of planned) {
      await change.pause();
      const found = known.get(sprint) ?? free.take(sprint);
      if (found) known.set(sprint, found);
    }
    const following = placeAfter(existing, planned, (sprint) => !known.has(sprint));
    for (const sprint of planned) {
      await change.pause();
      const found = known.get(sprint);
      const one = found
        ? await this.update(run, sprint, found)
        : await this.create(run, following.get(sprint.key) ?? sprint);
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
    { change, board, created, warnings, assumedDates }: ImportRun,
    sprint: PlannedSprint,
  ): Promise<PlacedSprint> {
    const { external_id, name: ownName, goal, start_date, end_date, assumed } = sprint;
    const body = { external_id, name: ownName, goal, start_date, end_date };
    const { id } = await this.changes.createIn(change, board, body, sprint.created_at);
    created.sprints += 1;
    const name = nameOf(sprint);
    if (assumed) {
      warnings.add('dates_assumed', `${name}: ${start_date}${end_date ? ` to ${end_date}` : ''}`);
      assumedDates.set(name, { start_date, end_date });
    }
    const { completed_at: completesAt, started_at: startsAt = null } = sprint;
    const isClosed = completesAt !== null;
    return { id, name, wasCompleted: false, isClosed, completesAt, startsAt };
  }

  private async update(
    { change, board, updated, unchanged, warnings }: ImportRun,
    sprint: PlannedSprint,
    found: SprintBrief,
  ): Promise<PlacedSprint> {
    const { name, goal, start_date, end_date, external_id, assumed, completed_at } = sprint;
    const locked = await this.changes.lock(change, found.id);
    const isNewlyStarted = found.completed_at === null && locked.sprint.started_at === null;
    const placed: PlacedSprint = {
      id: found.id,
      name: nameOf(sprint),
      wasCompleted: found.completed_at !== null,
      isClosed: completed_at !== null,
      completesAt: found.completed_at === null ? completed_at : null,
      startsAt: (isNewlyStarted && sprint.started_at) || null,
    };
    const hasDates = !placed.wasCompleted && (!assumed || isAfter(found, sprint));
    const changed = differences(locked.sprint, {
      ...(external_id !== null && { external_id, ...(name !== null && { name }) }),
      // An export has every field.
      ...((goal !== null || sprint.created_at) && { goal }),
      ...(hasDates && { start_date, end_date }),
    });
    if (placed.wasCompleted && !assumed && differences(locked.sprint, { start_date, end_date })) {
      warnings.add('sprint_completed', `${placed.name} keeps its dates`);
    }
    if (placed.wasCompleted && !assumed && completed_at === null) {
      warnings.add('sprint_completed', `${placed.name} stays completed`);
    }
    // Another sprint of the file may have got this id.
    await this.sprints.requireFreeExternalId(change, board.id, changed?.external_id ?? null);
    if (changed) await this.changes.write(change, locked, 'sprint.updated', changed);
    const isChanged = changed || placed.completesAt || placed.startsAt;
    (isChanged ? updated : unchanged).sprints += 1;
    return placed;
  }
}

/** Finds the sprints of the board that our own CSV names as an export of the board would. */
function findByLabel(
  planned: readonly PlannedSprint[],
  existing: readonly SprintBrief[],
): Map<PlannedSprint, SprintBrief> {
  const found = new Map<PlannedSprint, SprintBrief>();
  if (planned.every(({ label }) => label === undefined)) return found;
  const labels = sprintLabels(existing);
  const byLabel = new Map(existing.map((sprint) => [labels.get(sprint.id)?.trim(), sprint]));
  for (const sprint of planned) {
    const same = sprint.label === undefined ? undefined : byLabel.get(sprint.label);
    if (same) found.set(sprint, same);
  }
  return found;
}

/** The sprints of a board that no planned sprint has been matched with yet. */
class FreeSprints {
  private readonly taken: Set<SprintBrief>;
  /** The free sprints by key, in reverse order, because removing the last element of an array is fast. */
  private readonly byKey = new Map<string, SprintBrief[]>();

  constructor(taken: Iterable<SprintBrief>) {
    this.taken = new Set(taken);
  }

  /** Adds a sprint of the board. Call it in reverse order. */
  add(sprint: SprintBrief): void {
    for (const key of keysOf(sprint)) {
      const same = this.byKey.get(key);
      if (same) same.push(sprint);
      else this.byKey.set(key, [sprint]);
    }
  }

  /** Finds the sprint of a row without an `external_id` of an export, if its name and its start are unchanged. */
  takeUnchanged({
    external_id,
    name,
    start_date,
    created_at,
  }: PlannedSprint): SprintBrief | undefined {
    if (external_id !== null || !created_at) return undefined;
    return this.taking(this.first(keyOf('created_at', toStored(created_at), name, start_date)));
  }

  /**
   * Finds the sprint for a planned one: by its `external_id`, else by its name, because the sprint may have been
   * created by a user or imported from a file without ids. Each sprint is found once.
   */
  take(planned: PlannedSprint): SprintBrief | undefined {
    return this.taking(this.find(planned));
  }

  private taking(found: SprintBrief | undefined): SprintBrief | undefined {
    if (found) this.taken.add(found);
    return found;
  }

  private find(planned: PlannedSprint): SprintBrief | undefined {
    const { external_id, name, start_date, created_at: createdAt } = planned;
    const same = external_id === null ? undefined : this.first(keyOf('external_id', external_id));
    if (same) return same;
    if (createdAt) {
      return external_id === null
        ? this.first(keyOf('created_at', toStored(createdAt), name))
        : undefined;
    }
    if (name === null) return undefined;
    const kind = external_id === null ? 'name' : 'name without id';
    const found =
      this.first(keyOf(kind, name.trim(), start_date)) ?? this.first(keyOf(kind, name.trim()));
    return found && !isAfter(found, planned) ? found : undefined;
  }

  private first(key: string): SprintBrief | undefined {
    const same = this.byKey.get(key) ?? [];
    while (same.length > 0 && this.taken.has(same.at(-1) as SprintBrief)) same.pop();
    return same.at(-1);
  }
}

const keyOf = (...parts: (string | null)[]): string => JSON.stringify(parts);

function keysOf({ external_id: id, name, start_date: start, created_at }: SprintBrief): string[] {
  const keys =
    id === null
      ? [keyOf('created_at', created_at, name), keyOf('created_at', created_at, name, start)]
      : [keyOf('external_id', id)];
  if (name === null) return keys;
  for (const kind of id === null ? ['name', 'name without id'] : ['name']) {
    keys.push(keyOf(kind, name.trim()), keyOf(kind, name.trim(), start));
  }
  return keys;
}

/** Whether a sprint begins after the assumed end of a completed planned one, so it cannot be the same sprint. */
const isAfter = (
  { start_date }: Pick<SprintBrief, 'start_date'>,
  { assumed, completed_at, end_date }: PlannedSprint,
): boolean => assumed === true && completed_at !== null && start_date > (end_date ?? start_date);

export const nameOf = ({ name, key }: Pick<PlannedSprint, 'name' | 'key'>): string => name ?? key;
