import type { LockedBoard } from '../../../src/database/board-row';
import type { Change } from '../../../src/database/change';
import type { SprintChanges } from '../../../src/sprints/sprint-changes.service';
import type { SprintBrief, SprintQueries } from '../../../src/sprints/sprint.queries';
import { Pace } from '../../../src/time/pace';
import { Warnings } from '../../../src/transfer/files/source';
import { ApplySprints } from '../../../src/transfer/import/apply-sprints.service';
import { ImportRun } from '../../../src/transfer/import/import-run';
import type { PlannedSprint } from '../../../src/transfer/import/plan';

const COUNT = 100_000;
const DATES = { start_date: '2026-11-23', end_date: null };

// Without real pauses, the time limit would end no test.
const change = new Pace() as unknown as Change;
const queries = { requireFree: () => Promise.resolve() } as unknown as SprintQueries;
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
  start_date: DATES.start_date,
  completed_at: null,
  created_at: '2026-11-23 09:30:00.000',
  ...fields,
});

const list = <T>(item: (i: number) => T): T[] => Array.from({ length: COUNT }, (_, i) => item(i));

it.each<[string, (i: number) => Partial<PlannedSprint>, (i: number) => Partial<SprintBrief>]>([
  [
    'by their external ids',
    (i) => ({ external_id: `S-${i}`, name: 'Same' }),
    (i) => ({ external_id: `S-${COUNT - 1 - i}`, name: 'Same' }),
  ],
  ['by one name', () => ({ name: 'Same', start_date: '2026-11-24' }), () => ({ name: 'Same' })],
])(
  '100,000 sprints are found %s',
  async (_, planned, existing) => {
    const { updated, unchanged } = await place(
      list((i) => sprint(i, planned(i))),
      list((i) => brief(i, existing(i))),
    );
    expect(updated.sprints + unchanged.sprints).toBe(COUNT);
  },
  20_000,
);

it('100,000 sprints are created on a board that has as many', async () => {
  const { created } = await place(
    list((i) => sprint(i, { external_id: `S-${i}`, name: 'Same' })),
    list((i) => brief(i, { external_id: `T-${i}`, name: 'Same' })),
  );
  expect(created.sprints).toBe(COUNT);
}, 20_000);
