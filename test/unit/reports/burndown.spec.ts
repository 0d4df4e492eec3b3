import type { BurndownDayView } from '../../../src/reports/report.dto';
import { Log } from './log';
import { burndown, replay } from '../../support/reports';

const of = (log: Log, sprint: number, now = log.now): BurndownDayView[] => [
  ...burndown(replay(log.events, sprint, new Date(now))),
];
const column = <Name extends keyof BurndownDayView>(days: BurndownDayView[], name: Name) =>
  days.map((day) => day[name]);

describe('a burndown', () => {
  it('has the state at the end of each day, and the current state for today', () => {
    const log = new Log();
    const sprint = log.sprint('2026-03-02', '2026-03-05');
    const [one, two] = [log.story(sprint, 5), log.story(sprint, 3)];
    log.now = '2026-03-02T23:59:59.999Z';
    log.update(one, { status: 'done' });
    log.now = '2026-03-03T00:00:00.000Z';
    log.story(sprint, 0.5);
    log.now = '2026-03-04T08:00:00.000Z';
    log.update(two, { sprint_id: null });
    const row = (
      date: string,
      scope: number,
      completed: number,
      ideal: number,
      counts: number[],
    ) => ({
      date,
      working: true,
      scope_points: scope,
      completed_points: completed,
      remaining_points: scope - completed,
      ideal_points: ideal,
      scope_count: counts[0],
      completed_count: counts[1],
      remaining_count: counts[2],
    });
    expect(of(log, sprint, '2026-03-04T09:00:00.000Z')).toEqual([
      row('2026-03-02', 8, 5, 6, [2, 1, 1]),
      row('2026-03-03', 8.5, 5, 4, [3, 1, 2]),
      row('2026-03-04', 5.5, 5, 2, [2, 1, 1]),
    ]);
  });

  it('has no rows before the sprint starts, and ends with its end date', () => {
    const log = new Log();
    const sprint = log.sprint('2026-03-02', '2026-03-04');
    const story = log.story(sprint, 5);
    expect(of(log, sprint)).toEqual([]);
    log.now = '2026-03-09T12:00:00.000Z';
    log.update(story, { status: 'done' });
    const days = of(log, sprint);
    expect(column(days, 'date')).toEqual(['2026-03-02', '2026-03-03', '2026-03-04']);
    expect(column(days, 'completed_points')).toEqual([0, 0, 5]);
  });

  it('has the planned work, but no commitment, before the sprint starts', () => {
    const log = new Log();
    const sprint = log.sprint('2026-03-02');
    log.story(sprint, 5);
    log.update(log.story(sprint, 3), { sprint_id: null });
    expect(burndown(replay(log.events, sprint, new Date(log.now)))).toMatchObject({
      length: 0,
      scope: { points: 5, count: 1 },
      committed: { points: 0, count: 0 },
    });
  });

  it('ends with the day of completion', () => {
    const log = new Log();
    const sprint = log.sprint('2026-03-01', '2026-03-14');
    const story = log.story(sprint, 5);
    log.now = '2026-03-02T12:00:00.000Z';
    log.complete(sprint);
    log.now = '2026-03-12T12:00:00.000Z';
    log.update(story, { points: 8 });
    expect(column(of(log, sprint), 'remaining_points')).toEqual([5, 5]);
  });

  it('has no ideal line without an end date', () => {
    const log = new Log();
    const sprint = log.sprint('2026-02-27');
    log.story(sprint, 5);
    expect(column(of(log, sprint), 'ideal_points')).toEqual([null, null, null]);
  });

  it('has an ideal line that falls on working days only', () => {
    const log = new Log();
    log.now = '2026-02-01T00:00:00.000Z';
    const sprint = log.sprint('2026-02-26', '2026-03-03');
    log.story(sprint, 8);
    const days = (): BurndownDayView[] => of(log, sprint, '2026-04-01T00:00:00.000Z');
    expect(column(days(), 'working')).toEqual([true, true, false, false, true, true]);
    expect(column(days(), 'ideal_points')).toEqual([6, 4, 4, 4, 2, 0]);
    log.workingDays('mon', 'sat', 'sun');
    expect(column(days(), 'working')).toEqual([false, false, true, true, true, false]);
    expect(column(days(), 'ideal_points')).toEqual([8, 8, 5.33, 2.67, 0, 0]);
    log.workingDays('fri');
    expect(column(days(), 'ideal_points')).toEqual([8, 0, 0, 0, 0, 0]);
    // The sprint has no such day.
    log.workingDays('wed');
    expect(column(days(), 'working')).toEqual(Array(6).fill(false));
    expect(column(days(), 'ideal_points')).toEqual([6.67, 5.33, 4, 2.67, 1.33, 0]);
  });

  it('of a completed sprint keeps the working days of its completion', () => {
    const log = new Log();
    log.now = '2026-02-28T00:00:00.000Z';
    const sprint = log.sprint('2026-02-27', '2026-03-03');
    log.story(sprint, 6);
    log.complete(sprint);
    const before = of(log, sprint);
    expect(column(before, 'ideal_points')).toEqual([4, 4]);
    log.workingDays('sat', 'sun');
    expect(of(log, sprint)).toEqual(before);
    log.reopen(sprint);
    expect(column(of(log, sprint), 'working')).toEqual([false, true]);
  });

  it('rounds the ideal line to two decimals and brings it to 0', () => {
    const log = new Log();
    log.now = '2026-02-01T00:00:00.000Z';
    log.workingDays('fri', 'sat', 'sun');
    const sprint = log.sprint('2026-02-27', '2026-03-01');
    log.story(sprint, 10);
    expect(column(of(log, sprint, '2026-04-01T00:00:00.000Z'), 'ideal_points')).toEqual([
      6.67, 3.33, 0,
    ]);
  });

  it('counts the leap day', () => {
    const log = new Log();
    log.now = '2028-02-27T00:00:00.000Z';
    const sprint = log.sprint('2028-02-28', '2028-03-01');
    expect(column(of(log, sprint, '2028-04-01T00:00:00.000Z'), 'date')).toEqual([
      '2028-02-28',
      '2028-02-29',
      '2028-03-01',
    ]);
  });

  // The clocks of both go forward on 29 March 2026 and back on 25 October 2026.
  it.each([
    ['Europe/Berlin', '2026-03-28', ['2026-03-27T23:00', '2026-03-28T23:00', '2026-03-29T22:00']],
    ['Europe/Berlin', '2026-10-24', ['2026-10-23T22:00', '2026-10-24T22:00', '2026-10-25T23:00']],
    ['Asia/Beirut', '2026-03-28', ['2026-03-27T22:00', '2026-03-28T22:00', '2026-03-29T21:00']],
    [
      'Pacific/Pago_Pago',
      '2026-03-28',
      ['2026-03-28T11:00', '2026-03-29T11:00', '2026-03-30T11:00'],
    ],
    [
      'Pacific/Kiritimati',
      '2026-03-28',
      ['2026-03-27T10:00', '2026-03-28T10:00', '2026-03-29T10:00'],
    ],
  ])('divides the days of %s from %s at its midnights', (zone, start, midnights) => {
    const log = new Log(zone);
    log.now = '2026-01-01T00:00:00.000Z';
    const sprint = log.sprint(start);
    log.story(sprint, 1);
    for (const midnight of midnights.slice(1)) {
      log.now = new Date(Date.parse(`${midnight}Z`) - 1).toISOString();
      log.story(sprint, 10);
      log.now = `${midnight}:00.000Z`;
      log.story(sprint, 100);
    }
    expect(column(of(log, sprint), 'scope_points')).toEqual([11, 121, 221]);
    const early = new Log(zone);
    early.now = new Date(Date.parse(`${midnights[0] as string}Z`) - 1).toISOString();
    expect(of(early, early.sprint(start))).toEqual([]);
    early.now = `${midnights[0] as string}:00.000Z`;
    expect(of(early, early.sprint(start))).toHaveLength(1);
  });

  it('can be read for any days, and knows the days with changes', () => {
    const log = new Log();
    const sprint = log.sprint('2026-03-02');
    log.story(sprint, 5);
    log.now = '2026-03-05T12:00:00.000Z';
    const story = log.story(sprint, 3);
    log.now = '2026-03-09T12:00:00.000Z';
    log.update(story, { status: 'done' });
    const days = burndown(replay(log.events, sprint, new Date('2026-03-20T12:00:00.000Z')));
    const all = [...days];
    expect([days.length, days.eventful]).toEqual([19, [0, 3, 7]]);
    expect(days.committed).toEqual({ points: 5, count: 1 });
    expect(all).toHaveLength(19);
    const places = [0, 1, 2, 5, 6, 7, 12, 18];
    expect([...days.at(places)]).toEqual(places.map((place) => all[place]));
    for (const [place, day] of all.entries()) {
      const { date: _, working: __, ...before } = all[Math.max(0, place - 1)] as BurndownDayView;
      if (place > 0 && !days.eventful.includes(place)) expect(day).toMatchObject(before);
    }
  });
});
