import type { Report } from '../../../src/reports/report';
import { Log } from './log';
import { burndown, replay, report } from '../../support/reports';

const NOW = '2026-03-20T12:00:00.000Z';
const COMPLETED = '2026-03-13T16:00:00.000Z';

/** The log of a sprint of two weeks in March, which was imported later. */
class Imported extends Log {
  readonly first = this.sprint('2026-03-02', '2026-03-13');

  constructor(zone?: string) {
    super(zone);
    this.now = NOW;
  }

  done(points: number | null, done_at: string | null): number {
    return this.story(this.first, points, { status: 'done', done_at });
  }
}

const historyOf = (log: Imported) => replay(log.events, log.first, new Date(log.now));
const reportOf = (log: Imported): Report => report(historyOf(log));
const rows = (log: Imported): [string, number, number][] =>
  [...burndown(historyOf(log))].map((day) => [day.date, day.scope_points, day.completed_points]);

describe('an imported sprint', () => {
  it('committed to all of its stories on its first day, and completed those that are done', () => {
    const log = new Imported('Europe/Berlin');
    const done = log.done(3, '2026-03-05T10:00:00.000Z');
    const open = log.story(log.first, 5);
    log.story(null, 8);
    log.complete(log.first, log.first, COMPLETED);
    const { committed, completed, unfinished, added, removed, re_estimated, ...rest } =
      reportOf(log);
    expect(rest).toEqual({
      as_of: COMPLETED,
      committed_at: '2026-03-01T23:00:00.000Z',
      commitment_rule: 'imported',
    });
    expect([committed.count, committed.points]).toEqual([2, 8]);
    expect(completed.stories.map(({ id }) => id)).toEqual([done]);
    expect(unfinished.stories).toEqual([{ id: open, title: `Story ${open}`, points: 5 }]);
    expect([added, removed, re_estimated].map(({ count }) => count)).toEqual([0, 0, 0]);
  });

  it('has the state of its stories at the completion, whatever the earlier events say', () => {
    const log = new Imported();
    const other = log.sprint('2026-03-16');
    const gone = log.story(log.first, 1);
    const late = log.story(other, 2, { status: 'done', done_at: '2026-03-04T10:00:00.000Z' });
    log.update(gone, { sprint_id: other });
    log.update(late, { sprint_id: log.first, points: 4 });
    log.complete(log.first, null, COMPLETED);
    log.update(late, { points: 13 });
    const { committed, completed, removed } = reportOf(log);
    expect([committed.points, completed.points, removed.count]).toEqual([4, 4, 0]);
  });

  it('burns down when its stories were done: earlier ones on the first day, later ones on the last', () => {
    const log = new Imported();
    log.done(1, '2026-02-20T10:00:00.000Z');
    log.done(2, '2026-03-04T23:59:59.999Z');
    log.done(4, '2026-03-15T10:00:00.000Z');
    log.done(8, null);
    log.story(log.first, 16);
    log.complete(log.first, null, COMPLETED);
    const days = rows(log);
    expect(days).toHaveLength(12);
    expect(days.slice(0, 4)).toEqual([
      ['2026-03-02', 31, 1],
      ['2026-03-03', 31, 1],
      ['2026-03-04', 31, 3],
      ['2026-03-05', 31, 3],
    ]);
    expect(days.slice(-2)).toEqual([
      ['2026-03-12', 31, 3],
      ['2026-03-13', 31, 15],
    ]);
    expect(reportOf(log).completed.points).toBe(15);
  });

  it('counts a story as done at its last `done_at`', () => {
    const log = new Imported();
    const story = log.done(3, '2026-03-04T10:00:00.000Z');
    log.update(story, { done_at: '2026-03-06T10:00:00.000Z' });
    log.complete(log.first, null, COMPLETED);
    expect(rows(log).map(([, , completed]) => completed)).toEqual([
      0, 0, 0, 0, 3, 3, 3, 3, 3, 3, 3, 3,
    ]);
  });

  it('that was completed before its start date has a report and no days', () => {
    const log = new Imported();
    log.done(3, '2026-02-27T10:00:00.000Z');
    log.complete(log.first, null, '2026-02-28T10:00:00.000Z');
    expect(reportOf(log)).toMatchObject({
      as_of: '2026-02-28T10:00:00.000Z',
      committed_at: '2026-02-28T10:00:00.000Z',
      committed: { count: 1 },
      completed: { count: 1 },
    });
    expect(rows(log)).toEqual([]);
  });

  it('may begin on the first day of the calendar', () => {
    const log = new Log();
    log.now = NOW;
    const first = log.sprint('1000-01-01', '1000-01-02');
    log.story(first, 3, { status: 'done', done_at: '1000-01-02T10:00:00.000Z' });
    log.complete(first, null, '1000-01-02T16:00:00.000Z');
    const history = replay(log.events, first, new Date(NOW));
    expect(report(history).committed_at).toBe('1000-01-01T00:00:00.000Z');
    expect([...burndown(history)].map((day) => [day.date, day.remaining_points])).toEqual([
      ['1000-01-01', 3],
      ['1000-01-02', 0],
    ]);
  });

  it('did not complete stories that moved on to another sprint, even if they are done now', () => {
    const log = new Imported();
    const next = log.sprint('2026-03-16');
    const done = log.done(3, '2026-03-18T10:00:00.000Z');
    const stays = log.story(log.first, 5);
    log.complete(log.first, log.first, COMPLETED);
    log.update(done, { sprint_id: next });
    log.update(stays, { title: 'Renamed' });
    const { completed, unfinished } = reportOf(log);
    expect(completed.count).toBe(0);
    expect(unfinished.stories).toEqual([
      { id: done, title: `Story ${done}`, points: 3, carried_to: next },
      { id: stays, title: `Story ${stays}`, points: 5 },
    ]);
    expect(rows(log).at(-1)).toEqual(['2026-03-13', 8, 0]);
  });

  it('completed its done stories, even if they are planned again after the import', () => {
    const log = new Imported();
    const next = log.sprint('2026-03-16');
    const done = log.done(3, '2026-03-05T10:00:00.000Z');
    log.complete(log.first, null, COMPLETED);
    log.now = '2026-03-21T12:00:00.000Z';
    log.update(done, { sprint_id: next });
    expect(reportOf(log)).toMatchObject({ completed: { count: 1 }, unfinished: { count: 0 } });
  });

  it('is reported by its events once it is reopened and completed here', () => {
    const log = new Imported();
    log.done(3, '2026-03-05T10:00:00.000Z');
    log.complete(log.first, null, COMPLETED);
    log.reopen(log.first);
    expect(reportOf(log).commitment_rule).toBe('first_day');
    log.now = '2026-03-23T12:00:00.000Z';
    log.complete(log.first);
    expect(reportOf(log)).toMatchObject({ as_of: log.now, commitment_rule: 'first_day' });
  });
});
