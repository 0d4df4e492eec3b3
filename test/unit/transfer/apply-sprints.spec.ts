import type { LockedBoard } from '../../../src/database/board-row';
import type { Change } from '../../../src/database/change';
import type { SprintChanges } from '../../../src/sprints/sprint-changes.service';
import type { SprintBrief, SprintQueries } from '../../../src/sprints/sprint.queries';
import { TimeSlice } from '../../../src/time/time-slice';
import { Warnings } from '../../../src/transfer/files/source';
import { ApplySprints } from '../../../src/transfer/import/apply-sprints.service';
import { ImportRun } from '../../../src/transfer/import/import-run';
import type { PlannedSprint } from '../../../src/transfer/import/plan';

const COUNT = 1000;
const DATES = { start_date: '2026-11-23', end_date: null };

const change = new TimeSlice() as unknown as Change;
const queries = { requireFreeExternalId: () => Promise.resolve() } as unknown as SprintQueries;
const board = { id: 1 } as LockedBoard;

/** Finds or creates sprints, on a board that has others. */
async function place(
  planned: readonly PlannedSprint[],
  existing: readonly SprintBrief[],
): Promise<ImportRun> {
  const changes = {
    createIn: () => Promise.resolve({ id: COUNT + 1 }),
    lock: (_: Change, id: number) => Promise.resolve({ sprint: existing[id - 1] }),
    write: () => Promise.resolve(),
  } as unknown as SprintChanges;
  const run = new ImportRun(change, board, new Warnings());
  await new ApplySprints(queries, changes).place(run, planned, existing);
  return run;
}

const sprint = (i: number, fields: Partial<PlannedSprint>): PlannedSprint => ({
  key: String(i),
  external_id: null,
  name: null,
  goal: null,
  completed_at: null,
  ...DATES,
  ...fields,
});

const brief = (i: number, fields: Partial<SprintBrief>): SprintBrief => ({
  id: i + 1,
  name: null,
  external_id: null,
  ...DATES,
  completed_at: null,
  created_at: '2026-11-23 09:30:00.000',
  ...fields,
});

const list = <T>(item: (i: number) => T): T[] => Array.from({ length: COUNT }, (_, i) => item(i));

/** Calls `read` when a property of an object is read. */
const observed = <T extends object>(target: T, read: () => void): T =>
  new Proxy(target, {
    get: (_, name) => {
      read();
      return target[name as keyof T];
    },
  });

/** Places sprints, and expects that the number of reads and look-ups grows with the number of sprints, not its square. */
async function placeInLinearTime(
  planned: (i: number) => Partial<PlannedSprint>,
  existing: (i: number) => Partial<SprintBrief>,
): Promise<ImportRun> {
  let steps = 0;
  const count = (): void => {
    steps += 1;
  };
  const wanted = list((i) => observed(sprint(i, planned(i)), count));
  const found = list((i) => observed(brief(i, existing(i)), count));
  const lookUps = jest.spyOn(Set.prototype, 'has');
  const run = await place(wanted, found);
  steps += lookUps.mock.calls.length;
  lookUps.mockRestore();
  expect(steps).toBeLessThan(50 * COUNT);
  return run;
}

it.each<[string, (i: number) => Partial<PlannedSprint>, (i: number) => Partial<SprintBrief>]>([
  [
    'by their external ids',
    (i) => ({ external_id: `S-${i}`, name: 'Same' }),
    (i) => ({ external_id: `S-${COUNT - 1 - i}`, name: 'Same' }),
  ],
  ['by one name', () => ({ name: 'Same', start_date: '2026-11-24' }), () => ({ name: 'Same' })],
])('many sprints are found %s', async (_, planned, existing) => {
  const { updated, unchanged } = await placeInLinearTime(planned, existing);
  expect(updated.sprints + unchanged.sprints).toBe(COUNT);
});

it('many sprints are created on a board that has as many', async () => {
  const { created } = await placeInLinearTime(
    (i) => ({ external_id: `S-${i}`, name: 'Same' }),
    (i) => ({ external_id: `T-${i}`, name: 'Same' }),
  );
  expect(created.sprints).toBe(COUNT);
});
