import fc from 'fast-check';
import { hundredths } from '../../../src/reports/points';
import type { Report } from '../../../src/reports/report';
import { WEEKDAYS } from '../../../src/boards/working-days';
import { Log } from './log';
import { burndown, replay, report } from '../../support/reports';

const HOUR = 3_600_000;
const START = Date.parse('2026-03-27T00:00:00.000Z');
const ZONES = [
  'UTC',
  'Europe/Berlin',
  'America/New_York',
  'Pacific/Pago_Pago',
  'Pacific/Kiritimati',
];

// The next action and the hours since the last one; numbers pick the story and the sprint.
const step = fc.record({
  after: fc.integer({ min: -2, max: 20 }),
  kind: fc.constantFrom(
    ...(['create', 'move', 'move', 'estimate', 'status', 'status'] as const),
    ...([
      'delete',
      'move_out',
      'move_in',
      'start',
      'complete',
      'reopen',
      'time_zone',
      'days',
      'dates',
    ] as const),
  ),
  pick: fc.nat(),
  to: fc.nat(),
  points: fc.option(fc.integer({ min: 0, max: 2000 }).map((value) => value / 100)),
});
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

const history = fc.record({
  zone: fc.constantFrom(...ZONES),
  days: fc.option(fc.integer({ min: 1, max: 9 })),
  steps: fc.array(step, { maxLength: 60, size: 'max' }),
});
type History = typeof history extends fc.Arbitrary<infer Value> ? Value : never;

class Simulation {
  readonly log: Log;
  readonly sprint: number;
  readonly places: (number | null)[];
  time = START - 30 * HOUR;

  constructor({ zone, days }: History) {
    this.log = new Log(zone);
    this.log.now = new Date(this.time).toISOString();
    const end =
      days === null ? null : new Date(START + days * 24 * HOUR).toISOString().slice(0, 10);
    this.sprint = this.log.sprint('2026-03-27', end);
    this.places = [this.sprint, this.log.sprint('2026-04-10'), null];
  }

  open(): boolean {
    return this.log.sprints.get(this.sprint)?.state !== 'completed';
  }

  apply({ after, kind, pick, to, points }: Step): void {
    const { log } = this;
    this.time += after * HOUR;
    log.now = new Date(this.time).toISOString();
    // A completed sprint keeps its dates and its stories.
    const places = this.open() ? this.places : this.places.slice(1);
    const place = places[to % places.length] as number | null;
    const movable = [...log.stories.values()].filter(({ sprint_id }) => places.includes(sprint_id));
    const story = movable[pick % movable.length];
    const any = [...log.stories.values()][pick % Math.max(1, log.stories.size)];
    if (kind === 'create') log.story(place, points);
    else if (kind === 'move_in') log.moveIn(1000 + log.events.length, place, points);
    else if (kind === 'complete' && this.open())
      log.complete(this.sprint, this.places[1 + (to % 2)]);
    else if (kind === 'reopen' && !this.open()) log.reopen(this.sprint);
    else if (kind === 'start' && this.open()) log.start(this.sprint);
    else if (kind === 'days') log.workingDays(...WEEKDAYS.slice(pick % 7));
    else if (kind === 'time_zone') log.timeZone(ZONES[pick % ZONES.length] as string);
    else if (kind === 'dates' && this.open()) {
      log.dates(this.sprint, { start_date: `2026-03-2${6 + (pick % 3)}` });
    } else if (kind === 'estimate' && any) log.update(any.id, { points });
    else if (kind === 'status' && any) {
      log.update(any.id, { status: (['todo', 'in_progress', 'done'] as const)[to % 3] });
    } else if (kind === 'move' && story) log.update(story.id, { sprint_id: place, points });
    else if (kind === 'delete' && story) log.delete(story.id);
    else if (kind === 'move_out' && story) log.moveOut(story.id);
  }

  report(events = this.log.events): Report {
    return report(replay(events, this.sprint, new Date(this.time)));
  }
}

function afterEach(history: History, check: (simulation: Simulation) => void): void {
  const simulation = new Simulation(history);
  for (const step of history.steps) {
    simulation.apply(step);
    check(simulation);
  }
}

const assertProperty = (property: (history: History) => void): void =>
  fc.assert(fc.property(history, property), { numRuns: 40 });

describe('after any history of a sprint', () => {
  it('committed + added + re-estimated − removed equals completed + unfinished, if there is a commitment', () => {
    assertProperty((history) =>
      afterEach(history, (simulation) => {
        const result = simulation.report();
        if (result.committed_at === null) return;
        const of = (unit: (group: { points: number; count: number }) => number): number[] => [
          unit(result.committed) + unit(result.added) - unit(result.removed),
          unit(result.completed) + unit(result.unfinished),
        ];
        const [count, left] = of((group) => group.count);
        expect(count).toBe(left);
        const [points = 0, end] = of((group) => hundredths(group.points));
        expect(points + hundredths(result.re_estimated.points)).toBe(end);
      }),
    );
  });

  it('the last row of the burndown equals the report', () => {
    assertProperty((history) =>
      afterEach(history, (simulation) => {
        const result = simulation.report();
        const past = replay(simulation.log.events, simulation.sprint, new Date(simulation.time));
        const last = [...burndown(past)].at(-1);
        if (!last) return;
        expect(burndown(past).committed).toEqual({
          points: result.committed.points,
          count: result.committed.count,
        });
        expect(last).toMatchObject({
          completed_points: result.completed.points,
          completed_count: result.completed.count,
          remaining_points: result.unfinished.points,
          remaining_count: result.unfinished.count,
          scope_count: result.completed.count + result.unfinished.count,
        });
      }),
    );
  });

  it('its report from its own events equals that from the whole log', () => {
    assertProperty((history) =>
      afterEach(history, (simulation) =>
        expect(simulation.report(simulation.log.of(simulation.sprint))).toEqual(
          simulation.report(),
        ),
      ),
    );
  });

  it('its report is the same just before, at and after its completion', () => {
    assertProperty((history) => {
      const simulation = new Simulation(history);
      let frozen: string | undefined;
      for (const step of history.steps) {
        const open = simulation.open();
        const live = simulation.log.events.length;
        simulation.apply(step);
        if (simulation.open()) {
          frozen = undefined;
        } else if (open) {
          const result = simulation.report();
          frozen = JSON.stringify(result);
          for (const story of result.unfinished.stories) delete story.carried_to;
          expect(simulation.report(simulation.log.events.slice(0, live))).toEqual(result);
        } else {
          expect(JSON.stringify(simulation.report())).toBe(frozen);
        }
      }
    });
  });

  it('only a completed sprint shows where each unfinished story went', () => {
    assertProperty((history) =>
      afterEach(history, (simulation) => {
        for (const story of simulation.report().unfinished.stories) {
          expect(story.carried_to !== undefined).toBe(!simulation.open());
        }
      }),
    );
  });
});
