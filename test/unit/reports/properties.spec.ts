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

// What happens next, to whichever story and sprint the numbers pick, and how long after the last.
const happening = fc.record({
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
type Happening = typeof happening extends fc.Arbitrary<infer Value> ? Value : never;

const history = fc.record({
  zone: fc.constantFrom(...ZONES),
  days: fc.option(fc.integer({ min: 1, max: 9 })),
  happenings: fc.array(happening, { maxLength: 60, size: 'max' }),
});
type History = typeof history extends fc.Arbitrary<infer Value> ? Value : never;

class World {
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

  happen({ after, kind, pick, to, points }: Happening): void {
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

function afterEach(history: History, check: (world: World) => void): void {
  const world = new World(history);
  for (const happening of history.happenings) {
    world.happen(happening);
    check(world);
  }
}

const prove = (property: (history: History) => void): void =>
  fc.assert(fc.property(history, property), { numRuns: 40 });

describe('whatever happens to a sprint', () => {
  it('committed + added + re-estimated − removed is completed + unfinished, once it is committed', () => {
    prove((history) =>
      afterEach(history, (world) => {
        const told = world.report();
        if (told.committed_at === null) return;
        const of = (unit: (group: { points: number; count: number }) => number): number[] => [
          unit(told.committed) + unit(told.added) - unit(told.removed),
          unit(told.completed) + unit(told.unfinished),
        ];
        const [count, left] = of((group) => group.count);
        expect(count).toBe(left);
        const [points = 0, end] = of((group) => hundredths(group.points));
        expect(points + hundredths(told.re_estimated.points)).toBe(end);
      }),
    );
  });

  it("the burndown's last row is the report", () => {
    prove((history) =>
      afterEach(history, (world) => {
        const told = world.report();
        const past = replay(world.log.events, world.sprint, new Date(world.time));
        const last = [...burndown(past)].at(-1);
        if (!last) return;
        expect(burndown(past).committed).toEqual({
          points: told.committed.points,
          count: told.committed.count,
        });
        expect(last).toMatchObject({
          completed_points: told.completed.points,
          completed_count: told.completed.count,
          remaining_points: told.unfinished.points,
          remaining_count: told.unfinished.count,
          scope_count: told.completed.count + told.unfinished.count,
        });
      }),
    );
  });

  it('its own events tell the same as the whole log', () => {
    prove((history) =>
      afterEach(history, (world) =>
        expect(world.report(world.log.of(world.sprint))).toEqual(world.report()),
      ),
    );
  });

  it('its report is the same live, at its completion and ever after', () => {
    prove((history) => {
      const world = new World(history);
      let frozen: string | undefined;
      for (const happening of history.happenings) {
        const open = world.open();
        const live = world.log.events.length;
        world.happen(happening);
        if (world.open()) {
          frozen = undefined;
        } else if (open) {
          const told = world.report();
          frozen = JSON.stringify(told);
          for (const story of told.unfinished.stories) delete story.carried_to;
          expect(world.report(world.log.events.slice(0, live))).toEqual(told);
        } else {
          expect(JSON.stringify(world.report())).toBe(frozen);
        }
      }
    });
  });

  it('every unfinished story of a completed sprint tells where it went', () => {
    prove((history) =>
      afterEach(history, (world) => {
        for (const story of world.report().unfinished.stories) {
          expect('carried_to' in story).toBe(!world.open());
        }
      }),
    );
  });
});
